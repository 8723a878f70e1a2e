"""The benchmark's cases: enough of them, always the same, and the deterministic layer stays as good as it was."""

import re
from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks.verdicts.planted_cases import Case, all_cases
from benchmarks.verdicts.planted_errors import ERRORS
from benchmarks.verdicts.planted_passages import plain, read_passages
from citewell_verify.evidence.contradictions import disagreements
from verify_material.rows import for_all_rows

CASES = all_cases()
PASSAGES = read_passages()
DIGITS = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w.,-]*\d)")
VERBATIM = [(plain(sentence), passage.text) for passage in PASSAGES for sentence in passage.sentences]


def caught(kind: str, language: str) -> float:
    cases = [case for case in CASES if case.kind == kind and case.language == language]
    return sum(bool(disagreements(case.claim, case.source)) for case in cases) / len(cases)


def test_there_are_enough_cases_of_every_kind_in_both_languages() -> None:
    counts = Counter((case.kind, case.language) for case in CASES)
    assert min(counts[kind, language] for kind in ERRORS for language in ("en", "ko")) >= 15
    assert sum(counts.values()) >= 500
    assert Counter(passage.language for passage in PASSAGES) >= Counter(en=25, ko=25)


def test_the_same_seed_gives_the_same_cases() -> None:
    assert all_cases(3) == all_cases(3)
    assert all_cases(3) != all_cases(4)


def test_an_error_changes_the_sentence() -> None:
    def is_planted(case: Case) -> bool:
        return case.kind not in ("clean", "swapped source")

    assert all(case.claim not in case.source for case in CASES if is_planted(case) and case.how != "x")


@for_all_rows("language", ["en", "ko"])
@for_all_rows(
    ("kind", "least"),
    [("number", 0.95), ("date", 0.95), ("unit", 0.9), ("scale", 0.9), ("name", 0.7), ("negation", 0.8)],
)
def test_planted_errors_are_caught(kind: str, least: float, language: str) -> None:
    assert caught(kind, language) >= least  # S4.4


@pytest.mark.parametrize("language", ["en", "ko"])
def test_faithful_sentences_are_not_struck(language: str) -> None:
    assert caught("clean", language) <= 0.02  # S4.4


@given(st.sampled_from(VERBATIM))
def test_a_verbatim_sentence_never_disagrees(pair: tuple[str, str]) -> None:
    assert disagreements(*pair) == ()  # N5


@given(st.sampled_from([pair for pair in VERBATIM if DIGITS.search(pair[0])]), st.integers(101, 997), st.data())
def test_a_changed_figure_of_a_verbatim_sentence_always_disagrees(
    pair: tuple[str, str], number: int, data: st.DataObject
) -> None:
    sentence, source = pair
    match = data.draw(st.sampled_from(list(DIGITS.finditer(sentence))))
    assume(not any(_is_close(number, figure) for figure in re.findall(r"\d[\d,]*(?:\.\d+)?", source)))
    # The digits behind a comma count as written, because in a file of values they are a cell of their own.
    assume(f",{number}" not in source)
    assert disagreements(f"{sentence[: match.start()]}{number}{sentence[match.end() :]}", source)  # S4.4


def _is_close(number: int, figure: str) -> bool:
    """Rounding allows a few per cent, in any scale of the number."""
    digits = figure.replace(",", "").replace(".", "").strip("0") or "0"
    shown = str(number).strip("0")
    return shown[:1] == digits[:1] or float(figure.replace(",", "")) == number
