"""Finds the noun by which a question says what it asks for, "the unit price" or 전화번호, and what kind it is of."""

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile
from typing import Literal

from citewell_verify.text.words import STOP_WORDS, stem, vocabulary

Kind = Literal[
    "contact", "when", "where", "who", "number", "amount", "why", "how", "definition", "which", "decision", "matter"
]

_MOST_WORDS = 6  # of a noun with those that describe it
_NOUNS: tuple[tuple[Kind, str], ...] = (
    ("contact", "phone telephone mobile fax hotline mail e-mail email mailbox website homepage contact contacts"),
    ("when", "date day weekday month year decade century time deadline birthday expiry"),
    (
        "number",
        "number amount percentage percent share rate proportion ratio temperature weight height length width depth size"
        " area distance speed capacity population total price cost fee rent salary charge fine deposit budget balance"
        " discount allowance",
    ),
    ("where", "country city place town state region location venue address"),
    ("who", "person people chair chairman chairwoman chairperson director manager president secretary treasurer"),
    ("why", "reason"),
)
_KIND_OF: dict[str, Kind] = {stem(noun): kind for kind, nouns in _NOUNS for noun in nouns.split()}
_KOREAN: tuple[tuple[Kind, str], ...] = (
    ("contact", "전화|전화 ?번호|연락처|이메일|메일|메일 ?주소|팩스|팩스 ?번호|홈페이지"),
    ("when", "날짜|일자|일시|시각|시간|요일|기한|마감|마감일|예정일"),
    ("number", "금액|가격|단가|요금|비용|보증금|비율|인원|온도|무게|길이|높이|넓이|면적|정원"),
    ("where", "장소|위치|주소"),
    ("who", "담당자|책임자|대표|작성자|위원장"),
    ("why", "이유|원인"),
)
_KOREAN_NOUNS = tuple((kind, re.compile(rf"(?:{nouns})$")) for kind, nouns in _KOREAN)
_KOREAN_ASKED = re.compile(
    r"(?:어느|어떤|무슨) ?(?P<behind>[가-힣]{1,20})"
    r"|(?P<before>[가-힣]{1,20}?(?: 번호| 주소)?)[은는이가을를]?"
    r"(?: ?(?:무엇|뭐|뭔|뭘)| (?:어떻게 [되돼]|알려|가르쳐|말해)|\W*$)"
)
_HANGUL = re.compile("[가-힣]")
_WORD = re.compile(r"[^\W_](?:[\w'’-]*\w)?|[^\w\s]")
_ASKS = re.compile(r"\b(?:what|which)\b(?:['’]?s\b)?|\b(?:tell|give|show|send) (?:me|us)\b", re.IGNORECASE)
_IS = vocabulary("is are was were")
_BEFORE_NOUN = vocabulary("the a an my our your his her its their this that these those")
_ALSO_NAMES = vocabulary("name names kind kinds type types sort sorts")
"""Nouns that leave it to the next one what is asked for: the name of the director is a person."""
_LEFT_TO_OTHERS = vocabulary("number numbers address addresses details person")
"""Nouns that leave it to those before them: a phone number, an e-mail address."""


def kind_of_noun(question: str) -> tuple[int, Kind] | None:
    """Return where the question says which noun it asks for, and the kind of thing that this names, if it names one.

    It is the noun behind "what", "which" or "tell me", or before 무엇; of a text without a question word it is the noun
    that comes first, in Korean the last one.
    """
    asks = _ASKS.search(question)
    if asks or not _HANGUL.search(question):
        kind = _kind_of_phrase(_WORD.findall(question[asks.end() if asks else 0 :].casefold()), is_bare=not asks)
        return (asks.start() if asks else 0, kind) if kind else None
    for match in _KOREAN_ASKED.finditer(question):
        noun = match["behind"] or match["before"]
        if kind := next((kind for kind, nouns in _KOREAN_NOUNS if nouns.search(noun)), None):
            return match.start(), kind
    return None


def _kind_of_phrase(words: Sequence[str], *, is_bare: bool) -> Kind | None:
    """The kind of the noun that the words begin with: of "unit price" that of its last word. Only behind a bare "which"
    a verb may follow it: "which country hosted".
    """
    is_equated = bool(words) and words[0] in _IS
    opening = list(dropwhile(_BEFORE_NOUN.__contains__, words[is_equated : is_equated + _MOST_WORDS]))
    phrase = list(takewhile(lambda word: word[0].isalnum() and word not in STOP_WORDS, opening))
    rest = words[is_equated + _MOST_WORDS - len(opening) + len(phrase) :]
    if not phrase:
        return None
    if phrase[-1] in _ALSO_NAMES and rest[:1] == ["of"]:
        return _kind_of_phrase(rest[1:], is_bare=True)
    is_last = (is_equated or is_bare) and phrase[-1] not in _LEFT_TO_OTHERS
    nouns = map(stem, phrase[-1:] if is_last else phrase)
    return next((_KIND_OF[noun] for noun in nouns if noun in _KIND_OF), None)
