"""Long runs of spaces in a question or a citation cost no more than their length (issue 43, F9 of the drills)."""

import time

import pytest

from citewell_verify.markers.citable import citable_sources
from citewell_verify.question.question_parts import parts_of

MOST_S = 1.0
"""CPU seconds; with a growth by the square it was over a minute."""


@pytest.mark.parametrize("run", ["\f", "\n\n", " ", "\t "])
def test_a_citation_with_a_long_run_of_spaces_is_resolved_at_once(run: str) -> None:
    sources = citable_sources([{"title": "Returns"}, {"title": "Fees"}])
    began = time.process_time()
    assert sources.resolve(f"Nothing{run * 30_000}, Fees") == ((2,), ("Nothing",))
    assert sources.resolve(f"Returns{run * 30_000}; Fees")[0] == (1, 2)
    assert time.process_time() - began < MOST_S


@pytest.mark.parametrize("run", ["\n\n", " ", "\f"])
def test_a_question_of_spaces_is_divided_at_once(run: str) -> None:
    began = time.process_time()
    for _ in range(20):
        assert len(parts_of(f"What does it cost,{run * 900} and how long does it take?")) == 2
    assert time.process_time() - began < MOST_S
