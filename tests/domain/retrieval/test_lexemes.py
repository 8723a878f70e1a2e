"""The words of a passage that the search by words finds are marked where they stand."""

from domain.retrieval.lexemes import matched_spans


def marked(question: str, text: str) -> list[str]:
    return [text[start:end] for start, end in matched_spans(question, text)]


def test_words_are_marked_in_all_their_forms_and_stop_words_are_not() -> None:
    assert marked("How long does a RETURN take?", "Returns are taken for 30 days; a return takes long.") == [
        "Returns",
        "return",
        "takes",
        "long",
    ]
    assert marked("of the", "of the things") == []


def test_accents_and_numbers_are_compared_as_the_search_does() -> None:
    assert marked("Muller 2,500.50", "😀 Müller paid 2,500.50 and 2,500.") == ["Müller", "2,500.50"]


def test_pairs_of_korean_characters_are_marked_together() -> None:
    assert marked("환불 기간은?", "상품의 환불기간은 30일입니다.") == ["환불", "기간은"]
    assert marked("환불 기간", "환불기간") == ["환불", "기간"]
