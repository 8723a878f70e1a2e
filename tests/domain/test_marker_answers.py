"""Answers with citations in every form come back byte for byte but for their markers (V5)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.verdicts.marker_answers import FORMS, marked_answer
from benchmarks.verdicts.markers import measured, violations

WRONG = st.frozensets(st.tuples(st.integers(0, 5), st.integers(1, 9)), max_size=8)


@given(st.integers(0, 10**9), WRONG)
@settings(deadline=None)
def test_no_number_is_left_unchecked_dangling_skipped_or_twice_and_no_other_byte_changes(
    seed: int, wrong: frozenset[tuple[int, int]]
) -> None:  # V5, S5.5
    answer = marked_answer(seed)
    assert list(violations(answer, wrong)) == [], answer.text


@pytest.mark.slow
def test_in_a_thousand_answers_of_all_forms_there_is_no_violation() -> None:  # V5
    answers, found, examples = measured(1_000)
    assert set(answers) == set(FORMS)
    assert (found.total(), examples) == (0, [])
