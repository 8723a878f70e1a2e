"""Pages of PDFs as pictures, drawn in a confined process."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from citewell_documents.errors import (
    DocumentEncrypted,
    DocumentTooLarge,
    DocumentTooSlow,
    DocumentUnreadable,
    DocumentUnusable,
    PageNotFound,
)
from citewell_documents.parsing import ParseLimits
from citewell_documents.parsing.limits import MAX_PIXELS, MAX_WIDTH
from citewell_documents.parsing.sandbox.isolated import picture_isolated
from document_material import bombs
from document_material.pdf_files import Sheet, encrypted, raw
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=5_000, max_chars=2_000_000, memory_mb=256, base_s=60, s_per_mb=0)
PDF = Sheet().block("Goods come back within 30 days.").data()
MARGIN_S = 20


def drawn(data: bytes, *, number: int = 1, width: int = 600) -> Image.Image:
    return Image.open(BytesIO(picture_isolated(data, "a.pdf", number, width, LIMITS)))


def test_a_page_is_drawn_as_wide_as_asked_for() -> None:
    picture = drawn(PDF)
    assert (picture.format, picture.width, picture.height) == ("WEBP", 600, 849)
    assert min(picture.convert("L").tobytes()) < 60


def test_a_page_is_drawn_as_it_is_displayed() -> None:
    black = raw("0 0 0 rg 0 700 600 100 re f")  # the upper part of the page
    turned = black.replace(b"/Resources", b"/Rotate 90 /Resources")
    upright, sideways = drawn(black).convert("L"), drawn(turned, width=800).convert("L")
    assert [upright.getpixel((300, 20)), upright.getpixel((300, 700))] == [0, 255]
    assert [sideways.getpixel((780, 300)), sideways.getpixel((100, 300))] == [0, 255]


@pytest.mark.parametrize("box", ["0 0 100 14000", "0 0 14000 100", "0 0 1 1"])
def test_no_shape_of_a_page_makes_a_picture_of_any_size(box: str) -> None:  # A8
    picture = drawn(raw("BT ET", box), width=MAX_WIDTH)
    assert picture.width * picture.height <= 1.01 * MAX_PIXELS


@for_all_rows(
    ("data", "number", "error"),
    [
        (PDF, 2, PageNotFound),
        (PDF, 0, PageNotFound),
        (encrypted(PDF, "secret"), 1, DocumentEncrypted),
        (b"%PDF-1.7 and no more", 1, DocumentUnreadable),
        (b"no PDF", 1, DocumentUnreadable),
    ],
)
def test_what_cannot_be_drawn_says_why(data: bytes, number: int, error: type[DocumentUnusable]) -> None:
    with pytest.raises(error):
        picture_isolated(data, "a.pdf", number, 600, LIMITS)


@pytest.mark.slow
@pytest.mark.parametrize("bomb", [bombs.inflating, bombs.laughing, bombs.recursive, bombs.slow])
def test_a_bomb_costs_only_the_process_that_draws_it(bomb: Callable[[], bytes]) -> None:  # A8
    data, began = bomb(), time.monotonic()
    with suppress(DocumentTooLarge, DocumentTooSlow, DocumentUnreadable):
        assert len(picture_isolated(data, "bomb.pdf", 1, MAX_WIDTH, replace(LIMITS, base_s=5))) > 0
    assert time.monotonic() - began < 5 + MARGIN_S
