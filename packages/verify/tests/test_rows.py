"""A table that is one test: every row is tried, and each failure says its row (issue 40, Show 5)."""

from collections.abc import Generator
from traceback import format_exception

import pytest

from verify_material.rows import for_all_rows

TABLE = [(1, True), (2, False), (4, True), (6, False)]


def test_every_row_is_tried_and_each_that_fails_is_named() -> None:
    tried: list[tuple[str, int]] = []

    @for_all_rows("word", ["a", "b"])
    @for_all_rows(("number", "holds"), TABLE)
    def example(word: str, number: int, holds: bool) -> None:
        tried.append((word, number))
        if number == 6:
            pytest.fail("as told")
        assert holds

    with pytest.RaisesGroup(
        pytest.RaisesGroup(AssertionError, pytest.fail.Exception, match="2 of 4 rows"),
        pytest.RaisesGroup(AssertionError, pytest.fail.Exception, match="2 of 4 rows"),
    ) as raised:
        example()
    assert tried == [(word, number) for word in "ab" for number, _ in TABLE]
    report = "".join(format_exception(raised.value))
    assert report.count("in the row {'number': 2, 'holds': False}") == 2
    assert report.count("in the row {'number': 6, 'holds': False}") == 2
    assert [report.count(f"in the row {{'word': '{word}'}}") for word in "ab"] == [1, 1]


@for_all_rows("number", [1, 2])
def test_other_parameters_are_fixtures(tmp_path: object, number: int) -> None:
    assert tmp_path
    assert number


def test_what_would_try_nothing_is_refused() -> None:
    for table in ([], [pytest.param(1, marks=pytest.mark.slow)]):
        with pytest.raises(TypeError, match="rows are plain values"):
            for_all_rows("row", table)

    def generator(row: int) -> Generator[int]:
        yield row

    with pytest.raises(TypeError, match="plain function"):
        for_all_rows("row", [1])(generator)  # pyright: ignore[reportArgumentType]


def test_a_test_that_takes_too_long_ends_at_once() -> None:
    tried: list[int] = []

    @for_all_rows("row", [1, 2])
    def example(row: int) -> None:
        tried.append(row)
        pytest.fail("Timeout (>2.0s) from pytest-timeout.")

    with pytest.raises(pytest.fail.Exception, match="Timeout"):
        example()
    assert tried == [1]


def test_a_row_that_is_skipped_fails() -> None:
    @for_all_rows("row", [1, 2])
    def example(row: int) -> None:
        if row == 2:
            pytest.skip("not here")
        assert row > 1

    with pytest.RaisesGroup(AssertionError, pytest.skip.Exception, match="2 of 2 rows"):
        example()
