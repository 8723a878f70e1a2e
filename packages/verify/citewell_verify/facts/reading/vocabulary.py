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
