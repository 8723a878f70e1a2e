"""Words that decide what a sentence asserts, English and Korean: the tables behind `domain.facts.tokens`."""

import re

from domain.words import stem, vocabulary

CUES = {
    word: kind
    for kind, listed in (
        ("denied", "not no never none neither nor nobody nothing nowhere without hardly barely scarcely non myth false"),
        ("possible", "may might could possibly perhaps maybe probably potentially presumably likely conceivably"),
        (
            "planned",
            "planned expect expects expected anticipate anticipates anticipated forecast forecasts projected proposed scheduled"
            " will would shall prospective considering",
        ),
        ("obliged", "must required mandatory compulsory"),
        ("advised", "should ought recommended"),
        (
            "reported",
            "allegedly alleged alleges reportedly rumored rumoured rumor rumour claims claimed supposedly purportedly purported"
            " believed thought supposed accuses accused contends apparently seemingly seems suggests according",
        ),
        ("all", "all every each entire whole always everyone everything"),
        ("most", "most majority"),
        ("some", "some several certain sometimes occasionally partly partially someone something"),
        ("few", "few rarely seldom little"),
        ("many", "many often frequently numerous much"),
        ("only", "only exclusively solely merely"),
        ("over", "over above exceed exceeds exceeded exceeding minimum least beyond"),
        ("under", "under below maximum within fewer less"),
        ("before", "before prior until till preceding previously ago"),
        ("after", "after since following subsequently afterwards"),
        ("if", "if unless provided except excluding"),
    )
    for word in listed.split()
}
"""Word → what it does to the sentence."""

KOREAN_CUES = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"(?:않|못하|못했|못한|못합|못할|없|아니|아닌|아닙|아닐|말아|마십|마세)", "denied"),
        (r"(?:안|못)$", "denied"),
        (r"(?:미신|낭설|속설|오해|거짓|허위|헛소문)", "denied"),
        (r"(?:모르|모릅|모른|가능성|듯|아마|추정|추측|혹시|수도$|짐작|보인다|보입|보이)", "possible"),
        (r"(?:예정|계획|전망|예상|기대|목표|방침|것이다|것입니다|것으로|검토|추진)", "planned"),
        (r"(?:주장|소문|알려|알려진|의혹|전해|보도|따르면|의하면|한다고|했다고|라고|이라고|다고)", "reported"),
        (r"(?:모든|모두|전부|전체|항상|언제나|매번|각각|누구나|전원)(?:이|가|은|는|을|를|의|에)?$", "all"),
        (r"(?:대부분|대다수)", "most"),
        (r"(?:일부|몇몇|가끔|때때로|어떤|부분적)", "some"),
        (r"(?:거의|드물|소수)", "few"),
        (r"(?:많은|많이|자주|다수|여러)", "many"),
        (r"(?:오직|단지|유일|오로지)", "only"),
        (r"(?:이상|초과|최소|넘는|넘게|넘어|적어도)", "over"),
        (r"(?:이하|미만|이내|최대|못 미치|안에)", "under"),
        (r"(?:이전|전에|앞서|까지$|직전)", "before"),
        (r"(?:이후|후에|뒤에|다음에|부터$|직후)", "after"),
        (r"(?:경우|면$|제외|외에)", "if"),
    )
)

QUANTIFIERS = frozenset({"all", "most", "some", "few", "many", "only"})
BOUNDS = frozenset({"over", "under", "before", "after"})

PRONOUNS = vocabulary("""
    he she it they him her them his hers its their theirs this that these those one ones i we you us our your my
    그 그는 그가 그의 그녀 그녀는 그녀가 그녀의 그들 그들은 그들의 이것 이것은 그것 그것은 이는 이를 이들 이들은 당사 동사 해당 본 우리
""")
GENERIC = vocabulary("company firm group team organisation organization product device system city country 회사 그룹 제품 기업 도시 나라")
"""Nouns behind "the" that stand for the subject that was named last."""

FILLERS = vocabulary("""
    a an the is are was were be been being am do does did done have has had having of in on at for to from by with as into
    onto per via than then so such there here and or but also too both either while which who whom whose where when that
    about around some's s t d ll re ve m up out off down upon during between among through throughout across its it's can
    however therefore moreover furthermore thus hence well very more quite rather indeed again own same mr mrs ms sir
    additionally despite although specifically example yes yea yeah no, furthermore likewise similarly meanwhile instead
    generally usually typically commonly largely mainly mostly overall finally example addition
    inc corp corporation ltd llc plc co company's limited according
    및 등 또는 또한 그리고 그러나 하지만 그래서 따라서 한편 즉 수 때 것 것은 것이 것을 있다 있는 있습니다 있으며 있고 있었다 있었습니다 있어
    하다 하는 하고 하며 하여 한 할 해 했다 했습니다 한다 합니다 하였다 된 된다 됩니다 되는 되어 되었다 됐다 되었습니다 이다 입니다 인 이며
    대한 대해 대하여 위한 위해 위하여 따라 따른 통해 통한 의한 의해 관한 관해 더 매우 가장 다른 같은 바 중 내 간 씨 주식회사
""") - {"according"}

RELATIONS = vocabulary("than by to from against over of for")
"""Small words between two things that are not the same either way round."""

_SAME = """
    buy buys bought purchase purchased purchases acquire acquired acquires acquisition
    begin begins began begun start starts started commence commenced
    end ends ended finish finished finishes conclude concluded
    big large huge
    small little tiny
    firm company corporation business enterprise
    car cars automobile vehicle
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
"""Stem → one word for all that are taken for the same: forms that no rule joins, and near synonyms."""

_OPPOSED_WORDS = """
    buy/sell import/export borrow/lend heat/cool hot/cold warm/cool early/late long/short fast/slow quick/slow strong/weak
    safe/dangerous,unsafe full/empty public/private active/passive,inactive internal/external input/output upper/lower
    top/bottom left/right inside/outside indoor/outdoor arrive/depart enter/exit,leave expand/contract,shrink
    strengthen/weaken accelerate/slow,decelerate attract/repel create/destroy build/demolish hire/fire,dismiss
    appoint/dismiss,remove join/leave love/hate like/dislike easy/difficult,hard simple/complex cheap/expensive new/old
    young/old wet/dry light/dark,heavy thick/thin wide/narrow deep/shallow clean/dirty day/night summer/winter
    morning/evening,night demand/supply asset/liability buyer/seller employer/employee landlord/tenant lender/borrower
    teacher/student parent/child guilty/innocent temporary/permanent local/remote,global manual/automatic fixed/variable
    domestic/foreign,international urban/rural gross/net hardware/software acid,acidic/base,basic,alkaline liquid/solid push/pull
    lock/unlock enable/disable add/remove,subtract multiply/divide ascend/descend front/back,rear present/absent near/far
    odd/even single/multiple,married single/double regular/irregular direct/indirect formal/informal official/unofficial
    legal/illegal known/unknown able/unable fair/unfair happy/unhappy,sad likely/unlikely usual/unusual visible/invisible
    possible/impossible perfect/imperfect mature/immature moral/immoral rational/irrational efficient/inefficient
    sufficient/insufficient dependent/independent correct/incorrect,wrong right/wrong true/false real/fake alive/dead
    live/dead peace/war friend/enemy hero/villain victory/defeat win/lose,loss success/failure wealth/poverty rich/poor
    health/disease healthy/sick,unhealthy sharp/blunt,dull smooth/rough hard/soft tight/loose high/low tall/short
    bright/dim,dark loud/quiet noisy/quiet busy/idle brave/cowardly generous/stingy polite/rude optimistic/pessimistic
    optimism/pessimism advantage/disadvantage benefit/harm,drawback pro/con improve/worsen,deteriorate better/worse
    increase/decrease,reduce,decline,fall,drop rise/fall,drop,decline grow/shrink,decline gain/lose,loss up/down
    above/below over/under more/less,fewer most/least maximum/minimum max/min major/minor majority/minority
    first/last,final initial/final begin/end,finish start/stop,end,finish open/close,closed opened/closed
    accept/reject,refuse,decline approve/reject,deny,disapprove agree/disagree allow/forbid,prohibit,ban,prevent
    permit/forbid,prohibit include/exclude contain/lack support/oppose confirm/deny admit/deny encourage/discourage
    mandatory/optional,voluntary required/optional compulsory/voluntary always/never often/rarely,seldom frequently/rarely
    common/rare,uncommon many/few all/none both/neither everyone/nobody with/without before/after earlier/later
    older/younger,newer oldest/youngest,newest larger/smaller bigger/smaller higher/lower longer/shorter faster/slower
    stronger/weaker cheaper/dearer largest/smallest biggest/smallest highest/lowest longest/shortest fastest/slowest best/worst
    good/bad,poor positive/negative male/female man/woman men/women boy/girl father/mother son/daughter
    brother/sister husband/wife uncle/aunt king/queen prince/princess north/south northern/southern east/west eastern/western
    northeast/southwest northwest/southeast revenue/expense,cost,profit,loss profit/loss,revenue income/expense credit/debit
    deposit/withdraw,withdrawal surplus/deficit bull/bear inflation/deflation attack/defend,defense offense/defense
    victim/perpetrator plaintiff/defendant innocent/guilty cause/prevent,cure,effect cause/result treat/cause
    remember/forget ask/answer question/answer give/take,receive send/receive lend/borrow teach/learn
    upstream/downstream inbound/outbound incoming/outgoing inner/outer interior/exterior ancient/modern
    natural/artificial organic/synthetic,inorganic raw/cooked fresh/stale,frozen sweet/sour,bitter
    voluntary/involuntary horizontal/vertical ceo/cfo,cto,coo,chairman chairman/treasurer,secretary author/editor
    producer/director,consumer wholesale/retail minor/major junior/senior inferior/superior quantity/quality
    증가/감소,하락 상승/하락,감소 늘/줄 늘어/줄어 높/낮 크/작 많/적 길/짧 넓/좁 빠르/느리 무겁/가볍 강하/약하 두껍/얇 깊/얕 밝/어둡
    덥/춥 뜨겁/차갑 가깝/멀 쉽/어렵 비싸/싸,저렴 젊/늙 좋/나쁘 새로운/오래된,낡은 이상/이하,미만 초과/미만,이하 이전/이후 전/후 앞/뒤
    위/아래 왼쪽/오른쪽 안/밖 내부/외부 최대/최소 최고/최저 최초/최후,마지막 처음/마지막 첫/마지막 허용/금지 허가/금지,불허 승인/거부,거절,반려
    포함/제외 가능/불가능,불가 찬성/반대 동의/반대 성공/실패 의무/선택,자율 필수/선택 남성/여성 남자/여자 승리/패배 시작/종료,끝 개시/종료
    개장/폐장 개점/폐점 입학/졸업 입사/퇴사 출발/도착 구매/판매 구입/판매 매수/매도 수입/수출,지출 수출/수입 흑자/적자 이익/손실 매출/이익,손실,비용 공격/수비,방어
    아침/저녁 오전/오후 낮/밤 여름/겨울 봄/가을 동쪽/서쪽 남쪽/북쪽 동부/서부 남부/북부 아버지/어머니 아들/딸 형/동생 남편/아내
    확대/축소 강화/약화,완화 개선/악화 인상/인하 합법/불법 유료/무료 유리/불리 공개/비공개 정상/비정상 정규/비정규 영구/임시 고정/변동
    국내/국외,해외 직접/간접 자동/수동 공식/비공식 유효/무효 찬/반 생산/소비 수요/공급 채용/해고 임명/해임 설치/철거 연결/분리 추가/삭제
    열/닫 켜/끄 사/팔 들어가/나가 올라가/내려가 오르/내리 올랐/내렸 늘었/줄었 안전/위험 건강/질병 대표/이사,감사 회장/사장 원인/결과
"""


def _opposites() -> frozenset[frozenset[str]]:
    pairs: set[frozenset[str]] = set()
    for entry in _OPPOSED_WORDS.split():
        left, _, right = entry.partition("/")
        pairs |= {frozenset({stem(one), stem(other)}) for one in left.split(",") for other in right.split(",")}
    return frozenset(pair for pair in pairs if len(pair) == 2)


OPPOSITES = _opposites()
"""Pairs of stems that exclude each other in the same place of a sentence."""

PREFIXES = ("un", "non", "in", "im", "ir", "il", "dis", "mis", "de", "anti", "a")
KOREAN_PREFIXES = ("불", "비", "무", "미", "부", "몰", "탈", "반")
LABELLED = vocabulary("""
    item room stage version table section pump unit gate line platform phase step chapter article page figure part level type
    class group team plant building floor zone area model series number flight route highway act clause annex appendix volume
    issue episode season round quarter grade device machine engine server sensor valve tank reactor site store branch office
    lot batch case file form rule option plan package bus train track terminal dock bay hall block tower house district
    region division department project task job order invoice ticket sample test trial experiment group cohort patient
    player runner car vehicle truck robot node cluster channel port lane exit hole bed ward
    항목 방 단계 버전 표 절 펌프 장치 게이트 노선 장 조 항 호 쪽 그림 부 수준 유형 등급 조 팀 공장 동 층 구역 모델 호기 라인 회차 시즌 분기 기계
""")
"""Nouns that a number or letter behind them makes a name: `Room 12`, `Item B`."""
