"""Analyses a Korean word: its cue, the case that its particle marks, and its key for comparisons."""

import re
from dataclasses import dataclass
from typing import Literal

from citewell_verify.entities.quantities import COUNTERS
from citewell_verify.facts.reading.korean_verbs import SAME, verb_key
from citewell_verify.text.opposites import KOREAN_GRADED, KOREAN_OPPOSED, before_noun
from citewell_verify.text.words import stem, vocabulary

WordKind = Literal["name", "word", "cue", "pronoun", "filler"]

_FIRST, _FINALS, _RIEUL = ord("가"), 28, 8
_HANGUL = re.compile("[가-힣]")
_COUNTER = re.compile("[가-힣]+")
_HAS_DIGIT = re.compile(r"\d")
PHRASES = (
    (r"미합중국", "미국", 0),
    (r"대한민국", "한국", 0),
    (r"(?<![가-힣])제\s(\d{1,3})\s?기(?=[\s의에은는말초,.]|$)", r"제\1기", 0),
    (r"(?<![가-힣])막(?=[차배](?![가-힣]|$)|[차배][는가를의])", "마지막 ", 0),
    (r"(?<![가-힣])첫(?=[차배](?![가-힣]|$)|[차배][는가를의])", "첫 ", 0),
    (r"(?<=[가-힣]{2})[이가은는] 불가(?:능)?(?:하다|합니다)", "할 수 없다", 0),
    (r"(?<=[가-힣])(료|비|요금)([은는이가]) 없(?:다|습니다)", r"\1\2 무료이다", 0),
    (r"뿐(?:만)? ?아니라|못지않|틀림없|수밖에 없|지 않을 수 없|끊임없|변함(?:이|은)? ?없|관계없|상관없", " ", 0),
)
"""Patterns of phrases, with the words that replace them."""
_CASE = re.compile(
    r"(?P<than>보다)$|(?P<source>에서|에게서|한테서|로부터|부터)$|(?P<goal>에게|한테|께|까지|으로|로|에)$"
    r"|(?P<owner>의)$|(?P<subject>이|가|께서)$|(?P<topic>은|는)$|(?P<object>을|를)$"
)
_SCALE_BEHIND = r"(?!조\s?(?:\d[\d,.]*\s?[억만천]|여\s|원|엔|달러|유로|위안|파운드|루블|루피|페소))"
LABEL = re.compile(
    # "하루 3번" says how often.
    r"(?<![\d.,])(?<!하루 )(?<!하루에 )(?<!주일에 )(?<!매일 )(?<!매주 )(?<!매달 )(?<!매년 )(?<!달에 )(?<!년에 )"
    rf"(?:제\d{{1,6}}+|\d{{1,6}}+{_SCALE_BEHIND})"
    r"(?:팀|호기|호|동|층|조|항|절|장|단계|차|번|반|공장|라인|구역|급|형|세대|분기|학년|권|부|과|관|실|군|소대)"
    r"(?:은|는|이|가|을|를|의|에|에서|에는|과|와|도|으로|로|부터|까지|보다)?"
)
_QUOTED = re.compile(r"[가-힣](?:다고|라고|다는|라는)$")
_DUTY = re.compile(r"[가-힣](?:(?P<must>야만?)|도)$")
_ALLOWED = re.compile(r"\s?(?:된다|됩니다|되며|되고|되는|괜찮|좋다|좋습)")
# One syllable and 만 may be a noun: 불만, 대만, 수만. 지만, 다만, 야만 and 기만 are endings.
_ONLY = re.compile(r"(?:(?<=[가-힣]{2})(?<![지다야기랜마십백천])|(?<=[가-힣]까지))(?P<only>만(?:이|은|을|의)?)$")
_AGREED = re.compile(r"기로$"), re.compile(r"\s?(?:하|했|한|할|합|결정|약속|의결|확정)")
_INTENDING = re.compile(r"려고?$"), re.compile(r"\s?(?:하|했|한|할|합)")
_INTENDED = re.compile(r"겠다(?:고|는)$")
_CLAIMED = re.compile(
    r"\s?(?:\S+\s)?(?:주장|의혹|소문|믿|생각|추측|추정|여기|여겨|짐작|의심|설이|속설|낭설|거짓|미신|오해|루머|전해|알려|보도|전망|예상|가정)"
)
_OPENING = re.compile("[가-힣]{2,}(?:에서|에서는|의)$")
_BARE = re.compile("[가-힣]+(?<![히로게데은는한된인던할될을린진운도며고서면지적간])")
_ADVERBS = vocabulary("""
    현재 최근 당시 이번 올해 지난해 작년 내년 오늘 어제 내일 다만 단지 만약 만일 가장 매우 아주 너무 정말 진짜
    이제 지금 아직 이미 다시 먼저 우선 결국
    물론 역시 반면 이후 이전 처음 마침내 사실 실제 전체 모든 모두 각 두 세 네 새 첫 총 약 주요 일부 여러 해당
    이런 그런 저런 어느 그때 이때 여기 거기 여기에서 거기에서
    하나의 대부분의 일부의 다수의 최초의 최대의 최고의 자신의 서로의 다른 또다른
""")
_PARTICLE = "(?:이|가|은|는|을|를|의|에|로|으로|도|만|에는|에서|까지|부터|인|이다|입니다)?$"
_PLAN = re.compile("(?:계획|전망|예상|목표|방침|검토)(?:을|를|은|는|이|가|의|에|로|으로)?")
_CUES = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"(?:않|못하|못했|못한|못합|못할|없|아니|아닌|아닙|아닐|말아|마십|마세)", "denied"),
        (r"(?:안|못)$", "denied"),
        (r"(?:미신|낭설|속설|오해|거짓|허위|헛소문|사실무근|착각)", "denied"),
        (
            r"(?:모르|모릅|모른|몰라|가능성|듯|아마|추정|추측|혹시|수도$|짐작|보인다|보입니다|보이며|보이고|뻔)",
            "possible",
        ),
        (
            rf"(?:예정|계획|전망|예상|목표|방침|검토){_PARTICLE}|(?:예정|계획|전망|예상|기대|목표|검토|추진)(?:하|한|했|되|된|됐|중)",
            "planned",
        ),
        (r"것이다|것입니다|것으로|것이라[고는]|(?:제안|제의|약속|요구|촉구|시도)(?:하|했|한|합|받)", "planned"),
        (
            r"(?:주장|소문|알려|의혹|전해|보도(?:$|에|했|됐|되|된|한|하)|따르면|의하면|한다고|했다고|라고|이라고|다고)",
            "reported",
        ),
        (rf"(?:모든|모두|전부|전체|항상|언제나|매번|각각|누구나|죄다|빠짐없이){_PARTICLE}", "all"),
        (r"전원(?:이|은|도)?$", "all"),  # 전원을 켠다: the power
        (rf"(?:대부분|대다수|대개|대체로){_PARTICLE}", "most"),
        (rf"(?:일부|몇몇|가끔|때때로|이따금|어떤|부분적으로|절반){_PARTICLE}", "some"),
        (rf"(?:거의|드물게|드물다|드문|적은|적게|소수|극소수){_PARTICLE}", "few"),
        (rf"(?:많은|많이|자주|종종|다수|여러|수많은){_PARTICLE}", "many"),
        (rf"(?:오직|단지|유일|유일한|유일하게|오로지){_PARTICLE}", "only"),
        (rf"(?:이상|초과|최소|넘는|넘게|넘어|적어도){_PARTICLE}", "over"),
        (rf"(?:이하|미만|이내|최대|안에){_PARTICLE}|못 미치|많아야|기껏해야|길어야", "under"),
        (r"(?:이전(?:에|의|까지|부터)?|전|전에|앞서|까지|직전에?|먼저)$", "before"),
        (r"(?:이후(?:에|의|로|부터)?|후|뒤|후에|뒤에|다음에|부터|직후에?|나중에|늦게)$", "after"),
        (r"(?:경우|면$|제외|외에)", "if"),
    )
)

CLOCK = re.compile(
    r"(오전|오후|새벽|아침|낮|저녁|밤)\s?(\d{1,2})(?:시(?!간)(?:\s?(\d{1,2})분|\s?(반))?|:(\d{2}))"
    r"|(?<!\d)(1[3-9]|2[0-4])시(?!간)(?:\s?(\d{1,2})분)?"
)
"""A time of day that is certainly before or after noon: `오후 6시 30분`, `18시`."""
_JOINED_VERB = (
    r"(?:(?<=[가-힣]되어)|(?<=[가-힣]되어서)|(?<=[가-힣]{2}하여)|(?<=[가-힣]{2}해서)"
    r"|(?<=[가-힣]{2}해)(?<!지난해)(?<!이듬해)(?<!다음해)(?<![자수공][연중]재해))\s"
    # 시작해 왔다 and 보관해 둔다 are one verb.
    r"(?!있|계[시신]|줍|준|주[었고며는어]|줬|줄\s|본다|보았|봤|보[고며는]|두[었고며는]|둔|둬|놓|왔|온\s|온다|오[고며는]\s"
    r"|갔|간다|가[고며는]\s|나[가갔간]|버[렸리린]|냈|낸|달라|드[렸리립]|야\s)"
)
BETWEEN = rf"(?<=[가-힣][고며])(?<![다라냐자]고)\s(?!있|싶|나서|난\s|말)|(?<=지만)\s|(?<=는데)\s|{_JOINED_VERB}"
"""A pattern for the boundary of two clauses."""
_BEHIND = re.compile(
    r"(?:으로부터|에서부터|에게서|에서는|에서|으로는|으로|로는|로|부터는|부터|까지는|까지|보다는|보다|에게|에는|에도|에"
    r"|이었습니다|이었다|였습니다|였다|입니다|이며|이고|이다|이라고|다|이나|나|은|는|이|가|을|를|의|도|만|과|와|째|인|여)$"
)
_COUNTED = re.compile("(?:씩|째|쯤|짜리|마다|당|뿐|들|간|이상|이하|미만|정도|밖에)$")

PRONOUNS = vocabulary("""
    그 그는 그가 그의 그녀 그녀는 그녀가 그녀의 그들 그들은 그들의 이것 이것은 그것 그것은 이는 이를 이들 이들은
    당사 동사 해당 본 우리
""")
FILLERS = vocabulary("""
    및 등 또는 또한 그리고 그러나 하지만 그래서 따라서 한편 즉 수 때 것 것은 것이 것을 있다 있는 있습니다 있으며
    있고 있었다 있었습니다 있어 하다 하는 하고 하며 하여 한 할 해 했다 했습니다 한다 합니다 하였다 된 된다 됩니다
    되는 되어 되었다 됐다 되었습니다 이다 입니다 인 이며 대한 대해 대하여 위한 위해 위하여 따라 따른 통해 통한 의한
    의해 관한 관해 더 매우 가장 다른 같은 바 중 내 간 씨 주식회사
""")
GENERIC = vocabulary("회사 그룹 제품 기업 도시 나라")
LABELLED = vocabulary("""
    항목 방 단계 버전 표 절 펌프 장치 게이트 노선 장 조 항 호 쪽 그림 부 수준 유형 등급 조 팀 공장 동 층 구역 모델
    호기 라인 회차 시즌 분기 기계
""")
"""Nouns that form a name with the number after them."""

PREFIXES = ("불", "비", "무", "미", "부", "몰", "탈", "반")
_OPPOSED_KEYS = frozenset(
    frozenset({verb_key(f"{word}다"), verb_key(f"{opposite}다")}) for word, opposite in KOREAN_OPPOSED
)

_BEFORE_NOUN = {before_noun(word): verb_key(f"{word}다") for pair in KOREAN_GRADED for word in pair}
_OTHER_HALF = {"밤": (12, 1, 2, 3, 4, 5), "낮": (10, 11)}  # hours before noon: 밤 1시, 낮 11시


@dataclass(frozen=True, slots=True)
class Word:
    """A word: `key` is used in comparisons, `cue` is the class of its cue, `case` the role that its particle marks."""

    kind: WordKind
    key: str
    cue: str = ""
    case: str = ""


@dataclass(frozen=True, slots=True)
class EndingCue:
    """A verb ending that shows how the verb is asserted."""

    text: str
    cue: str


def is_korean(word: str) -> bool:
    return _HANGUL.search(word) is not None


def analyse_word(folded: str, following: str = "") -> Word:
    if folded in PRONOUNS:
        return Word("pronoun", folded)
    for pattern, cue in _CUES:
        if pattern.match(folded):
            return Word("cue", cue, cue)
    if folded in FILLERS:
        return Word("filler", folded)
    kind: WordKind = "name" if _HAS_DIGIT.search(folded) else "word"
    if folded in SAME:
        return Word(kind, SAME[folded])  # such as 날마다, which is no verb
    if verb := verb_key(folded, following):
        return Word("filler" if verb in FILLERS else kind, verb)
    key = stem(folded)
    return Word(kind, SAME.get(key, key), case=case_of(folded))


def starts_with_topic(sentence: str) -> bool:
    """Return whether a sentence begins with its topic: `강릉에서 가장 …`, `울산 시장은 …`, `민수의 …`.

    A noun without a particle counts if the topic follows it; adverbs and words with a verb ending do not count.
    """
    first, _, rest = sentence.partition(" ")
    if _OPENING.search(first):
        return first not in _ADVERBS
    second = rest.partition(" ")[0]
    return first not in _ADVERBS and _BARE.fullmatch(first) is not None and case_of(second) in ("topic", "subject")


def case_of(word: str) -> str:
    """Return the case that the particle of a word marks; the form of a particle depends on the letter before it.

    송다은 has no particle: after a vowel it would be 는.
    """
    match = _CASE.search(word)
    if match is None or not match.start():
        return ""
    before = word[match.start() - 1]
    if "가" <= before <= "힣":
        closed = (ord(before) - _FIRST) % _FINALS != 0
        if match[0] in ("은", "이", "을", "는", "가", "를") and closed != (match[0] in ("은", "이", "을")):
            return ""
    return match.lastgroup or ""


def case_of_value(behind: str) -> str:
    counter = _COUNTER.match(behind)
    return case_of(f" {counter[0]}") if counter else ""


def counter_of(behind: str) -> str:
    """Return the counter with which `behind` begins, the same for all synonyms (`명` and `사람`); empty if unknown."""
    run = _COUNTER.match(behind.lstrip()[:6])
    return COUNTERS.get(_counter(run[0]), "") if run else ""


def is_particle(word: str) -> bool:
    """Return whether a word is the ending of the number before it: `52%의`, `1951년에`."""
    return _BEHIND.fullmatch(word) is not None and word not in ("부터", "까지", "보다")


def attached_word(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the range of a word that is written together with a number: `5월까지`, `2조 원이었다는 소문`."""
    if text[max(start, end - 2) : end] in ("부터", "까지"):
        return end - 2, end
    return (start, end) if ending_cue(text[start:end], text, end) else None


def is_counter(word: str) -> bool:
    return _counter(word) in COUNTERS


def _counter(word: str) -> str:
    """Return a counter without its endings: `알` of `알씩`, `번` of `번에`."""
    shorter = word
    for ending in (_BEHIND, _COUNTED, _BEHIND):
        if shorter in COUNTERS:
            break
        shorter = ending.sub("", shorter)
    return shorter


def minutes(clock: re.Match[str]) -> int:
    half, hour, past, and_half, behind, late, late_past = clock.groups()
    if late:
        return int(late) * 60 + int(late_past or 0)
    before_noon = int(hour) in _OTHER_HALF.get(half, ())
    hours = int(hour) % 12 + (12 if half in ("오후", "낮", "저녁", "밤") and not before_noon else 0)
    return hours * 60 + (30 if and_half else int(past or behind or 0))


def ending_cue(word: str, text: str, end: int) -> EndingCue | None:
    """Return the cue in the verb ending before `text[end:]`: `…했다고 주장`, `…겠다고`, `…다는 의혹`, `…해야`."""
    if duty := _DUTY.search(word):
        cue = "obliged" if duty["must"] else "possible" if _ALLOWED.match(text, end) else ""
        return EndingCue(duty[0], cue) if cue else None
    for ending, behind in (_AGREED, _INTENDING):
        if (match := ending.search(word)) and match.start() and behind.match(text, end):
            return EndingCue(match[0], "planned")
    if not _QUOTED.search(word):
        return None
    if _INTENDED.search(word):
        return EndingCue(word[-3:], "planned")
    return EndingCue(word[-2:], "reported") if _CLAIMED.match(text, end) else None


def are_opposed(left: str, right: str) -> bool:
    """Return whether two verbs or adjectives in any form exclude each other: 닫는다 and 열지, 빠르게 and 느리게, 긴 and
    짧다."""
    return frozenset(map(_predicate_key, (left, right))) in _OPPOSED_KEYS


def _predicate_key(key: str) -> str:
    """Return the key of the predicate for an adverb such as 빠르게 and for the form of an adjective before a noun."""
    if key.endswith("게") and len(key) > 1:
        return verb_key(f"{key[:-1]}다")
    return _BEFORE_NOUN.get(key, key)


def only_particle(word: str) -> str:
    """Return the particle 만 of a word with the letters after it: `만` of `직원만`, `만이` of `직원만이`; else ""."""
    match = _ONLY.search(word)
    return match["only"] if match else ""


def is_plain_noun(word: str, before: str) -> bool:
    """Return whether a word for a plan is a noun, as in `매출 목표를`; after `할` it announces a plan."""
    return _PLAN.fullmatch(word) is not None and before[-1] not in "할될갈올줄볼킬릴칠질낼둘쓸을날"


def is_future(word: str) -> bool:
    """Return whether a word gives a following 것이다 the meaning of a future: 할, 갈, 될."""
    return "가" <= word[-1] <= "힣" and (ord(word[-1]) - _FIRST) % _FINALS == _RIEUL
