"""A correction moves every offset to where the same words stand in the new text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_documents import blocks
from citewell_documents.blocks import Block
from citewell_documents.boxes import PageBoxes, Recognised, WordBox, are_sound, boxes_of_span, packed
from citewell_documents.document import TextChunk
from domain.documents.corrections import (
    corrected_text,
    moved_blocks,
    moved_boxes,
    moved_chunk,
    moved_spans,
    replacement,
)
from domain.errors.requests import CorrectionInvalid
from verify_material.rows import for_all_rows

LETTERS = st.text("ab \n€😀", min_size=1, max_size=12)


@given(LETTERS, LETTERS, LETTERS, LETTERS)
def test_a_replacement_makes_the_one_text_into_the_other(head: str, before: str, after: str, tail: str) -> None:  # N3
    change = replacement(len(head), before, after)
    assert change.applied(head + before + tail) == head + after + tail
    assert len(head) <= change.start < change.end <= len(head) + len(before)
    # What stands before and behind is moved as it stands there; the edges of what was replaced are its edges.
    assert [change.moved(place) for place in range(len(head) + 1)] == list(range(len(head) + 1))
    ends = [change.moved(len(head + before) + place) for place in range(len(tail) + 1)]
    assert ends == [len(head + after) + place for place in range(len(tail) + 1)]
    moved = [change.moved(place) for place in range(len(head + before + tail) + 1)]
    assert moved == sorted(moved)


def test_only_what_differs_is_replaced() -> None:
    change = replacement(10, "Returns take 30 days.", "Returns take 45 days.")
    assert change == (23, 24, "4") or change == (23, 25, "45")
    assert replacement(0, "30 days", "30 days, at most") == (6, 7, "s, at most")
    assert replacement(0, "days", "30 days") == (0, 1, "30 d")


def test_pages_sections_and_blocks_stay_around_their_words() -> None:  # N3
    old, new = "Intro\nReturns take 30 days.\nEnd", "Intro\nReturns take thirty days.\nEnd"
    change = replacement(6, "Returns take 30 days.", "Returns take thirty days.")
    assert change.applied(old) == new
    pages = moved_spans([[1, 0, 6], [2, 6, len(old)]], change) or []
    assert [new[start:end] for _, start, end in pages] == ["Intro\n", "Returns take thirty days.\nEnd"]
    stored = blocks.stored([Block("heading", 0, 5, 1), Block("table", 6, 27, header_end=13), Block("text", 28, 31)])
    moved = blocks.restored(moved_blocks(stored, change) or [])
    assert [new[span.start : span.end] for span in moved] == ["Intro", "Returns take thirty days.", "End"]
    assert blocks.are_sound(moved, len(new))
    assert new[moved[1].start : moved[1].header_end] == "Returns"
    assert moved_spans(None, change) is None
    assert moved_blocks(None, change) is None


def test_a_removed_heading_has_no_block_and_one_that_becomes_a_paragraph_is_text() -> None:
    old = "Top\n\nAlpha\n\nAll parts."
    stored = blocks.stored([Block("heading", 0, 3, 1), Block("heading", 5, 10, 2), Block("text", 12, len(old))])
    for put, kinds in (
        ("", ["Top heading", "All parts. text"]),
        ("Beta\n\n", ["Top heading", "Beta heading", "All parts. text"]),
        ("One line\nand more\n\n", ["Top heading", "One line\nand more text", "All parts. text"]),
        ("The list: ", ["Top heading", "The list:  text", "All parts. text"]),
    ):
        new = old.replace("Alpha\n\n", put)
        moved = blocks.restored(moved_blocks(stored, replacement(0, old, new)) or [])
        assert [f"{new[block.start : block.end]} {block.kind}" for block in moved] == kinds, put
        assert blocks.are_sound(moved, len(new))


def words_of(text: str) -> bytes:
    place, boxes = 0, list[WordBox]()
    for number, word in enumerate(text.split(" ")):
        boxes.append(WordBox(place, place + len(word), 10.0 * number, 0, 10.0 * number + 9, 10))
        place += len(word) + 1
    return packed(boxes)


@pytest.mark.parametrize(
    "new",
    [
        "Returns take 45 days here.",
        "Returns take about forty five long days here.",
        "Returns take days here.",
        "x here.",
    ],
)
def test_boxes_of_replaced_words_share_what_stands_there(new: str) -> None:
    old = "Returns take 30 days here."
    change = replacement(0, old, new)
    lines = (Recognised(0, len(old), 0.9),)
    page = moved_boxes(PageBoxes(1, 100.0, 20.0, words_of(old), lines), change)
    assert are_sound(page, 0, len(new))
    last = new.index("here.")
    # The word behind is where it was on the page.
    (box,) = boxes_of_span(page.words, last, len(new))
    assert (box.left, box.right) == (40.0, 49.0)


def test_a_chunk_that_repeats_what_was_corrected_is_corrected_too() -> None:
    old = "One. Two is old. Three."
    change = replacement(5, "Two is old.", "Two is new, and longer.")
    new = change.applied(old)
    repeating = TextChunk(1, 5, len(old), old[5:], 3, "Numbers", "context")
    moved = moved_chunk(repeating, new, change)
    assert moved.text == new[moved.start : moved.end] == "Two is new, and longer. Three."
    assert (moved.index, moved.page, moved.section, moved.context) == (1, 3, "Numbers", "context")


@for_all_rows(
    ("sent", "says"),
    [
        ("  \n ", "exclude it"),
        ("same", "there already"),
        (" same\r\n", "there already"),
        ("bell \x07", "control characters"),
        ("long " * 5_000, "the limit is 20,000"),
    ],
)
def test_what_is_no_correction_is_refused(sent: str, says: str) -> None:
    with pytest.raises(CorrectionInvalid, match=says):
        corrected_text(sent, "same")
