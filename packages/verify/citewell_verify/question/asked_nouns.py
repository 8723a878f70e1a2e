"""Finds the noun by which a question says what it asks for, "the unit price" or 전화번호, and what kind it is of."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import dropwhile, takewhile
from typing import Literal

from citewell_verify.text.words import STOP_WORDS, stem, vocabulary

Kind = Literal[
    "contact", "when", "where", "who", "number", "amount", "why", "how", "definition", "which", "decision", "matter"
]

_MOST_WORDS, _MOST_READ = 6, 30  # of a noun with those that describe it, and that are looked through for it
_NOUNS: tuple[tuple[Kind, str], ...] = (
    ("contact", "phone telephone mobile fax hotline mail e-mail email mailbox website homepage contact contacts"),
    ("when", "date day weekday month year decade century time deadline birthday expiry"),
    (
        "number",
        "number amount percentage percent share rate proportion ratio temperature weight height length width depth size"
        " distance speed capacity population total average price cost fee rent salary charge fine deposit budget"
        " balance discount allowance",
    ),
    ("where", "country city place town region location venue"),
    ("who", "person people chair chairman chairwoman chairperson director manager president secretary treasurer"),
    ("why", "reason"),
)
_KIND_OF: Mapping[str, Kind] = {stem(noun): kind for kind, nouns in _NOUNS for noun in nouns.split()}
_KOREAN: tuple[tuple[Kind, str], ...] = (
    ("contact", "전화|전화 ?번호|연락처|이메일|메일|메일 ?주소|팩스|팩스 ?번호|홈페이지"),
    ("when", "날짜|일자|일시|시각|시간|요일|기한|마감|마감일|예정일"),
    ("number", "금액|가격|단가|요금|비용|보증금|비율|인원|온도|무게|길이|높이|넓이|면적|정원"),
    ("where", "장소"),
    ("who", "담당자|책임자|대표|작성자|위원장"),
    ("why", "이유|원인"),
)
_KOREAN_NOUNS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"({nouns})(?:에서?|으?로|인가요?|인지|이에요|예요)?$")) for kind, nouns in _KOREAN
)
_KOREAN_ASKED = re.compile(
    r"(?:어느|어떤|무슨) ?(?P<behind>[가-힣]{1,20})"
    r"|(?P<before>[가-힣]{1,20}?(?: 번호| 주소)?)[은는이가을를]?"
    r"(?: ?(?:무엇|뭐|뭔|뭘)| (?:어떻게 [되돼]|알려|가르쳐|말해)|\W*$)"
)
_HANGUL = re.compile("[가-힣]")
_WORD = re.compile(r"['’]s\b|[^\W_](?:[\w'’-]*\w)?|[^\w\s]")
_ASKS = re.compile(r"\b(?:what|which)\b|\b(?:tell|give|show|send) (?:me|us)\b", re.IGNORECASE)
_IS = vocabulary("is are was were 's ’s")
_AUXILIARIES = _IS | vocabulary("do does did has have had can could will would shall should must may might")
_BEFORE_NOUN = vocabulary("the a an my our your his her its their this that these those")
_ALSO_NAMES = vocabulary("name names kind kinds type types sort sorts")
"""Nouns that leave it to the next one what is asked for: the name of the director is a person."""
_LEFT_TO_OTHERS = vocabulary("number numbers address addresses details person")
"""Nouns that leave it to those before them: a phone number, an e-mail address."""
_COUNTED = vocabulary("total average")
"""Words that make any noun a figure: the total emissions."""


@dataclass(frozen=True, slots=True)
class AskedNoun:
    """The noun that a question asks for, as the stems of its `words`, `start` where the question says so, and the
    `kind` of thing that it names, if it names one.
    """

    start: int
    words: tuple[str, ...]
    kind: Kind | None


@lru_cache(maxsize=256)
def asked_noun(question: str) -> AskedNoun | None:
    """Return the noun behind "what", "which" or "tell me", or before 무엇; of a text without a question word the noun
    that comes first, in Korean the last one. None if there is none.
    """
    asks = _ASKS.search(question)
    if asks or not _HANGUL.search(question):
        words = _WORD.findall(question[asks.end() if asks else 0 :].casefold())[:_MOST_READ]
        nouns = tuple(stem(word.removesuffix("'s")) for word in _nouns(words, is_bare=not asks))
        # "What is capacity?" asks what the word means.
        is_defined = len(words) > 1 and words[0] in _IS and words[2:] in ([], ["?"])
        kind: Kind | None = next((_KIND_OF[noun] for noun in nouns if noun in _KIND_OF and not is_defined), None)
        return AskedNoun(asks.start() if asks else 0, nouns, kind) if kind or (asks and nouns) else None
    for match in _KOREAN_ASKED.finditer(question):
        noun = match["behind"] or match["before"]
        for named, nouns in _KOREAN_NOUNS:
            if said := nouns.search(noun):
                return AskedNoun(match.start(), (stem(noun[: said.end(1)].replace(" ", "")),), named)
    return None


def _nouns(words: Sequence[str], *, is_bare: bool) -> Sequence[str]:
    """The noun that the words begin with: of "unit price" its last word. Behind a bare "which" a verb may follow it, as
    in "which country hosted", so that all words may be the noun.
    """
    is_equated = bool(words) and words[0] in _IS
    opening = list(dropwhile(_BEFORE_NOUN.__contains__, words[is_equated:]))
    phrase = list(takewhile(lambda word: word[0].isalnum() and word not in STOP_WORDS, opening))[:_MOST_WORDS]
    behind = opening[len(phrase) :]
    if phrase and phrase[-1] in _ALSO_NAMES and behind[:1] == ["of"]:
        return _nouns(behind[1:], is_bare=True)
    if is_equated and len(opening) == len(words) - 1 and len(phrase) == 1 and behind[:1] not in ([], ["?"], ["of"]):
        return []  # "What is included in the rent?" has none, "What is RCAC?" has one.
    if is_equated or is_bare:
        head, described = phrase[-1:], phrase[:-1]
        return phrase if _LEFT_TO_OTHERS.issuperset(head) else head + [word for word in described if word in _COUNTED]
    # "What changed between" has no noun.
    return phrase if len(phrase) > 1 or (behind[:1] and behind[0] in _AUXILIARIES) else []
