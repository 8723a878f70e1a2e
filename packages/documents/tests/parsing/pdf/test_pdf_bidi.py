"""Right-to-left characters in PDFium's order, put into reading order."""

from citewell_documents.parsing.pdf.bidi import in_logical_order


def ordered(text: str, *, ligature: int | None = None, missing: int | None = None) -> str:
    """The text in reading order; `ligature`: this character and the next share a box."""
    boxes = {index: (100.0 - 5 * index, 104.0 - 5 * index) for index in range(len(text))}
    if ligature is not None:
        boxes[ligature + 1] = boxes[ligature]
    characters = [(index, ord(character)) for index, character in enumerate(text) if index != missing]
    return "".join(chr(code) for _, code in in_logical_order(characters, boxes))


def test_the_parts_of_a_ligature_change_places() -> None:
    assert ordered("اإلنتاجية", ligature=1) == "الإنتاجية"
    assert ordered("اإلنتاجية") == "اإلنتاجية"


def test_a_word_that_replaces_a_drawing_is_turned_round() -> None:
    characters = [(index, ord(character)) for index, character in enumerate("يبيبَح")]
    boxes = {index: (100.0, 140.0) for index, _ in characters}
    assert "".join(chr(code) for _, code in in_logical_order(characters, boxes)) == "حَبيبي"


def test_a_mark_goes_behind_its_letter_and_its_space_vanishes() -> None:
    assert ordered("أي ًضا") == "أيضًا"
    assert ordered("بنا ًء على") == "بناءً على"


def test_a_mark_behind_its_letter_stays() -> None:
    assert ordered("بناءً على حَبيبي") == "بناءً على حَبيبي"


def test_a_space_stands_where_the_direction_changes() -> None:
    assert ordered("لغة Pythonمن") == "لغة Python من"


def test_other_scripts_stay_as_they_are() -> None:
    assert ordered("Cafe\u0301 전기 2020") == "Cafe\u0301 전기 2020"
