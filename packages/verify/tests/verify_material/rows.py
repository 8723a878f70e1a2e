"""Tables of examples that are one test each: an item of pytest costs each test process more than most rows do."""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from typing import Any

import pytest

Test = Callable[..., None]


def for_all_rows(names: str | Sequence[str], table: Iterable[Any]) -> Callable[[Test], Test]:
    """What `pytest.mark.parametrize` does, as one test: it tries every row and fails with the errors of all that fail.

    Only for tests that leave nothing behind: all rows share the test's other fixtures. Each error says its row.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [dict(zip(keys, row if len(keys) > 1 else (row,), strict=True)) for row in table]
    assert rows, "a table without rows proves nothing"

    def decorated(test: Test) -> Test:
        @wraps(test)
        def all_rows(**fixtures: Any) -> None:
            errors: list[BaseException] = []
            for row in rows:
                try:
                    test(**fixtures, **row)
                except (Exception, BaseExceptionGroup, pytest.fail.Exception) as error:  # noqa: BLE001
                    error.add_note(f"in the row {row}")
                    errors.append(error)
            if errors:
                raise BaseExceptionGroup(f"{len(errors)} of {len(rows)} rows", errors)

        own = signature(test)
        fixtures = [parameter for name, parameter in own.parameters.items() if name not in keys]
        all_rows.__signature__ = own.replace(parameters=fixtures)  # pyright: ignore[reportAttributeAccessIssue]
        return all_rows

    return decorated
