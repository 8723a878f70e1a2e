"""Citations sent beside an answer become markers in it, and every place maps back (N2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.answers.external_citations import GivenCitation, as_given, insert_markers
from citewell_verify.answers.statements import statements
from verify_material.rows import for_all_rows

TWO = "Refunds take 14 days. Shipping is free."


@for_all_rows(
    ("start", "end", "marked"),
    [
        (0, 20, "Refunds take 14 days[†1]. Shipping is free."),
        (0, 21, "Refunds take 14 days.[†1] Shipping is free."),
        (0, 22, "Refunds take 14 days.[†1] Shipping is free."),  # the space after it is not cited
        (0, 10, "Refunds take 14 days.[†1] Shipping is free."),  # inside a word
        (0, 39, "Refunds take 14 days.[†1] Shipping is free.[†1]"),
        (30, 39, "Refunds take 14 days. Shipping is free.[†1]"),
    ],
)
def test_a_marker_stands_behind_what_is_cited(start: int, end: int, marked: str) -> None:  # N2
    assert insert_markers(TWO, [GivenCitation(start, end, 1)]).text == marked


@pytest.mark.parametrize("answer", ["Run `citewell up` first.", "It is so [Source: 1] today."])
def test_nothing_is_put_into_code_or_a_marker(answer: str) -> None:  # N2
    inside = answer.index("`") + 4 if "`" in answer else answer.index("1]")
    marked = insert_markers(answer, [GivenCitation(0, inside, 2)]).text
    (statement,) = statements(marked)
    assert 2 in statement.numbers


_TEXTS = st.lists(
    st.sampled_from(["Refunds take 14 days. ", "See [1]. ", "`code` (x) ", "배송은 무료입니다. ", "a: b\n\n"])
)


@given(_TEXTS.map("".join).filter(bool), st.data())
def test_places_of_the_marked_answer_are_those_of_the_given_one(answer: str, data: st.DataObject) -> None:  # N2
    place = st.integers(0, len(answer) - 1)
    spans = data.draw(st.lists(st.tuples(place, place, st.integers(1, 12)), max_size=5))
    marked = insert_markers(answer, [GivenCitation(min(a, b), max(a, b) + 1, n) for a, b, n in spans])
    kept = [n for n in range(len(marked.text)) if as_given(n + 1, marked.inserted) > as_given(n, marked.inserted)]
    assert "".join(marked.text[n] for n in kept) == answer
    assert all(answer[as_given(n, marked.inserted)] == marked.text[n] for n in kept)
