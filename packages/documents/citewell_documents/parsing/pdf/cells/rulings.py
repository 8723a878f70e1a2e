"""The cells that drawn lines enclose on a page."""

import ctypes
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citewell_documents.parsing.pdf.frames import UNCHANGED, Matrix, matrix_within
from citewell_documents.parsing.pdf.glyphs import Box

_SNAP = 3.0  # points: lines nearer to each other are one line, and ends nearer to a line meet it
_MIN_LENGTH = 4.0
_MAX_SEGMENTS = 8_000  # of a page: with more, the page shows a drawing
_MAX_PAIRS, _MAX_POINTS = 200_000, 3_000
_MAX_DEPTH = 3
_MOST = 0.8  # of the page: a larger area is the background of the page, and no cell

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Span:
    """A straight line along an axis: its place on the other axis, and its ends."""

    at: float
    start: float
    end: float


def ruled_tables(page: pdfium.PdfPage) -> list[list[Box]]:
    """The cells of each table of the page that drawn lines enclose. A table has at least two rows and two columns."""
    across, upright = list[_Span](), list[_Span]()
    for (left, bottom), (right, top) in _segments(page):
        if abs(top - bottom) < 1 and abs(right - left) >= _MIN_LENGTH:
            across.append(_Span((bottom + top) / 2, min(left, right), max(left, right)))
        elif abs(right - left) < 1 and abs(top - bottom) >= _MIN_LENGTH:
            upright.append(_Span((left + right) / 2, min(bottom, top), max(bottom, top)))
    tables = _connected(_cells(_merged(across), _merged(upright)))
    return [cells for cells in tables if len({cell[0] for cell in cells}) > 1 and len({cell[3] for cell in cells}) > 1]


def _segments(page: pdfium.PdfPage) -> Iterator[tuple[Point, Point]]:
    left, bottom, right, top = page.get_bbox()
    seen, fill, stroke = 0, ctypes.c_int(), ctypes.c_int()
    for path, matrix in _paths(page, pdfium_c.FPDFPage_CountObjects, pdfium_c.FPDFPage_GetObject, UNCHANGED, 0):
        pdfium_c.FPDFPath_GetDrawMode(path, fill, stroke)
        points = list(_points(path, matrix)) if fill.value or stroke.value else []
        seen += len(points)
        if seen > _MAX_SEGMENTS:
            return
        xs, ys = [x for ends in points for x, _ in ends], [y for ends in points for _, y in ends]
        wide, high = (max(xs) - min(xs), max(ys) - min(ys)) if points else (0, 0)
        if wide * high > _MOST * (right - left) * (top - bottom):
            continue
        if min(wide, high) < _SNAP and len(points) > 1:
            # This line is drawn as a narrow area.
            x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
            yield ((min(xs), y), (max(xs), y)) if wide > high else ((x, min(ys)), (x, max(ys)))
        elif stroke.value:  # the edges of a filled area without a stroke enclose no cell
            yield from points


def _paths(
    holder: Any,
    count: Callable[[Any], int],
    get: Callable[[Any, int], pdfium_c.FPDF_PAGEOBJECT],
    matrix: Matrix,
    depth: int,
) -> Iterator[tuple[pdfium_c.FPDF_PAGEOBJECT, Matrix]]:
    for index in range(min(count(holder), _MAX_SEGMENTS)):
        item = get(holder, index)
        kind = pdfium_c.FPDFPageObj_GetType(item)
        if kind == pdfium_c.FPDF_PAGEOBJ_PATH:
            yield item, matrix_within(item, matrix)
        elif kind == pdfium_c.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
            inner = matrix_within(item, matrix)
            yield from _paths(item, pdfium_c.FPDFFormObj_CountObjects, pdfium_c.FPDFFormObj_GetObject, inner, depth + 1)


def _points(path: pdfium_c.FPDF_PAGEOBJECT, matrix: Matrix) -> Iterator[tuple[Point, Point]]:
    """The straight pieces of a path."""
    a, b, c, d, e, f = matrix
    x, y = ctypes.c_float(), ctypes.c_float()
    start: Point | None = None
    last: Point | None = None
    for index in range(min(pdfium_c.FPDFPath_CountSegments(path), _MAX_SEGMENTS)):
        segment = pdfium_c.FPDFPath_GetPathSegment(path, index)
        pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
        point = a * x.value + c * y.value + e, b * x.value + d * y.value + f
        kind = pdfium_c.FPDFPathSegment_GetType(segment)
        if kind == pdfium_c.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == pdfium_c.FPDF_SEGMENT_LINETO and last:
            yield last, point
        last = point
        if start and last and pdfium_c.FPDFPathSegment_GetClose(segment):
            yield last, start


def _merged(spans: Sequence[_Span]) -> list[_Span]:
    """The lines; lines that lie on each other or continue each other are merged."""
    rows: list[list[_Span]] = []
    for span in sorted(spans, key=lambda span: span.at):
        if rows and span.at - rows[-1][0].at <= _SNAP:
            rows[-1].append(span)
        else:
            rows.append([span])
    merged: list[_Span] = []
    for row in rows:
        at = fmean(span.at for span in row)
        for piece in sorted(row, key=lambda span: span.start):
            if merged and merged[-1].at == at and piece.start <= merged[-1].end + _SNAP:
                merged[-1] = _Span(at, merged[-1].start, max(merged[-1].end, piece.end))
            else:
                merged.append(_Span(at, piece.start, piece.end))
    return merged


def _cells(across: Sequence[_Span], upright: Sequence[_Span]) -> list[Box]:
    """The smallest rectangle to the right of and below each crossing whose four sides are drawn."""
    if len(across) * len(upright) > _MAX_PAIRS:
        return []
    crossings = {
        (line.at, row.at): (line, row)
        for row in across
        for line in upright
        if row.start - _SNAP <= line.at <= row.end + _SNAP and line.start - _SNAP <= row.at <= line.end + _SNAP
    }
    if len(crossings) > _MAX_POINTS:
        return []
    on_row: defaultdict[_Span, list[float]] = defaultdict(list)
    on_line: defaultdict[_Span, list[float]] = defaultdict(list)
    for (x, y), (line, row) in crossings.items():
        on_row[row].append(x)
        on_line[line].append(y)
    cells: list[Box] = []
    for (left, top), (line, row) in crossings.items():
        below = sorted((y for y in on_line[line] if y < top), reverse=True)
        right_of = sorted(x for x in on_row[row] if x > left)
        cell = next(
            (
                (left, bottom, right, top)
                for bottom in below
                for right in right_of
                if (right, bottom) in crossings
                and crossings[right, bottom][0] is crossings[right, top][0]
                and crossings[right, bottom][1] is crossings[left, bottom][1]
            ),
            None,
        )
        if cell:
            cells.append(cell)
    return cells


def _connected(cells: Sequence[Box]) -> list[list[Box]]:
    """The cells of each table: cells that share a corner belong to one table."""
    at_corner: defaultdict[Point, list[Box]] = defaultdict(list)
    for cell in cells:
        for corner in _corners(cell):
            at_corner[corner].append(cell)
    tables: list[list[Box]] = []
    left = set(cells)
    while left:
        table, waiting = list[Box](), [left.pop()]
        while waiting:
            cell = waiting.pop()
            table.append(cell)
            beside = {other for corner in _corners(cell) for other in at_corner[corner]} & left
            left -= beside
            waiting += beside
        tables.append(table)
    return tables


def _corners(cell: Box) -> tuple[Point, ...]:
    left, bottom, right, top = cell
    return (left, bottom), (left, top), (right, bottom), (right, top)
