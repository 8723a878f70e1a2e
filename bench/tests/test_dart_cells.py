"""Statements about cells of Korean reports are made from tables whose terms, unit and amounts are certain."""

from random import Random

import pytest

from benchmarks.verdicts.cell_statements import statements
from benchmarks.verdicts.dart_tables import tables_of
from benchmarks.verdicts.korean_cells import other_term, spoken_names
from benchmarks.verdicts.truth_tables import TruthTable
from citewell_documents.parsing import ParseLimits, parse
from document_material.dart_files import REPORT


@pytest.fixture(scope="module")
def tables() -> list[TruthTable]:
    document = parse(REPORT.encode(), "report.xml", ParseLimits(max_pages=1, max_chars=100_000))
    return list(tables_of("report.xml", document))


def test_a_table_is_read_with_its_terms_unit_and_labels_without_numbers(tables: list[TruthTable]) -> None:
    assert tables[0].heads == ("제 7(당) 기", "제 6(전) 기")
    assert [label for label, _, _ in tables[0].rows] == ["유동자산", "현금및현금성자산", "재고자산"]
    assert tables[0].rows[0][2][0] is not None
    assert tables[0].rows[0][2][0].scale == "million"
    assert "(단위 : 백만원)" in tables[0].source


def test_right_and_wrong_statements_name_a_term_and_an_amount(tables: list[TruthTable]) -> None:
    right = next(statements(tables[0], "right", "ko", Random(1)))
    wrong = next(statements(tables[0], "wrong period", "ko", Random(1)))
    assert any(name in right.statement for head in tables[0].heads for name in spoken_names(head))
    assert not any(name in wrong.statement for head in tables[0].heads for name in spoken_names(head))
    assert right.statement.endswith(("원이다.", "원입니다."))


def test_another_term_is_none_that_the_table_has() -> None:
    assert other_term("제 7(당) 기", ("제 7(당) 기", "제 6(전) 기"), Random(0)) in {
        f"제{number}기" for number in range(2, 6)
    }
    assert other_term("당기말", ("당기말", "전기말"), Random(0)) == "전전기말"
    assert other_term("기초", ("기초",), Random(0)) == ""
