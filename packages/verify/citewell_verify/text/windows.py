"""Splits long sources into windows that a model sees in full, so that nothing is ever silently cut."""

from collections.abc import Iterator

from citewell_verify.text.sentences import split_sentences


def windows(text: str, max_chars: int, overlap_chars: int = 0) -> list[tuple[int, int]]:
    """Return (start, end) of windows of at most `max_chars` code points that together cover all words of `text`.

    Windows end between sentences; the next begins with the last sentences of the previous one, up to `overlap_chars` of
    them, so that what two neighbours say together is together somewhere. A longer sentence is cut between words. One
    window if everything fits, none for blank text. Raises ValueError unless 0 <= overlap < max.
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
    """Return the piece with which the next window begins: the one after `last`, or an earlier one within the
    overlap."""
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
