"""What cited words are of a picture: of several kinds, what most of them are (N3)."""

from citewell_documents.figures import Figure, FigureKind, figure_of, stored
from domain.documents.corrections import moved_spans, replacement
from domain.documents.text_marks import UNMARKED, TextMarks, in_words
from verify_material.rows import for_all_rows

FIGURES = [["alternative_text", 0, 10], ["caption", 12, 20], ["chart", 40, 50]]


@for_all_rows(
    ("start", "end", "kind"),
    [
        (0, 10, "alternative_text"),
        (14, 18, "caption"),
        (12, 27, "caption"),
        (12, 28, None),
        (0, 20, "alternative_text"),
        (8, 20, "caption"),
        (20, 40, None),
        (45, 45, None),
    ],
)
def test_words_are_of_a_picture_if_most_of_them_are(start: int, end: int, kind: FigureKind | None) -> None:  # N3
    assert figure_of(FIGURES, start, end) == kind


def test_marks_belong_to_their_document_and_stand_beside_those_of_recognition() -> None:  # N3
    marks = TextMarks({("a", 1): [[0, 20, 0.5]]}, {"a": FIGURES}, {})
    assert marks.of("a", 1, 12, 20) == {**UNMARKED, "recognised_confidence": 0.5, "figure": "caption"}
    assert marks.of("a", None, 12, 20) == {**UNMARKED, "figure": "caption"}
    assert marks.of("b", 1, 12, 20) == UNMARKED
    assert in_words(marks.of("a", 1, 12, 20)) == "caption of a figure; recognised text, confidence 0.50"
    assert in_words({"document": "a.md"}) == ""


def test_a_correction_moves_them_with_their_words() -> None:  # N3
    old = "Text of a page. Figure 1: Sales."
    change = replacement(0, "Text of a page.", "Text of many pages.")
    moved = moved_spans(stored([Figure("caption", 16, 32)]), change) or []
    assert [change.applied(old)[start:end] for _, start, end in moved] == ["Figure 1: Sales."]
    assert moved_spans(stored([]), change) is None
