"""The place of every word on its page, compared with what another reader of PDFs finds there."""

from dataclasses import replace

import pytest

from benchmarks.search.boxes import compare
from citewell_documents.boxes import boxes_of_span, words_on
from citewell_documents.document import ParsedDocument
from citewell_documents.parsing import ParseLimits, parse
from document_material.pdf_files import Sheet, drawing, raw
from document_material.pdf_kinds import KINDS
from document_material.pdf_truth import Truth

LIMITS = ParseLimits(max_pages=50, max_chars=400_000)
SPANS = 25
# The others take long: those of turned pages three seconds each.
QUICK = {"two columns", "hyphenated", "tables", "Korean"}


def boxes_of(document: ParsedDocument, words: str) -> list[tuple[int, ...]]:
    """The rounded boxes of the first occurrence of some words: left, top, right, bottom."""
    start = document.text.index(words)
    end = start + len(words)
    number = next(page.number for page in document.pages if page.start <= start < page.end)
    page = next(page for page in document.boxes if page.number == number)
    return [tuple(round(side) for side in box[2:]) for box in boxes_of_span(page.words, start, end)]


@pytest.mark.parametrize(
    "kind", [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS]
)
def test_the_words_under_the_boxes_are_those_of_the_span(kind: str) -> None:  # N3
    data, _ = KINDS[kind](Truth(1))
    document = parse(data, "truth.pdf", LIMITS)
    tally = compare(data, document, SPANS)
    assert tally.examples == []
    assert tally.right > 3 * SPANS
    # A word that the other reader cannot read proves nothing.
    assert tally.unread == 0
    assert tally.spilled == 0


def test_ligatures_and_repeated_words_have_the_box_of_their_own_letters() -> None:
    data = raw("BT /F1 20 Tf 100 700 Td (a \\256nd a \\256nd) Tj ET")
    document = parse(data, "a.pdf", LIMITS)
    assert document.text == "a find a find"
    (first,), (whole,) = boxes_of(document, "find"), boxes_of(document, "a find a find")
    assert whole[0] <= 102
    assert 110 < first[0] < first[2] < whole[2] - 40
    assert compare(data, document, 20).right > 20


def test_a_word_divided_at_the_end_of_a_line_has_two_boxes() -> None:
    above = "The carrier will return the defec-"
    content = f"BT /F1 12 Tf 14 TL 72 700 Td ({above}) Tj T* (tive articles before spring.) Tj ET"
    document = parse(raw(content), "a.pdf", LIMITS)
    assert "defective articles" in document.text
    first, second = boxes_of(document, "defective")
    assert first[1] < second[1]
    assert first[0] > second[0]


def test_a_box_is_told_from_the_corner_of_the_visible_page() -> None:
    content = "BT /F1 20 Tf 150 700 Td (Refund) Tj ET"
    whole = parse(raw(content), "a.pdf", LIMITS)
    cut = parse(raw(content).replace(b"/Resources", b"/CropBox [100 100 600 750] /Resources"), "a.pdf", LIMITS)
    turned = parse(raw(content).replace(b"/Resources", b"/Rotate 90 /Resources"), "a.pdf", LIMITS)
    both = raw(content).replace(b"/Resources", b"/CropBox [100 100 600 750] /Rotate 90 /UserUnit 2 /Resources")
    (box,), (moved,), (round_,) = boxes_of(whole, "Refund"), boxes_of(cut, "Refund"), boxes_of(turned, "Refund")
    assert moved == (box[0] - 100, box[1] - 50, box[2] - 100, box[3] - 50)
    assert (cut.boxes[0].width, cut.boxes[0].height) == (500, 650)
    assert (turned.boxes[0].width, turned.boxes[0].height) == (800, 600)
    # Displayed turned by 90° clockwise: what was the lower edge is the left one.
    assert round_ == (800 - box[3], box[0], 800 - box[1], box[2])
    shown = parse(both, "a.pdf", LIMITS)
    (scaled,) = boxes_of(shown, "Refund")
    width = shown.boxes[0].width
    assert [round(side * 650 / width) for side in scaled] == [650 - moved[3], moved[0], 650 - moved[1], moved[2]]


def test_the_cells_of_a_row_have_boxes_of_their_own() -> None:
    rows = [["Article", "Price"], ["Pump", "12.50"], ["Valve", "7.00"], ["Hose", "3.10"]]
    document = parse(Sheet().rows(rows).data(), "a.pdf", LIMITS)
    (pump,), (price,) = boxes_of(document, "Pump"), boxes_of(document, "12.50")
    assert boxes_of(document, "Pump\t12.50") == [pump, price]


def test_pages_without_words_have_a_size_and_long_documents_no_more_boxes_than_allowed() -> None:
    data = Sheet().block("Goods come back within 30 days.").data()
    document = parse(data, "a.pdf", replace(LIMITS, max_words=3))
    assert words_on(document.boxes) == 0
    assert [round(page.width) for page in document.boxes] == [595]
    assert words_on(parse(data, "a.pdf", LIMITS).boxes) == 6
    with pytest.raises(Exception, match="contains no text"):
        parse(drawing(), "a.pdf", LIMITS)
