"""Pages of a PDF that are pictures of text or have unreadable text, and what they are recognised from."""

import re
import unicodedata
from collections import Counter
from dataclasses import replace
from itertools import islice

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image

from citewell_documents.parsing.pdf.ink import placed
from citewell_documents.parsing.pdf.lines import Line
from citewell_documents.parsing.pdf.visible.sight import Sight

_DPI, _MOST_PIXELS = 300, 12_000_000
_FEW_LETTERS = 60  # a stamp or a number of the page on a scan
_MOST_OBJECTS = 500
_COVERED = 0.5  # of the page
# Of 8,400 pages of reports, textbooks and Korean and Arabic documents, those of formulas have the fewest letters: 68 %.
# A damaged font gives 20 to 34 %. A short page may be a formula or a row of a table, and no more.
_LEAST_READABLE = 0.4
_FEW_SHOWN = 60
_REPEATED = re.compile(r"([.·…_=*~|–—─-])(?:\s?\1){3,}")  # leaders, rules, and blanks of forms


def is_picture(page: pdfium.PdfPage, lines: list[Line]) -> bool:
    """True if the page shows something and has no text, or hardly any on a picture of half its size."""
    letters = sum(len(line.text) for line in lines)
    if letters > _FEW_LETTERS:
        return False
    if not letters:
        return pdfium_c.FPDFPage_CountObjects(page) > 0
    return _is_pictured(page)


def with_recognised(page: pdfium.PdfPage, sight: Sight, lines: list[Line]) -> list[Line]:
    """The lines, with those that text recognition put below or behind a scan taken for visible: they are most of the
    page's text, and stand where the scan shows something.
    """
    unseen = [line for line in lines if line.hidden == "unseen"]
    if not unseen or 2 * _letters(unseen) <= _letters(lines) or not _is_pictured(page):
        return lines
    return [replace(line, hidden=None) if line in unseen and _is_shown(line, sight) else line for line in lines]


def _letters(lines: list[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _is_shown(line: Line, sight: Sight) -> bool:
    pieces = [sight.is_over_ink(box) for *_, box in placed(line.text, line.ink)]
    return 2 * sum(pieces) >= len(pieces)


def _is_pictured(page: pdfium.PdfPage) -> bool:
    left, bottom, right, top = page.get_bbox()
    area = (right - left) * (top - bottom)
    images = page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=3)
    bounds = (image.get_bounds() for image in islice(images, _MOST_OBJECTS))
    return any((right - left) * (top - bottom) > _COVERED * area for left, bottom, right, top in bounds)


def is_readable(text: str) -> bool:
    """False if few of a page's characters are letters or digits of any script."""
    readable = shown = 0
    for character, count in Counter(_REPEATED.sub("", text)).items():
        category = unicodedata.category(character)
        if character.isspace() or category == "Cf":
            continue
        shown += count
        readable += count if category[0] in "LMN" else 0
    return shown < _FEW_SHOWN or readable >= _LEAST_READABLE * shown


def picture_of(page: pdfium.PdfPage) -> tuple[Image.Image, int]:
    """The page as it is displayed, in grey, and its dots per inch."""
    width, height = page.get_size()
    dpi = max(1, int(min(_DPI, 72 * (_MOST_PIXELS / (width * height)) ** 0.5)))
    return page.render(scale=dpi / 72, grayscale=True).to_pil().convert("L"), dpi
