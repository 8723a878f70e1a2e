"""Weighted verification (S1): the seed's numbers, examples and messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.markers.citable import SourceNames, names_of
from citewell_verify.verdicts.states import (
    ALIGNMENT_ISSUE,
    COVERAGE_ISSUE,
    FACTS_ISSUE,
    Part,
    Thresholds,
    Weights,
    citation_coverage,
    facts_score,
    issues,
    keyword_overlap,
    overall,
)
from verify_material.rows import for_all_rows

APPLE = names_of({"filename": "filing.txt", "metadata": {"ticker": "AAPL", "year": "2023", "filing_type": "10-Q"}})
unit = st.floats(0, 1)


def source(filename: str = "x.md", section: str | None = None, title: str | None = None) -> SourceNames:
    return names_of({"filename": filename, "section": section, "title": title})


def test_overlap_is_the_share_of_the_answers_words_averaged_over_chunks() -> None:  # S1.2
    assert keyword_overlap("refunds take ten days", ["Refunds take time.", "ten days"]) == pytest.approx(0.5)


@pytest.mark.parametrize(("answer", "chunks"), [("", ["a"]), ("word", []), ("!?", ["a"])])
def test_without_words_or_chunks_nothing_overlaps(answer: str, chunks: list[str]) -> None:  # S2.6
    assert keyword_overlap(answer, chunks) == 0.0


def test_the_seeds_example_is_fully_covered() -> None:  # S1.3
    answer = "Apple's revenue was $394 billion [Source: AAPL 10-Q 2023]"
    assert citation_coverage(answer, [APPLE] * 5) == 1.0


@for_all_rows(
    ("answer", "expected"),
    [
        ("Nothing is named here.", 0.0),
        ("It says so [1].", 0.5 + 0.1),
        ("It says so [†1].", 0.5 + 0.1),
        ("It says so [Source: 1].", 0.5 + 0.1),
        ("It says so (Source: 2).", 0.5 + 0.1),
        ("According to the report it is so.", 0.1),
        ("Per the filing it is so.", 0.1),
        ("It is in the quarterly 10-Q filing.", 0.1),
        ("As the guide.md says.", 0.5),
        ("As the guide says.", 0.0),
        ("See Token Rotation.", 0.5),
        ("One [1]. Two [2].", 1.0),
        ("A [1]. B [1]. C [1]. D [1]. E [1].", 0.5 + 0.3),
        ("A [9]. B [9].", 0.0),
    ],
)
def test_coverage_counts_named_sources_and_patterns(answer: str, expected: float) -> None:  # S1.3
    sources = [source("guide.md", section="Token Rotation"), source("other.pdf", title="Annual Report")]
    assert citation_coverage(answer, sources) == pytest.approx(expected)


def test_an_identifier_inside_another_word_does_not_count() -> None:  # S1.3
    apple = names_of({"filename": "f", "metadata": {"ticker": "APPLE", "year": "2023"}})
    assert citation_coverage("SNAPPLES cost 20231 dollars", [apple]) == 0


@pytest.mark.parametrize("name", ["ΈΚΘΕΣΗ ΑΘΉΝΑΣ", "έκθεση αθήνας", "Izmir 2024", "§ 5/α"])
def test_a_name_counts_in_any_case_where_no_letter_stands_beside_it(name: str) -> None:  # S1.3
    answer = f"x{name} {name}2 says so, and"
    assert citation_coverage(f"{answer} nobody else.", [source("a", title=name)]) == 0
    assert citation_coverage(f"{answer} ({name.swapcase()}) does.", [source("a", title=name)]) == 1


@given(st.text(), st.lists(st.builds(source, st.text(), st.text(), st.text()), max_size=5))
def test_coverage_stays_within_bounds_for_any_text(answer: str, sources: list[SourceNames]) -> None:  # S1.3
    assert 0 <= citation_coverage(answer, sources) <= 1


@pytest.mark.parametrize(("verified", "expected"), [([True, True, False], 2 / 3), ([False], 0.0), ([], 1.0)])
def test_facts_are_verified_claims_over_all(verified: list[bool], expected: float) -> None:  # S1.4, S2.6
    assert facts_score(verified) == pytest.approx(expected)


def test_the_overall_score_weighs_forty_thirty_thirty() -> None:  # S1.5
    assert overall(Part(0.45), Part(1.0), Part(1.0), Weights()) == pytest.approx(0.78)


@given(unit, unit, unit, st.floats(0.01, 10), st.floats(0, 10), st.floats(0, 10))
def test_any_weights_keep_the_overall_score_between_its_parts(
    a: float, c: float, f: float, wa: float, wc: float, wf: float
) -> None:  # S1.5
    score = overall(Part(a), Part(c), Part(f), Weights(wa, wc, wf))
    assert min(a, c, f) - 1e-9 <= score <= max(a, c, f) + 1e-9


def test_no_weight_at_all_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one weight"):
        overall(Part(1), Part(1), Part(1), Weights(0, 0, 0))


@for_all_rows(
    ("alignment", "coverage", "facts", "expected"),
    [
        (0.5, 0.5, 0.7, []),
        (0.49, 0.5, 0.7, [ALIGNMENT_ISSUE]),
        (0.5, 0.49, 0.7, [COVERAGE_ISSUE]),
        (0.5, 0.5, 0.69, [FACTS_ISSUE]),
        (0.0, 0.0, 0.0, [ALIGNMENT_ISSUE, COVERAGE_ISSUE, FACTS_ISSUE]),
    ],
)
def test_issues_follow_from_the_seeds_thresholds(
    alignment: float, coverage: float, facts: float, expected: list[str]
) -> None:  # S1.5
    assert issues(Part(alignment), Part(coverage), Part(facts), Thresholds()) == expected


def test_what_was_not_checked_is_an_issue_with_its_reason() -> None:  # S1.2, S1.4, N4
    found = issues(Part(0.9, "fallback", "timeout"), Part(0.9), Part(0.5, "not_checked", "bad JSON"), Thresholds())
    assert found == [FACTS_ISSUE, "Alignment: fallback (timeout)", "Facts: not checked (bad JSON)"]


def test_a_source_named_in_brackets_is_a_pattern_too() -> None:  # S1.3
    sources = [
        names_of({"filename": f"report-{n}.pdf", "metadata": {"ticker": ticker}})
        for n, ticker in enumerate(("AAPL", "MSFT"), start=1)
    ]
    assert citation_coverage("Revenue rose [Source: AAPL].", sources) == pytest.approx(0.5 + 0.1)
    assert citation_coverage("Revenue rose (출처: AAPL 10-Q).", sources) == pytest.approx(0.5 + 0.1)
    assert citation_coverage("Revenue rose [Source: 9].", sources) == 0.0
