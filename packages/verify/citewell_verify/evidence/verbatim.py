"""Finds a statement that stands word for word in a source, wherever its sentences end (V1)."""

import re
from bisect import bisect_right

from citewell_verify.evidence.closed_classes import REVERSING, read
from citewell_verify.evidence.contradictions import without_markers
from citewell_verify.evidence.spans import locate_verbatim
from citewell_verify.text.cache import text_cache
from citewell_verify.text.languages import unread_language
from citewell_verify.text.quotes import locate_sentences
from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.word_index import letters

_STOP = re.compile(r"[.!?。！？][\"'”’)\]]*\s|\n\s*\n")
_ITEM = re.compile(r"^\W*(?:\(?\d{1,3}[.)]|[a-z][.)]|제\d+조)\s*", re.IGNORECASE)
_SIGNS_BEFORE = " \t\n*-•·#>|\"'“‘「『([①②③④⑤⑥⑦⑧⑨"
_SIGNS_BEHIND = " \t\n*|\"'”’」』)].。!?！？"
_LEADS = re.compile(
    r"(?:[,;:—–|]|\b(?:and|but|however|moreover)|[가-힣](?:고|며|지만|으나|는데))[\s\"'“‘(]*$", re.IGNORECASE
)
_FOLLOWS = re.compile(r"[\s\"'”’)]*(?:[,;:—–|]|\b(?:and|but|while|because|which|who)\b)", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?:[-*+•‣▪◦·○●①-⑳]|\(?(?:\d{1,3}|[a-zA-Z가-하])[.)]\s)")
_TAKES_BACK = frozenset(("denied", "except"))
_STOPS = ".!?。！？"
_ASKS = ("?", "？")
_END = " \t\n.。!?"


def stands_verbatim(statement: str, source: str) -> tuple[int, int] | None:
    """Return the span of the `source` that is the `statement`, but for case, spacing and the final stop (V1).

    In every language, these are whole sentences, lines or cells; in those that the rules read, also a clause, unless
    words around it in its sentence may reverse it, such as "it is not true that". An item of a list stands nowhere by
    itself if what introduces the list takes it back, such as "not covered:".
    """
    wanted = statement.strip().rstrip(_END)
    # Most statements stand nowhere, which their letters tell at once.
    if not wanted or letters(wanted) not in _letters(source):
        return None
    located = locate_sentences(statement, source)
    if located is None:
        located = locate_verbatim(wanted, source)
        is_asked = located and source[located.end : located.end + 1] in _ASKS and statement.rstrip()[-1] not in _ASKS
        if located is None or is_asked or not _stands_alone(source, located.start, located.end):
            return None
    if any(token.cue in _TAKES_BACK for token in read(_introduction(source, located.start, located.end))):
        return None
    stops = source[located.end : located.end + 1] in (".", "。")
    return located.start, located.end + stops


@text_cache()
def _letters(source: str) -> str:
    return letters(without_markers(source))


def _stands_alone(source: str, start: int, end: int) -> bool:
    """Say whether nothing in its sentence reverses a span. In other languages than the two that are read, whether it is
    all of its sentence."""
    before, behind = _around(source, start, end)
    if not before and (not behind or (source[end - 1].isalpha() and source[end] in _STOPS)):
        return True
    if unread_language(source[start - len(before) : end + len(behind)], [source]):
        return False
    if (before and not _LEADS.search(before)) or (behind and not _FOLLOWS.match(behind)):
        return False
    return not any(token.cue in REVERSING for part in (before, behind) for token in read(part))


def _around(source: str, start: int, end: int) -> tuple[str, str]:
    """Return what precedes and follows a span within its sentence, without signs."""
    sentences = split_sentences(source)
    first = sentences[bisect_right(sentences, start, key=lambda sentence: sentence.start) - 1]
    last = sentences[bisect_right(sentences, end - 1, key=lambda sentence: sentence.start) - 1]
    # The splitter may have missed the end of the sentence before it.
    before = _STOP.split(source[first.start : start])[-1]
    behind = _STOP.split(source[end : max(end, last.end)] + " ")[0]
    marked = _ITEM.sub("", without_markers(before)).strip(_SIGNS_BEFORE)
    return marked and before, without_markers(behind).strip(_SIGNS_BEHIND) and behind


def _introduction(source: str, start: int, end: int) -> str:
    """Return the line that introduces the list, or the heading above the lines, of which a span is an item."""
    *above, before = source[:start].split("\n")
    is_listed = _LISTED.match(before) is not None
    if not is_listed and (source[end - 1] in _STOPS or source[end : end + 1] in _STOPS):
        return ""
    for line in filter(None, map(str.strip, reversed(above))):
        if line.startswith("#") or line.endswith((":", "：")):
            return line
        if line[-1] in _STOPS and not _LISTED.match(line):
            return line if is_listed else ""
    return ""
