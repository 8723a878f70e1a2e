"""The ledger of rules: what it must list, and that switching a family off changes what it should."""

import ast
from pathlib import Path

import pytest

from benchmarks.rules.__main__ import ledger
from benchmarks.rules.families import FAMILIES, ROOT
from benchmarks.rules.measuring import Pair, measured, see

_FINDINGS = ("Difference", "Disagreement")


def _can_strike(path: Path) -> bool:
    calls = (each.func for each in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(each, ast.Call))
    return any(isinstance(each, ast.Name) and each.id in _FINDINGS for each in calls)


@pytest.mark.parametrize(
    "folder", ["packages/verify/citewell_verify/facts", "packages/verify/citewell_verify/evidence"]
)
def test_every_module_that_can_strike_a_statement_is_in_the_ledger(folder: str) -> None:
    package = ROOT / "packages/verify"
    paths = [path.relative_to(package) for path in sorted((ROOT / folder).rglob("*.py")) if _can_strike(path)]
    known = {module for family in FAMILIES for module in family.modules}
    assert paths
    assert [str(path) for path in paths if ".".join(path.with_suffix("").parts) not in known] == []


def test_the_page_lists_every_family_of_the_ledger() -> None:
    page = (ROOT / "docs/internals/rules.md").read_text("utf-8")
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")]
    assert rows[1:] == [family.name for family in FAMILIES]


SOURCE = "The ferry to Norby leaves at nine and carries 120 passengers. The hall seats 130 people, and the church 140."
PAIRS = [
    Pair(
        "The Norby ferry leaves at nine and carries 140 of the passengers.", SOURCE, False, "change: number", "en", True
    ),
    Pair("The ferry to Norby leaves at nine and carries 120 passengers.", SOURCE, True, "verbatim", "en", True),
    Pair("The Norby ferry leaves at nine and carries 130 of the passengers.", SOURCE, False, "people", "en", False),
    Pair("The ferry to Norby leaves at nine.", SOURCE, True, "people", "en", False),
]


def test_only_pairs_at_which_a_family_finds_something_are_judged_without_it() -> None:
    values = [family for family in FAMILIES if family.name == "values in one place"]
    seen, without = measured(PAIRS, values)
    assert set(without["values in one place"]) == {0, 2}
    assert seen[0].disagreements != without["values in one place"][0].disagreements


def test_the_rules_are_back_after_they_were_switched_off() -> None:
    before = see(PAIRS[0])
    measured(PAIRS[:1], FAMILIES)
    assert see(PAIRS[0]) == before
    assert not before.supported


def test_a_row_counts_labelled_pairs_and_planted_cases_apart() -> None:
    page = ledger(PAIRS, [family for family in FAMILIES if family.name == "values in one place"])
    assert "on 2 pairs of 1 data sets" in page
    assert "1 wrong and 1" in page
    row = next(line for line in page.splitlines() if line.startswith("| values"))
    assert [cell.strip() for cell in row.split("|")][3:5] == ["1", "100 %"]
