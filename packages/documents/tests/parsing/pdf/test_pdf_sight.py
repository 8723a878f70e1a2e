"""What a page does not show is no text of the document, and everything that it shows is."""

from random import Random
from time import process_time

import pypdfium2 as pdfium
import pytest

from citewell_documents.parsing import ParseLimits, parse
from citewell_documents.parsing.pdf.visible import texts
from document_material.pdf_files import raw
from document_material.pdf_hidden import HIDDEN, SEEN, hidden_pages, honest_pages, scan, words
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=50, max_chars=100_000)
HIDDEN_PAGES, HONEST_PAGES = hidden_pages(), honest_pages()


@for_all_rows("way", HIDDEN_PAGES)
def test_hidden_words_are_left_out_and_the_document_says_how_many(way: str) -> None:
    document = parse(HIDDEN_PAGES[way], "page.pdf", LIMITS)
    assert document.text == SEEN
    assert " on page 1: " in document.found["hidden_text"]


@for_all_rows("way", HONEST_PAGES)
def test_words_that_can_be_read_stay(way: str) -> None:
    document = parse(HONEST_PAGES[way], "page.pdf", LIMITS)
    assert SEEN in document.text
    assert "hidden_text" not in document.found


@pytest.mark.parametrize(
    "layer",
    [f"SCAN{words(SEEN, mode=3)}", f"{words(SEEN)}SCAN", f"SCAN{words(SEEN, mode=3)}{words('Copy', 30)}"],
    ids=["below a scan", "behind a scan", "with a stamp"],
)
def test_what_was_recognised_in_a_scan_is_read(layer: str) -> None:
    document = parse(scan(seen=words(SEEN), layer=layer), "scan.pdf", LIMITS)
    assert SEEN in document.text
    assert "hidden_text" not in document.found


@for_all_rows(("strips", "top"), [(4, 800), (1, 380), (3, 360)])
@for_all_rows("typed", ["", "Typed above the receipt, and more than what was recognised in it."])
def test_a_scan_in_strips_or_on_a_part_of_the_page_keeps_what_was_recognised(strips: int, top: int, typed: str) -> None:
    layer = f"SCAN{words(SEEN, 300, mode=3)}{words(typed, 700)}"
    document = parse(scan(seen=words(SEEN, 300), layer=layer, strips=strips, top=top), "scan.pdf", LIMITS)
    assert SEEN in document.text
    assert typed in document.text
    assert "hidden_text" not in document.found


def test_letters_of_a_scan_are_no_lines_through_its_words() -> None:
    seen = "1 w 72 604 m 280 604 l S"  # as the letters of Hindi hang from a line
    document = parse(scan(seen=seen, layer=f"SCAN{words(SEEN, mode=3)}"), "scan.pdf", LIMITS)
    assert document.text == SEEN


def test_invisible_words_where_a_scan_is_blank_are_hidden() -> None:
    layer = f"SCAN{words(SEEN, mode=3)}{words(HIDDEN, 300, mode=3)}"
    document = parse(scan(seen=words(SEEN), layer=layer), "scan.pdf", LIMITS)
    assert document.text == SEEN
    assert document.found["hidden_text"].startswith("9 words on page 1: ")


def test_what_is_left_out_of_a_sentence_leaves_it_whole() -> None:
    text = words("The fee is 80 95 euros.") + "1 0 0 rg 128 603 13 1 re f"
    assert parse(raw(text), "fee.pdf", LIMITS).text == "The fee is 95 euros."


def test_a_word_that_is_covered_in_part_loses_what_is_covered() -> None:
    text = words("The rent is 1500 euros.") + "1 g 131.5 595 7 20 re f"
    assert parse(raw(text), "rent.pdf", LIMITS).text == "The rent is 500 euros."


def test_words_are_struck_as_wholes() -> None:
    text = words("The fee is 80 euros and 95 cents.") + "0.8 w 127 604 m 172 604 l S"
    assert parse(raw(text), "fee.pdf", LIMITS).text == "The fee is and 95 cents."


def test_a_line_that_begins_in_the_middle_of_a_word_leaves_its_letters_together() -> None:
    text = words("The deposit is 300 euros.") + "0.8 w 121.5 604 m 134 604 l S"
    assert parse(raw(text), "deposit.pdf", LIMITS).text == "The deposit is 300 euros."


def test_texts_beyond_the_limit_of_a_page_count_as_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_MOST_OBJECTS", 3)
    lines = [f"Room {number} costs {number + 40} euros." for number in range(6)]
    page = raw("".join(words(line, 700 - 20 * at) for at, line in enumerate(lines)))
    document = parse(page, "prices.pdf", LIMITS)
    assert [line for line in lines if line not in document.text] == []
    assert "hidden_text" not in document.found


def test_labels_that_overlap_are_searched_once_for_the_whole_page() -> None:
    places = Random(1)
    labels = [
        words(f"Valve {at} of the plan of the hall", 20 + 700 * places.random(), x=20 + 500 * places.random())
        for at in range(1_500)
    ]
    page = pdfium.PdfDocument(raw("".join(labels)))[0]
    textpage, placed = page.get_textpage(), texts.texts_of(page)
    started = process_time()
    assert texts.layers_of(placed, textpage)
    assert process_time() - started < 1
