"""English words that determine what a sentence asserts, joined with those of `citewell_verify.facts.reading.korean`."""

from citewell_verify.facts.reading import korean
from citewell_verify.text.words import stem, vocabulary

CUES = {
    word: kind
    for kind, listed in (
        (
            "denied",
            "not no never none neither nor nobody nothing nowhere without hardly barely scarcely non myth false",
        ),
        (
            "possible",
            "may might could possibly perhaps maybe probably potentially presumably likely conceivably whether",
        ),
        (
            "planned",
            "planned expect expects expected anticipate anticipates anticipated forecast forecasts projected proposed"
            " scheduled will would prospective considering",
        ),
        ("obliged", "must shall required mandatory compulsory"),
        ("advised", "should ought recommended"),
        (
            "reported",
            "allegedly alleged alleges reportedly rumored rumoured rumor rumour claims claimed supposedly"
            " purportedly purported believed thought supposed accuses accused contends apparently seemingly seems"
            " suggests according",
        ),
        ("all", "all every each entire whole always everyone everything"),
        ("most", "most majority"),
        ("some", "some several certain sometimes occasionally partly partially someone something"),
        ("few", "few rarely seldom little"),
        ("many", "many often frequently numerous much"),
        ("only", "only exclusively solely merely"),
        ("over", "over above exceed exceeds exceeded exceeding minimum least beyond"),
        ("under", "under below maximum within fewer less"),
        ("before", "before beforehand prior until till preceding previously ago"),
        ("after", "after since following subsequently afterwards"),
        ("if", "if unless provided except excluding"),
    )
    for word in listed.split()
}
"""Word → class of the cue."""

QUANTIFIERS = frozenset({"all", "most", "some", "few", "many", "only"})
BOUNDS = frozenset({"over", "under", "before", "after"})

PRONOUNS = vocabulary(
    "he she it they him her them his hers its their theirs this that these those one ones i we you us our your my"
)
FILLERS = vocabulary("""
    a an the is are was were be been being am do does did done have has had having of in on at for to from by with
    as into onto per via than then so such there here and or but also too both either while which who whom whose
    where when that about around some's s t d ll re ve m up out off down upon during between among through
    throughout across its it's can however therefore moreover furthermore thus hence well very more quite rather
    indeed again own same mr mrs ms sir additionally despite although specifically example yes yea yeah no,
    furthermore likewise similarly meanwhile instead generally usually typically commonly largely mainly mostly
    overall finally example addition inc corp corporation ltd llc plc co company's limited according
""") - {"according"}

RELATIONS = vocabulary("than by to from against over of for")
"""Function words between two things whose order matters."""

_SAME = """
    buy buys bought purchase purchased purchases acquire acquired acquires acquisition
    begin begins began begun start starts started commence commenced
    end ends ended finish finished finishes conclude concluded
    big large huge
    small little tiny
    firm company corporation business enterprise
    car cars automobile vehicle
    gasoline gas petrol
    telephone phone telephones phones
    photograph photo photographs photos
    examination exam examinations exams
    laboratory lab laboratories labs
    advertisement ad advertisements ads advert adverts
    airplane plane airplanes planes aeroplane aircraft
    influenza flu
    bicycle bike bicycles bikes
    television tv televisions
    memorandum memo
    mathematics math maths
    refrigerator fridge refrigerators fridges
    government govt
    department dept
    doctor physician
    show shows showed shown display displays
    help helps helped assist assists aid aids
    use uses used utilize utilizes utilise employ
    build built constructed construct builds
    make makes made produce produces produced manufacture manufactures manufactured
    get gets got obtain obtains obtained receive receives received
    need needs needed require requires required
    give gives gave given provide provides provided offer offers offered
    contain contains contained include includes included comprise comprises comprised
    find finds found discover discovered discovers
    die dies died dead death
    film movie movies films
    wife spouse
    worldwide globally global
    due because owing
    per each
    kid kids child children
    rise rises rose risen increase increases increased grow grows grew grown climb climbed
    fall falls fell fallen decrease decreases decreased decline declines declined drop drops dropped
    sell sells sold
    write writes wrote written author authored
    live lives lived reside resides resided
    locate located situated
    base based headquartered
    month monthly
    year yearly annual annually
    day daily
    week weekly
    sales revenue revenues turnover
    employee employees staff worker workers
    client clients customer customers
    last latest
    important significant
    approximately about roughly around circa
    permit permits permitted allow allows allowed
    forbid forbids forbidden prohibit prohibits prohibited
    cost costs price priced
    win wins won
    lead leads led
    hold holds held
    take takes took taken
    see sees saw seen
    know knows knew known
    become becomes became
    run runs ran
    leave leaves left
    choose chooses chose chosen
    speak speaks spoke spoken
    break breaks broke broken
    drive drives drove driven
    draw draws drew drawn
    pay pays paid
    send sends sent
    lose loses lost
    teach teaches taught
    bring brings brought
    keep keeps kept
    lie lies lay lain
    lay lays laid
    bear bears bore born borne
    fly flies flew flown
    swim swims swam swum
    sing sings sang sung
    eat eats ate eaten
    steal steals stole stolen
    throw throws threw thrown
    man men
    woman women
    person people persons
    foot feet
    tooth teeth
    mouse mice
    goose geese
    reside live lives
"""
SAME = {stem(word): line.split()[0] for line in reversed(_SAME.strip().splitlines()) for word in line.split()}
"""Stem → the word that represents it: irregular forms and near synonyms."""


def keys_of(listed: str) -> frozenset[str]:
    return frozenset(SAME.get(stem(word), stem(word)) for word in listed.split())


GENERIC = (
    keys_of("company firm group team organisation organization product device system city country") | korean.GENERIC
)
"""Nouns that refer, after "the", to the last subject named."""

_OPPOSED_WORDS = """
    buy/sell import/export borrow/lend heat/cool hot/cold warm/cool early/late long/short fast/slow quick/slow
    strong/weak safe/dangerous,unsafe full/empty public/private active/passive,inactive internal/external
    input/output upper/lower top/bottom left/right inside/outside indoor/outdoor arrive/depart enter/exit,leave
    expand/contract,shrink strengthen/weaken accelerate/slow,decelerate attract/repel create/destroy build/demolish
    hire/fire,dismiss appoint/dismiss,remove join/leave love/hate like/dislike easy/difficult,hard simple/complex
    cheap/expensive new/old young/old wet/dry light/dark,heavy thick/thin wide/narrow deep/shallow clean/dirty
    day/night summer/winter morning/evening,night demand/supply asset/liability buyer/seller employer/employee
    landlord/tenant lender/borrower teacher/student parent/child guilty/innocent temporary/permanent
    local/remote,global manual/automatic fixed/variable domestic/foreign,international urban/rural gross/net
    hardware/software acid,acidic/base,basic,alkaline liquid/solid push/pull lock/unlock enable/disable
    add/remove,subtract multiply/divide ascend/descend front/back,rear present/absent near/far odd/even
    single/multiple,married single/double regular/irregular direct/indirect formal/informal official/unofficial
    legal/illegal known/unknown able/unable fair/unfair happy/unhappy,sad likely/unlikely usual/unusual
    visible/invisible possible/impossible perfect/imperfect mature/immature moral/immoral rational/irrational
    efficient/inefficient sufficient/insufficient dependent/independent correct/incorrect,wrong right/wrong
    true/false real/fake alive/dead live/dead peace/war friend/enemy hero/villain victory/defeat win/lose,loss
    success/failure wealth/poverty rich/poor health/disease healthy/sick,unhealthy sharp/blunt,dull smooth/rough
    hard/soft tight/loose high/low tall/short bright/dim,dark loud/quiet noisy/quiet busy/idle brave/cowardly
    generous/stingy polite/rude optimistic/pessimistic optimism/pessimism advantage/disadvantage
    benefit/harm,drawback pro/con improve/worsen,deteriorate better/worse increase/decrease,reduce,decline,fall,drop
    rise/fall,drop,decline grow/shrink,decline gain/lose,loss up/down above/below over/under more/less,fewer
    most/least maximum/minimum max/min major/minor majority/minority first/last,final initial/final begin/end,finish
    start/stop,end,finish open/close,closed opened/closed accept/reject,refuse,decline pass/fail
    approve/reject,deny,disapprove agree/disagree allow/forbid,prohibit,ban,prevent permit/forbid,prohibit
    include/exclude contain/lack support/oppose confirm/deny admit/deny encourage/discourage
    mandatory/optional,voluntary required/optional compulsory/voluntary always/never often/rarely,seldom
    frequently/rarely common/rare,uncommon many/few all/none both/neither everyone/nobody with/without before/after
    earlier/later older/younger,newer oldest/youngest,newest larger/smaller bigger/smaller higher/lower
    longer/shorter faster/slower stronger/weaker cheaper/dearer largest/smallest biggest/smallest highest/lowest
    longest/shortest fastest/slowest best/worst good/bad,poor positive/negative male/female man/woman men/women
    boy/girl father/mother son/daughter brother/sister husband/wife uncle/aunt king/queen prince/princess
    north/south northern/southern east/west eastern/western northeast/southwest northwest/southeast
    revenue/expense,cost,profit,loss profit/loss,revenue income/expense credit/debit deposit/withdraw,withdrawal
    surplus/deficit bull/bear inflation/deflation attack/defend,defense offense/defense victim/perpetrator
    plaintiff/defendant innocent/guilty cause/prevent,cure,effect cause/result treat/cause remember/forget
    ask/answer question/answer give/take,receive send/receive lend/borrow teach/learn upstream/downstream
    inbound/outbound incoming/outgoing inner/outer interior/exterior ancient/modern natural/artificial
    organic/synthetic,inorganic raw/cooked fresh/stale,frozen sweet/sour,bitter voluntary/involuntary
    horizontal/vertical ceo/cfo,cto,coo,chairman chairman/treasurer,secretary author/editor
    producer/director,consumer wholesale/retail minor/major junior/senior inferior/superior quantity/quality
"""


def _opposites() -> frozenset[frozenset[str]]:
    pairs: set[frozenset[str]] = set()
    for entry in (*_OPPOSED_WORDS.split(), *korean.OPPOSED):
        left, _, right = entry.partition("/")
        pairs |= {frozenset({stem(word), stem(opposite)}) for word in left.split(",") for opposite in right.split(",")}
    return frozenset(pair for pair in pairs if len(pair) == 2)


OPPOSITES = _opposites()
"""Pairs of stems that exclude each other in the same place of a sentence."""

PREFIXES = ("un", "non", "in", "im", "ir", "il", "dis", "mis", "de", "anti", "a")
LABELLED = (
    vocabulary("""
    item room stage version table section pump unit gate line platform phase step chapter article page figure
    part level type class group team plant building floor zone area model series number flight route highway act
    clause annex appendix volume issue episode season round quarter grade device machine engine server sensor
    valve tank reactor site store branch office lot batch case file form rule option plan package bus train
    track terminal dock bay hall block tower house district region division department project task job order
    invoice ticket sample test trial experiment group cohort patient player runner car vehicle truck robot node
    cluster channel port lane exit hole bed ward vitamin
""")
    | korean.LABELLED
)
"""Nouns that form a name with the number or letter after them: `Room 12`, `Item B`."""
