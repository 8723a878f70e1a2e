"""Tables of examples that are one test each: an item of pytest costs each test process more than most rows do."""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import iscoroutinefunction, isgeneratorfunction, signature
from typing import Any

import pytest
from _pytest.mark import ParameterSet

Test = Callable[..., None]
_LONGEST_NOTE, _LONGEST_NAME = 2_000, 200  # characters of a row


def for_all_rows(names: str | Sequence[str], table: Iterable[Any]) -> Callable[[Test], Test]:
    """What `pytest.mark.parametrize` does, as one test: it tries every row and fails with the errors of all that fail.

    Only for plain functions that leave nothing behind: all rows share the test's other fixtures and its timeout. A row
    cannot be skipped. Raises TypeError for a table or a test that would try nothing.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = list(table)
    if not table or any(isinstance(row, ParameterSet) for row in table):
        raise TypeError("a table has rows, and rows are plain values")
    rows = [dict(zip(keys, row if len(keys) > 1 else (row,), strict=True)) for row in table]

    def decorated(test: Test) -> Test:
        if iscoroutinefunction(test) or isgeneratorfunction(test):
            raise TypeError("a test of rows is a plain function")

        @wraps(test)
        def all_rows(**fixtures: Any) -> None:
            errors: list[BaseException] = []
            failed: list[str] = []
            for row in rows:
                try:
                    test(**fixtures, **row)
                except (Exception, BaseExceptionGroup, pytest.fail.Exception, pytest.skip.Exception) as error:
                    if "from pytest-timeout" in str(error):
                        raise
                    error.add_note(f"in the row {row}"[:_LONGEST_NOTE])
                    errors.append(error)
                    failed.append(f"{row}"[:_LONGEST_NAME])
            if errors:
                raise BaseExceptionGroup("\n".join([f"{len(errors)} of {len(rows)} rows", *failed]), errors)

        own = signature(test)
        fixtures = [parameter for name, parameter in own.parameters.items() if name not in keys]
        all_rows.__signature__ = own.replace(parameters=fixtures)  # pyright: ignore[reportAttributeAccessIssue]
        return all_rows

    return decorated
