"""Statements about cells are the same in every run, and each kind changes what its name says."""

import json
from pathlib import Path

import pytest

from benchmarks.verdicts.cell_statements import KINDS
from benchmarks.verdicts.table_cells import generated
from benchmarks.verdicts.truth_tables import TruthTable, truth_tables

TABLE = """ | 2023 | 2022
 | (in millions) |\x20
Net sales | $5,686 | $6,092
Gross profit | 1,221 | 1,280
Operating margin | 10.2% | 11.4%"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[TruthTable]:
    folder = tmp_path_factory.mktemp("data")
    (folder / "qa").mkdir()
    row = json.dumps({"id": "1", "doc": "d", "text": TABLE, "kind": "table"})
    (folder / "qa" / "made_passages.jsonl").write_text(row + "\n", encoding="utf-8")
    return truth_tables(Path(folder))


def test_a_table_is_read_with_heads_units_and_figures(tables: list[TruthTable]) -> None:
    assert len(tables) == 1
    assert tables[0].heads == ("2023", "2022")
    label, period, figures = tables[0].rows[0]
    assert (label, period) == ("Net sales", "")
    assert figures[0] is not None
    assert (figures[0].digits, figures[0].currency, figures[0].scale) == ("5,686", "$", "million")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_statements_are_the_same_in_every_run(tables: list[TruthTable], language: str) -> None:
    first = generated(tables, 30, language, KINDS)
    assert first == generated(tables, 30, language, KINDS)
    assert {each.kind for each in first} == set(KINDS)


def test_each_kind_of_error_changes_one_thing(tables: list[TruthTable]) -> None:
    for each in generated(tables, 60, "en", ["wrong period"]):
        assert "2023" not in each.statement
        assert "2022" not in each.statement
    for each in generated(tables, 60, "en", ["wrong unit"]):
        assert not ("$" in each.statement and "million" in each.statement) or "billion" not in each.statement
