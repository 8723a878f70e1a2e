"""Measures texts: approximate tokens for a model, and the longest statement that is compared fact by fact. Splits long
sources into windows that a model sees in full, so that no text is ever silently cut. Reads and writes the context of a
passage: a line with the headings above it, then lines with the columns of its table.
"""

import re
from collections.abc import Iterable, Iterator
from math import ceil

from citewell_verify.text.sentences import LONGEST_SENTENCE, split_sentences

# (pattern, characters per token): a word with its space is about one token up to seven letters of English.
_PIECES = re.compile(
    r"(?P<latin>[A-Za-z]+)|(?P<digits>\d+)|(?P<hangul>[가-힣]+)|(?P<han>[぀-ヿ㐀-䶿一-鿿]+)|(?P<letters>[^\W\d_]+)|(?P<sign>[^\s\w]|_)"
)
_PER_TOKEN = {"latin": 6.0, "digits": 3.0, "hangul": 1.6, "han": 1.4, "letters": 4.0, "sign": 1.0}
LONGEST_STATEMENT = LONGEST_SENTENCE
TOO_LONG = (
    f"a statement of more than {LONGEST_STATEMENT:,} characters is not read fact by fact: make shorter ones of it"
)
_BETWEEN = " › "
_CELLS = re.compile(r"[|\t]")
_MOST_COLUMNS = 400  # characters of a line of column heads


def count_tokens(text: str) -> int:
    """Return the approximate number of tokens of `text`; 0 only for a text of white space."""
    return sum(ceil(len(piece[0]) / _PER_TOKEN[piece.lastgroup or "sign"]) for piece in _PIECES.finditer(text))


def is_too_long(statement: str) -> bool:
    return len(statement) > LONGEST_STATEMENT


def stands_in(statement: str, source: str) -> bool:
    return _squeezed(statement) in _squeezed(source)


def _squeezed(text: str) -> str:
    return "".join(text.casefold().split())


def windows(text: str, max_chars: int, overlap_chars: int = 0) -> list[tuple[int, int]]:
    """Return (start, end) of windows of at most `max_chars` code points that together cover all words of `text`.

    Windows end between sentences; the next window begins with the last sentences of the previous one, up to
    `overlap_chars` of them, so that neighbouring sentences that belong together are together in some window. A longer
    sentence is cut between words. There is one window if everything fits, none for blank text. Raises ValueError unless
    0 <= overlap < max.
    """
    if not 0 <= overlap_chars < max_chars:
        raise ValueError("the overlap of windows must be smaller than a window")
    if len(text) <= max_chars:
        return [(0, len(text))] if text.strip() else []
    pieces = [
        piece for sentence in split_sentences(text) for piece in _pieces(text, sentence.start, sentence.end, max_chars)
    ]
    spans: list[tuple[int, int]] = []
    first = 0
    for place, (_, end) in enumerate(pieces):
        following = pieces[place + 1][1] if place + 1 < len(pieces) else None
        if following is None or following - pieces[first][0] > max_chars:
            spans.append((pieces[first][0], end))
            first = _overlapping(pieces, first, place, following, max_chars, overlap_chars)
    return spans


def _overlapping(
    pieces: list[tuple[int, int]], first: int, last: int, following: int | None, max_chars: int, overlap_chars: int
) -> int:
    """Return the piece that begins the next window: the piece after `last`, or an earlier one in the overlap."""
    start, end = last + 1, pieces[last][1]
    while start - 1 > first and following is not None:
        begins = pieces[start - 1][0]
        if end - begins > overlap_chars or following - begins > max_chars:
            break
        start -= 1
    return start


def _pieces(text: str, start: int, end: int, max_chars: int) -> Iterator[tuple[int, int]]:
    while end - start > max_chars:
        cut = max(text.rfind(" ", start + 1, start + max_chars + 1), text.rfind("\n", start + 1, start + max_chars + 1))
        cut = cut if cut > start else start + max_chars
        yield start, cut
        start = cut + (text[cut : cut + 1] in (" ", "\n"))
    if start < end:
        yield start, end


def headings_of(context: str) -> list[str]:
    first = context.partition("\n")[0]
    return [] if not first or _CELLS.search(first) else first.split(_BETWEEN)


def joined(headings: Iterable[str]) -> str:
    return _BETWEEN.join(headings)


def with_columns(text: str, context: str) -> str:
    first, _, rest = context.partition("\n")
    columns = (context if _CELLS.search(first) else rest).strip("\n")
    return f"{columns}\n{text}" if columns else text


def cut_line(line: str) -> str:
    if len(line) <= _MOST_COLUMNS:
        return line
    ends = [match.start() for match in _CELLS.finditer(line, 0, _MOST_COLUMNS)]
    return line[: ends[-1]] if ends and ends[-1] else line[:_MOST_COLUMNS]


def indexed_text(text: str, context: str | None) -> str:
    return f"{context}\n{text}" if context else text
