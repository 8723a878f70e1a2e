"""What a page does not show is no text of the document, and everything that it shows is."""

import pytest

from citewell_documents.parsing import ParseLimits, parse
from document_material.pdf_files import raw
from document_material.pdf_hidden import HIDDEN, SEEN, hidden_pages, honest_pages, scan, words

LIMITS = ParseLimits(max_pages=50, max_chars=100_000)
HIDDEN_PAGES, HONEST_PAGES = hidden_pages(), honest_pages()


@pytest.mark.parametrize("way", HIDDEN_PAGES)
def test_hidden_words_are_left_out_and_the_document_says_how_many(way: str) -> None:
    document = parse(HIDDEN_PAGES[way], "page.pdf", LIMITS)
    assert document.text == SEEN
    assert " on page 1: " in document.found["hidden_text"]


@pytest.mark.parametrize("way", HONEST_PAGES)
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
