"""Analyses a question: its kind, its parts, and whether it is a question at all (V8)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from citewell_verify.entities.dates import find_dates
from citewell_verify.entities.names import find_names
from citewell_verify.entities.numbers import find_quantities
from citewell_verify.entities.quantities import CURRENCIES, UNITS
from citewell_verify.question.asked_nouns import Kind, asked_noun
from citewell_verify.text.words import content_stems, vocabulary, words

_MOST_CHARS = 2_000  # characters of a question: a longer one contains other texts
_MOST_PARTS = 8

_CUES: tuple[tuple[Kind, str], ...] = (
    (
        "when",
        r"\bwhen\b|언제|요일|몇 ?[년월일시](?! ?(?:간|동안|이나))|어느 ?해"
        r"|\bwann\b|\bquand\b|\bcuándo\b|いつ|什么时候|何时",
    ),
    ("amount", r"\bhow much\b|얼마(?!나)|\bwie ?viel\b|\bcombien\b|\bcuánto\b|いくら|多少"),
    (
        "number",
        r"\bhow (?:many|long|old|far|often|large|big|high|tall|fast|deep|wide|heavy|hot|cold)\b"
        r"|몇|며칠|비율|얼마나|\bwie (?:viele|lange|hoch|groß|alt|oft|weit)\b|\bcuántos\b",
    ),
    ("who", r"\bwho(?:m|se)?\b|누구|누가|\bwer\b|\bwem\b|\bqui\b|\bquién\b|誰|谁"),
    ("where", r"\bwhere\b|어디|\bwo\b|\boù\b|\bdónde\b"),
    ("why", r"\bwhy\b|왜|\bwarum\b|\bpourquoi\b|\bpor qué\b"),
    ("decision", r"^\W*(?:is|are|was|were|do|does|did|can|could|may|must|has|have|had|will|would|should)\b"),
    (
        "definition",
        r"\bwhat (?:is|are|was|were) (?:an? |the )?[\w .'-]{1,60}\??$|\bdefin|\bmean(?:s|t)?\b|란 ?무엇|이란",
    ),
    ("how", r"\bhow\b|어떻게|\bwie\b|\bcomment\b|\bcómo\b"),
    ("which", r"\b(?:which|what)\b|어떤|어느|무슨|무엇|\bwelche[rsnm]?\b|\bwas\b|\bquel(?:le)?s?\b|\bqué\b"),
    ("decision", r"나요|인가|습니까"),
)
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _CUES
)
"""The first match is the kind. For "what" and "which" the noun beside them says the kind (`asked_noun`)."""

_SUMMARY = re.compile(
    r"(?:^|[?.!] )\W*(?:please |can you |could you )?(?:summari[sz]e|sum up"
    r"|give (?:me |us )?(?:an?|the) (?:short |brief )?(?:summary|overview|(?:key|main) points))\b"
    r"|^\W*what is [^?]{1,80} about\W*$"
    r"|(?:요약|간추려|정리)(?:을|해서)? ?(?:해|부탁|주)\S{0,8}(?: ?(?:주|달라|드려)\S{0,6})?\W*$"
    r"|(?:주요 ?내용|핵심|요점)[은이]? ?(?:뭐|뭔|무엇)",
    re.IGNORECASE,
)
_CHANGES = re.compile(r"\b(?:chang|differ|compar)\w*|바뀌|바뀐|달라|변경|차이|비교", re.IGNORECASE)
_TELL = re.compile(r"\b(?:tell|know|say|show|explain|give|send)\b", re.IGNORECASE)
_CAUSE = re.compile(
    r"\b(?:because|since|due|owing|caus\w+|reason|so that|in order|thus|therefore|as a result"
    r"|result\w*|lead|led|to \w+)\b|때문|위해|므로|니까|으로 인해|이유|원인",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:after|before|during|until|once|annual\w*|daily|weekly|monthly|yearly|every|morning|noon|evening|night|today"
    r"|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|within|spring|summer|autumn|winter|immediately|always"
    r"|never)\b|\d ?(?::\d\d|am|pm)\b"
    r"|[월화수목금토일]요일|매[년월일주]|때|이후|이전|동안|전까지|하루|이틀|사흘|나흘|열흘|보름|\d ?[년월일시분]",
    re.IGNORECASE,
)
_SPANS = frozenset(("time", "months"))
_DATE_UNITS = vocabulary("년 월 일")
# A date with a particle, as in 7월 12일에, tells when something happened.
_DATE_OF_NOUN = re.compile(r"(?:(?:19|20)\d\d년 ?)?\d{1,2}월 ?\d{1,2}일(?= [가-힣]+)")
_UNIT = re.compile(r"[^\W\d_]+|[%€$£¥₩]")
_IN_NAME = re.compile(r"[^\W\d_][-–]$")  # before a number: "COVID-19" counts nothing
_CALENDAR = re.compile(r"\b(?:year|century|decade)\b|몇 ?년(?! ?(?:간|동안|이나))|어느 ?해", re.IGNORECASE)
_CONTACTS = (
    (re.compile(r"mail|메일", re.IGNORECASE), re.compile(r"[\w.+-]+@[\w-]+\.\w")),
    (re.compile(r"\b(?:website|homepage)\b|홈페이지", re.IGNORECASE), re.compile(r"https?://|www\.")),
    (
        re.compile(r"phone|\b(?:mobile|fax|hotline)\b|전화|팩스", re.IGNORECASE),
        re.compile(r"(?<![\d.,])\+?\(?\d[\d() /-]{4,}\d(?![\d.,%])"),
    ),
)
"""What a question for a contact asks for, and the form of that; of another question any form will do."""
_MEASURES = (
    (
        re.compile(
            r"\bhow much\b|\b(?:price|cost|fee|rent|salary|cheap\w*|dear\w*|expensive)\b"
            r"|얼마(?!나)|가격|단가|요금|비용|비싼|비싸|저렴|(?<=\s)싼",
            re.IGNORECASE,
        ),
        "money",
    ),
    (re.compile(r"\bpercent|\bper cent|%|퍼센트|비율", re.IGNORECASE), "percent"),
    (
        re.compile(
            r"\bhow (?:long|old)\b|\b(?:long|short|old)est\b"
            r"|며칠|몇 ?(?:일|주|달|개월|시간|분)|얼마나 (?:오래|걸)|기간",
            re.IGNORECASE,
        ),
        "time months length",
    ),
    (re.compile(r"\bhow far\b", re.IGNORECASE), "length time months"),
    (re.compile(r"\bhow (?:tall|deep|wide|high)\b", re.IGNORECASE), "length"),
    (re.compile(r"\bhow heavy\b|\bweigh(?:s|t|ts)?\b", re.IGNORECASE), "mass"),
)
"""The measure that a question for an amount or a number asks for: dimensions of `citewell_verify.entities.quantities`,
or any currency for money.
"""
_VAGUE = re.compile(
    r"\b(?:several|half|dozens?|hundreds?|thousands?|a few|both|none|no one|free|unlimited|every|each|daily|weekly"
    r"|monthly|annually|once|twice)\b|여러|절반|무료|모든|매[년월일주]",
    re.IGNORECASE,
)
_GREETING = vocabulary("""
    hi hello hey hiya howdy greetings thanks thank thx ty cheers please ok okay yes no cool great nice good bye goodbye
    morning afternoon evening night day there everyone all you so very much lot a test testing ping
    안녕 안녕하세요 안녕하십니까 감사합니다 고마워 고마워요 고맙습니다 네 예 아니요 수고하세요 테스트
    hallo danke bonjour salut merci hola gracias こんにちは ありがとう 你好 谢谢 guten tag morgen bitte
""")
_ENGLISH = "what|which|who|whom|whose|when|where|why|how"
_KOREAN = "무엇|무슨|누구|누가|언제|어디|왜|몇|며칠|얼마|어떤|어떻게"
_ASKS = re.compile(rf"[?？]|\b(?:{_ENGLISH})\b|{_KOREAN}", re.IGNORECASE)
_JOINS = re.compile(
    r"[?？]\s+|;\s+"
    # A run of spaces is matched only from its first space.
    rf"|(?:,|(?<!\s))\s++(?:and|und|et|y)\s+(?=(?:also\s+)?(?:{_ENGLISH}|in what|in which|wann|wer|wo|wie|was)\b)"
    rf"|,\s+(?=(?:{_ENGLISH})\b)|(?<=[고며])(?:\s*+,)?\s++(?=[^?？]*(?:{_KOREAN}))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """One thing that a question asks: its words, its kind, and the content stems of its topic."""

    text: str
    kind: Kind
    stems: tuple[str, ...]


@lru_cache(maxsize=256)
def parts_of(question: str) -> tuple[QuestionPart, ...]:
    """Return the parts of the question: "who founded it, and when did it close?" has two.

    A question without a second question word is one part. Linear; only the beginning of a long question is read.
    """
    pieces = [piece for piece in _pieces(question[:_MOST_CHARS]) if content_stems(piece) or _ASKS.search(piece)]
    asked = [
        QuestionPart(" ".join(piece.split()), kind_of(piece), tuple(dict.fromkeys(question_stems(piece))))
        for piece in pieces
    ]
    return tuple(asked[:_MOST_PARTS])


def question_stems(question: str, *, dated: bool = False) -> list[str]:
    """Return the stems by which an answer is searched.

    The date in 2023년 7월 12일 사고의 사망자는 says which accident is meant: it helps to find the passage (`dated`),
    not the sentence. 년, 월 and 일 are parts of a date's figures in any case. "One" in "one parking sign" or "what can
    one get" counts nothing that an answer repeats.
    """
    stems = content_stems(question)
    if not dated and len(left := content_stems(_DATE_OF_NOUN.sub(" ", question))) > 1:
        stems = left
    pronoun = "" if "1" in question else "1"
    return [
        stem
        for before, stem in pairwise(["", *stems])
        if stem != pronoun and not (stem in _DATE_UNITS and before.isdigit())
    ] or stems


def kind_of(question: str) -> Kind:
    """The kind of the first question word: "what do I do when …" asks for no time."""
    kinds = kinds_of(question)
    return kinds[0] if kinds else "matter"


@lru_cache(maxsize=256)
def kinds_of(question: str) -> tuple[Kind, ...]:
    """Return all kinds of things that the question asks for, in order: "who and until when" has two."""
    starts: dict[Kind, int] = {}
    if (noun := asked_noun(question[:_MOST_CHARS])) and noun.kind:
        starts[noun.kind] = noun.start
    for kind, cue in _KINDS:
        if match := cue.search(question[:_MOST_CHARS]):
            starts[kind] = min(match.start(), starts.get(kind, match.start()))
    asked = sorted(starts, key=starts.__getitem__)
    # "Can you tell me when …" asks when.
    if asked[:1] == ["decision"] and len(asked) > 1 and _TELL.search(question):
        asked = asked[1:]
    return tuple(asked)


def whole_asked(question: str) -> Literal["summary", "changes"] | None:
    """Return whether the question may ask about whole documents: for a summary, or for the changes from one document to
    another, if it asks for no number, date, person or place."""
    if _SUMMARY.search(question[:_MOST_CHARS]):
        return "summary"
    asks_how = kind_of(question) in ("which", "how", "definition", "matter")
    return "changes" if asks_how and _CHANGES.search(question[:_MOST_CHARS]) else None


def is_greeting(question: str) -> bool:
    said = words(question)
    return len(said) <= 6 and all(word in _GREETING for word in said) and not re.search(r"\d", question)


def has_kind(kind: Kind, text: str, question: str) -> bool | None:
    """Return whether `text` has a thing of the kind that is asked for, which the question does not name itself.

    None if the form does not show it, as for a definition or a manner, a number without the unit that is asked for, or
    a person, who may be "the head of finance".
    """
    match kind:
        case "contact":
            asked = [form for cue, form in _CONTACTS if cue.search(question)] or [form for _, form in _CONTACTS]
            dates = find_dates(text)
            return any(
                not any(date.start <= match.start() < date.end for date in dates)
                for form in asked
                for match in form.finditer(text)
            )
        case "when":
            if _CALENDAR.search(question):
                return _new_date(text, question)
            # The head of a column has the unit of its cells: "Delivery days: 10".
            is_span = not _SPANS.isdisjoint(_dimensions(text)) and _new_number(text, question)
            return _new_date(text, question) or is_span or _TIME.search(text) is not None
        case "amount" | "number":
            if not _new_number(text, question, exact=kind == "amount"):
                return _VAGUE.search(text) is not None
            return True if _is_measured(text, question) else None
        case "who" | "where":
            if not any(map(str.isalpha, text)):
                return False
            known = frozenset(words(question))
            names = [name for name in find_names(text) if name.sure]
            return any(not known.issuperset(words(name.text)) for name in names) or None
        case "why":
            return _CAUSE.search(text) is not None or None
        case _:
            return None


def _is_measured(text: str, question: str) -> bool:
    """True if the text has a unit of the measure that the question asks for, or if any number may answer it."""
    asked = next((dimensions for cue, dimensions in _MEASURES if cue.search(question)), "")
    if not asked:
        return True
    return not _dimensions(text).isdisjoint(CURRENCIES if asked == "money" else asked.split())


def _dimensions(text: str) -> set[str]:
    units = {UNITS[unit][0] for unit in _UNIT.findall(text.casefold()) if unit in UNITS}
    return units | {quantity.dimension for quantity in find_quantities(text)}


def _new_date(text: str, question: str) -> bool:
    known = {(date.years, date.month, date.day) for date in find_dates(question)}
    return any((date.years, date.month, date.day) not in known for date in find_dates(text))


def _new_number(text: str, question: str, *, exact: bool = False) -> bool:
    """True if the text has a number that the question lacks; "one of the first" is no exact amount."""
    known = {quantity.value for quantity in find_quantities(question)}
    dated = {place for date in find_dates(text) for place in range(date.start, date.end)}
    fresh = [
        quantity for quantity in find_quantities(text) if quantity.value not in known and quantity.start not in dated
    ]
    return any(
        not (exact and number.weak) and not _IN_NAME.search(text[max(0, number.start - 2) : number.start])
        for number in fresh
    )


def _pieces(question: str) -> Iterator[str]:
    start, asks, next_ask = 0, list(_ASKS.finditer(question)), 0
    for joint in _JOINS.finditer(question):
        while next_ask < len(asks) and asks[next_ask].start() < start:
            next_ask += 1
        # A part needs a question word on both sides: "the rules and what follows" is one matter.
        if next_ask < len(asks) and asks[next_ask].end() <= joint.end() <= asks[-1].start():
            yield question[start : joint.start()]
            start = joint.end()
    yield question[start:]
