"""The table that a run ends with."""

import math
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from tests.faults.auditor import Verdict, percentile

_HEADINGS = ("fault", "runs", "accepted", "lost", "duplicated", "failed", "extra calls", "progress", "end", "")


def print_table(title: str, verdicts: Iterable[Verdict]) -> None:
    """One line per fault; the times are p50 / p95 in seconds from the fault to progress and to the end."""
    rows = list(verdicts)
    console = Console(width=150)
    table = Table(title=title)
    for heading in _HEADINGS:
        table.add_column(heading, justify="left" if heading == "fault" else "right", no_wrap=True)
    for row in rows:
        numbers = (row.runs, row.accepted, row.lost, row.duplicated, row.failed, row.extra)
        times = (_times(row.progress), _times(row.end))
        table.add_row(row.fault, *map(str, numbers), *times, "ok" if row.is_good else "WRONG")
    console.print(table)
    for row in rows:
        for note in row.notes:
            console.print(f"{row.fault}: {note}", highlight=False, markup=False)
        for problem in row.problems[:10]:
            console.print(f"{row.fault}: WRONG: {problem}", highlight=False, markup=False)


def _times(seconds: list[float]) -> str:
    middle, high = percentile(seconds, 0.5), percentile(seconds, 0.95)
    return "–" if math.isnan(middle) else f"{middle:.1f} / {high:.1f}"
