"""Finds pages of a PDF that are pictures of text or have unreadable text, and draws them for text recognition."""

import re
import unicodedata
from collections import Counter

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image

from citewell_documents.parsing.pdf.lines import Line
from citewell_documents.parsing.pdf.visible.texts import pictures_of

_DPI, _MOST_PIXELS = 300, 12_000_000
_FEW_LETTERS = 60  # a stamp or a page number on a scan has no more letters
_MOST_PICTURES, _CELLS = 5_000, 20  # cells of the page each way; the covered ones are counted
_COVERED = 0.5  # of the page
# Among 8,400 pages of reports, textbooks and Korean and Arabic documents, pages of formulas have the fewest letters:
# 68 %. A damaged font gives 20 to 34 %. A short page may consist of a formula or a row of a table, so it is not judged.
_LEAST_READABLE = 0.4
_FEW_SHOWN = 60
_REPEATED = re.compile(r"([.·…_=*~|–—─-])(?:\s?\1){3,}")  # leaders, rules, and blanks of forms


def is_picture(page: pdfium.PdfPage, lines: list[Line]) -> bool:
    """True if the page shows something and has no text, or if it has hardly any text and pictures cover half of it."""
    letters = sum(len(line.text) for line in lines)
    if letters > _FEW_LETTERS:
        return False
    if not letters:
        return pdfium_c.FPDFPage_CountObjects(page) > 0
    return _is_pictured(page)


def _is_pictured(page: pdfium.PdfPage) -> bool:
    """True if pictures together cover most of the page: some scanners save a page in strips."""
    left, bottom, right, top = page.get_bbox()
    wide, high = (right - left) / _CELLS, (top - bottom) / _CELLS
    boxes = pictures_of(page)[:_MOST_PICTURES]
    covered = sum(
        any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in boxes)
        for x in (left + wide * (column + 0.5) for column in range(_CELLS))
        for y in (bottom + high * (row + 0.5) for row in range(_CELLS))
    )
    return covered > _COVERED * _CELLS**2


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
