"""Puts the lines of a PDF page into reading order if the drawing order differs."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from citewell_documents.parsing.pdf.glyphs import Extent
from citewell_documents.parsing.pdf.lines import Line
from citewell_documents.parsing.pdf.rows import PROSE_EM, divided, in_rows

_MIN_LINES = 5  # fewer show no gutter
_FULL = 0.8  # the share of its column's width that a full line of prose fills
_SHARE = 0.6
_NEAR_EM = 1.6


def in_reading_order(lines: list[Line]) -> list[Line]:
    head, rest = _head(in_rows(lines))
    return [*head, *_column_by_column(_foot_last(rest))]


def _head(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """Take out a title or running header, which is often drawn last: the lines above everything drawn before them."""
    highest = float("-inf")
    for start, line in enumerate(lines):
        if start and line.y > highest + line.size:
            end = next((i for i in range(start, len(lines)) if lines[i].y <= highest + lines[i].size), len(lines))
            head, rest = lines[start:end], [*lines[:start], *lines[end:]]
            if _stands_over(head, lines[:start]):
                return head, rest
        highest = max(highest, line.y)
    return [], lines


def _foot_last(lines: list[Line]) -> list[Line]:
    """Put a running footer last, which is often drawn first: the lines below everything drawn after them."""
    lowest = [float("inf")]
    for line in reversed(lines[1:]):
        lowest.append(min(lowest[-1], line.y))
    end = next((i for i, low in enumerate(reversed(lowest)) if lines and lines[i].y >= low - lines[i].size), 0)
    return [*lines[end:], *lines[:end]] if end and _stands_over(lines[:end], lines[end:]) else lines


def _stands_over(lines: list[Line], others: list[Line]) -> bool:
    """True if lines overlap most of the width of the others, so that they are no column beside the others."""
    (left, right), (first, last) = _sides(lines), _sides(others)
    return min(right, last) - max(left, first) >= _SHARE * (right - left)


def _sides(lines: list[Line]) -> Extent:
    ends = [abs(end) for line in lines for end in (line.left, line.right)]
    return min(ends), max(ends)


def _column_by_column(lines: list[Line]) -> Iterator[Line]:
    """Order lines column by column if text recognition or a converter drew them across; tables with short cells stay as
    they are.
    """
    gutter = _gutter(lines)
    if gutter is None:
        yield from lines
        return
    for region in _regions(lines, gutter):
        if sum(_gap_at(line, gutter) is not None for line in region) < _MIN_LINES:
            yield from region
            continue
        parts: list[Line] = []
        for line in region:
            at = _gap_at(line, gutter)
            parts += [line] if at is None else divided(line, at + 1)
        yield from _column_by_column([part for part in parts if abs(part.right) <= gutter])
        yield from _column_by_column([part for part in parts if abs(part.right) > gutter])


def _gutter(lines: list[Line]) -> float | None:
    """The x position just left of the right column, if most rows have a gap there between pieces of prose."""
    gaps = [(left[1], right[0]) for line in lines for left, right in pairwise(line.cells)]
    rows = sum(len(line.cells) > 1 for line in lines)
    for begin, _ in Counter(round(right) for _, right in gaps).most_common(3):
        x = begin - 2.0
        count = sum(left < x < right for left, right in gaps)
        if count >= max(_MIN_LINES, _SHARE * rows) and _is_between_prose(lines, x):
            return x
    return None


def _is_between_prose(lines: list[Line], x: float) -> bool:
    divided = [(line, at) for line in lines if (at := _gap_at(line, x)) is not None]
    size = median(line.size for line, _ in divided)
    for side in (0, 1):
        widths = [line.cells[at + side][1] - line.cells[at + side][0] for line, at in divided]
        full = sum(width > _FULL * max(widths) for width in widths)
        if median(widths) < PROSE_EM * size or full < _SHARE * len(widths):
            return False
    return True


def _gap_at(line: Line, x: float) -> int | None:
    return next((at for at, (left, right) in enumerate(pairwise(line.cells)) if left[1] < x < right[0]), None)


def _regions(lines: list[Line], x: float) -> Iterator[list[Line]]:
    """Divide the lines at each line that crosses the gutter; such a line is a region of its own."""
    region: list[Line] = []
    for line in lines:
        far = region and abs(region[-1].y - line.y) > _NEAR_EM * line.size
        left, right = _sides([line])
        beside = _gap_at(line, x) is not None or ((right < x or left > x) and not (line.margin and far))
        if beside:
            region.append(line)
            continue
        yield region
        yield [line]
        region = []
    yield region
