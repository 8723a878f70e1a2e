"""Sentences of a text with their exact places: English, Korean, lists, headings, tables and wrapped PDF lines.

Every sentence is verified by itself, so a boundary is a decision that users see. `sentencex` was tried: its offsets are
right and it is fast, but on 1,510 web and encyclopedia passages it lost one boundary in six (an apostrophe or inch mark
opens a quotation that never closes), it splits Korean dates (`2023. 5. 1.`) and `Vol. 3`, gives a citation marker to
the sentence that follows, and takes quadratic time on apostrophes. Repairing that needs more rules than these.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from domain.words import vocabulary

_SURE_MARK = r"\[†\d+[^\]\n]{0,40}\]|【\d+[^】\n]{0,60}】"
_MARK = rf"{_SURE_MARK}|\[\^?\d+(?:\s?[,–-]\s?\d+)*\]|[(\[](?:Sources?|출처):[^)\]\n]{{1,80}}[)\]]"
CITATION_MARK = re.compile(_MARK, re.IGNORECASE)
"""One citation marker: `[†1]`, `[1]`, `[1, 2]`, `【1†source】`, `(Source: 1)`, `[Source: a.pdf]`."""

_CANDIDATE = re.compile(
    rf"""(?P<stop>[.!?…]+|[。！？｡]+)
    (?P<close>["'”’»)\]」』*_`]*)
    (?P<marks>(?:(?:[ \t]{{0,3}}(?:{_MARK})|[ \t]{{0,3}}\n?[ \t]{{0,3}}(?:{_SURE_MARK}))+[.,]?)?)
    (?=(?P<gap>\s*)(?P<next>\S?))""",
    re.IGNORECASE | re.VERBOSE,
)
# Inside these a stop does not end the sentence around them. An inch mark (5") opens no quotation.
_ASIDE = re.compile(r'\([^()]{1,300}\)|\[[^\[\]]{1,300}\]|“[^“”]{1,400}”|(?<![\w")])"(?=\S)[^"\n]{1,400}(?<=\S)"')
_KOREAN_DATE = re.compile(r"\b\d{2,4}\.\s?\d{1,2}\.(?:\s?\d{1,2}\.)?")
_LAST_TOKEN = re.compile(r"[^\s(\[\"“'‘]*$")
_ACRONYM = re.compile(r"(?:[A-Za-z]\.)*[A-Za-z]|[A-Za-z]+(?:\.[A-Za-z]+)*\.[A-Za-z]+")
_NEXT_WORD = re.compile(r"[\W_]*(\w+)")

_JOINED_KOREAN = re.compile("[가-힣][.][가-힣]")
_JOINED_ENGLISH = re.compile(r"(?<![./@])[a-z]{3}[.][A-Z][a-z]*\s")

_NEVER_LAST = vocabulary("""
    mr mrs ms dr prof st mt gen gov sen rep hon rev lt col capt sgt messrs vs cf e.g i.e viz approx dept est ave
    blvd
    """)
_BEFORE_NUMBER = vocabulary("""
    no nos fig figs eq eqs vol ch chap sec sect art p pp par ed app tab ref refs ver v line jan feb mar apr jun
    jul aug sep sept oct nov dec
    """)
_SOMETIMES_LAST = vocabulary("inc ltd corp co llc plc bros jr sr etc al ph.d m.d b.a m.a u.s u.k u.n a.m p.m")
_STARTERS = vocabulary("""
    a again all although an and another any as at because before both but by during each every few for from he her here
    his how however if in into it its many more most my no not now of on once one only or other our over she since
    so some such that the their then there these they this those though thus to under until we what when where
    which while who why with you your
    """)

_LIST_ITEM = re.compile(
    r"\s*(?:[-*+•‣▪◦·●○■□※▶►]\s|[–—]\s(?![a-z])|#{1,6}\s|>\s?|[①-⑳]"
    r"|\(?\d{1,3}[.)](?:\s|$)|\(?(?:[a-zA-Z]|[ivx]{2,4})\)\s|\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+[A-Z]|제\s?\d+\s?[조장절](?:\s|\(|$))"
)
# At the start of a line this may also be the tail of a wrapped word: "…했습니\n다. 그리고".
_KOREAN_ITEM = re.compile(r"\s*[가나다라마바사아자차카타파하][.)]\s")
_TABLE_ROW = re.compile(r"\S\s?\|(?:\s|$)|^\s*\||\S\t")
_UNFINISHED = re.compile(
    r"(?:[,;&/(\[–—-]|\b(?:a|an|and|as|at|by|for|from|in|is|of|on|or|the|to|was|with))\s*$", re.IGNORECASE
)
_OPENS_LIKE_TITLE = re.compile(r"[\s*_\"“(]*[A-Z0-9가-힣#]")
_STOPPED = re.compile(r"[.!?…。！？][\"'”’»)\]」』*_`]*\s*$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text == document[start:end]`, in code points, without outer white space."""

    start: int
    end: int
    text: str


def split_sentences(text: str) -> list[Sentence]:
    """Split `text`; every character that is not white space lies in exactly one sentence, in order (N3, N4).

    A blank line, a list item, a heading and a table row end a sentence; a single line break inside prose does not.
    Citation markers behind a full stop belong to the sentence before them. Linear in the length of `text`.
    """
    return [
        Sentence(start, end, text[start:end])
        for block_start, block_end in _blocks(text)
        for start, end in _trimmed(text, _ends(text, block_start, block_end), block_start)
    ]


def _trimmed(text: str, ends: Iterator[int], start: int) -> Iterator[tuple[int, int]]:
    for end in ends:
        piece = text[start:end]
        if stripped := piece.strip():
            left = start + len(piece) - len(piece.lstrip())
            yield left, left + len(stripped)
        start = end


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the runs of lines that are prose together."""
    start = position = 0
    previous = ""
    for line in text.splitlines(keepends=True):
        if previous and _breaks(previous, line):
            yield start, position
            start = position
        previous = line
        position += len(line)
    yield start, position


def _breaks(previous: str, line: str) -> bool:
    if not line.strip() or not previous.strip() or previous[-1] == "\f":
        return True
    if _LIST_ITEM.match(line) or _TABLE_ROW.search(line) or _TABLE_ROW.search(previous):
        return True
    if _KOREAN_ITEM.match(line) and (_KOREAN_ITEM.match(previous) or len(previous) < 20):
        return True
    return _is_heading(previous.strip(), line.strip())


def _is_heading(line: str, following: str) -> bool:
    """Say whether `line` stands by itself: wrapped prose has lines of like length, a heading is much shorter."""
    if line.startswith("#"):
        return True
    if len(line) > 60 or _STOPPED.search(line) or _UNFINISHED.search(line) or not _OPENS_LIKE_TITLE.match(following):
        return False
    if not _OPENS_LIKE_TITLE.match(line) and not _LIST_ITEM.match(line):
        return False
    titled = line.isupper() or (line.istitle() and len(line.split()) <= 8)
    return len(line) < (0.85 if titled else 0.6) * len(following)


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    block = text[start:end]
    asides = [match.span() for match in _ASIDE.finditer(block)]
    dates = [match.span() for match in _KOREAN_DATE.finditer(block)]
    sentence_start, next_aside, next_date = _first_character(block, 0), 0, 0
    for match in _CANDIDATE.finditer(block):
        while next_aside < len(asides) and asides[next_aside][1] <= match.end("close"):
            next_aside += 1
        while next_date < len(dates) and dates[next_date][1] < match.end("stop"):
            next_date += 1
        if next_aside < len(asides) and sentence_start < asides[next_aside][0] < match.start():
            continue
        if next_date < len(dates) and dates[next_date][0] < match.start() and match["next"]:
            continue
        if _ends_sentence(block, sentence_start, match):
            yield start + match.end()
            sentence_start = _first_character(block, match.end())
    yield end


def _first_character(block: str, position: int) -> int:
    while position < len(block) and block[position].isspace():
        position += 1
    return position


def _ends_sentence(block: str, sentence_start: int, match: re.Match[str]) -> bool:
    following = match["next"]
    if not following:
        return True
    if not match["gap"]:
        return _ends_without_space(block, match, following)
    if following.islower() and not _plain_word_before(block, sentence_start, match):
        return False
    return match["stop"] != "." or bool(match["close"]) or not _is_abbreviation(block, sentence_start, match)


def _ends_without_space(block: str, match: re.Match[str], following: str) -> bool:
    if match["stop"][0] in "。！？｡":
        return True
    if match["marks"]:
        return not following.islower() and following not in ".,;:)]"
    if match["stop"] != "." or match["close"]:
        return False
    return bool(_JOINED_KOREAN.match(block, match.start() - 1) or _JOINED_ENGLISH.match(block, match.start() - 3))


def _plain_word_before(block: str, sentence_start: int, match: re.Match[str]) -> bool:
    """Before a small letter only a full stop behind an ordinary word ends a sentence: `Yahoo! is`, `approx. five`."""
    word = _token_before(block, sentence_start, match)
    return match["stop"] == "." and not match["close"] and len(word) >= 4 and word.isalpha() and word.islower()


def _token_before(block: str, sentence_start: int, match: re.Match[str]) -> str:
    token = _LAST_TOKEN.search(block, max(sentence_start, match.start() - 30), match.start())
    return token[0] if token else ""


def _is_abbreviation(block: str, sentence_start: int, match: re.Match[str]) -> bool:
    token = _token_before(block, sentence_start, match)
    name = token.lower()
    following = match["next"]
    if token.isdigit() or (len(token) == 1 and not token.isascii()):
        # "3. Terms" numbers what follows; in "rose to 5. Profit" the number is the last word.
        return match.start() - len(token) == sentence_start
    if name in _NEVER_LAST:
        return True
    if name in _BEFORE_NUMBER and following.isdigit():
        return True
    if name in _SOMETIMES_LAST or (_ACRONYM.fullmatch(token) and (len(token) == 1 or "." in token)):
        next_word = _NEXT_WORD.match(block, match.end())
        return next_word is None or next_word[1].lower() not in _STARTERS
    return False
