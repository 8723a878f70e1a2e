"""`python -m benchmarks.growth`: how the time of every function over texts grows with the texts.

    python -m benchmarks.growth [--only NAME]... [--sizes 5000,10000,20000]

One row for each function: the shape of text and the way of calling it that are worst, CPU seconds at each size, the
growth from one size to the next. A row is marked when it grows more than 2.3 times as the text doubles (times below
20 ms are noise and not compared) or takes more than a second; then the command ends with 1.
"""

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.growth.calls import functions
from benchmarks.growth.measuring import MOST_GROWTH, MOST_S, Row, measured


def main() -> int:
    """Measure, print, and return 1 if a row is marked."""
    options = _options()
    sizes = sorted({int(size) for size in options.sizes.split(",")})
    chosen = [name for name in functions() if not options.only or any(name.startswith(each) for each in options.only)]
    if not chosen:
        raise SystemExit(f"no public function that takes text is named {', '.join(options.only)}")
    worst: list[Row] = []
    marked: list[Row] = []
    for number, name in enumerate(chosen, start=1):
        print(f"\r{number}/{len(chosen)} {name:<60}", end="", file=sys.stderr, flush=True)
        rows = list(measured(name, sizes))
        marked += [row for row in rows if row.marked]
        worst.append(max(rows, key=lambda row: (row.marked, row.ended, max(row.seconds, default=0.0))))
    print("\r", file=sys.stderr)
    show(f"{len(chosen)} functions, the worst case of each", sorted(worst, key=_slowest), sizes)
    if marked:
        show(f"Marked: grows more than {MOST_GROWTH} x per doubling or takes more than {MOST_S:g} s", marked, sizes)
    return 1 if marked else 0


def show(title: str, rows: Sequence[Row], sizes: Sequence[int]) -> None:
    """Print a table; `*` marks what grows too fast or takes too long, `ended` what was stopped before its end."""
    table = Table(title=title)
    for heading in ("function", "shape", "way", *(f"{size:,}" for size in sizes), "growth", ""):
        table.add_column(heading, justify="left" if heading in ("function", "shape", "way", "") else "right")
    for row in rows:
        times = [f"{seconds:.3f}" for seconds in row.seconds] + ["ended"] * row.ended
        growth = f"{row.growth:.1f}" if row.growth else ""
        table.add_row(
            row.name, row.shape, row.way, *(times + [""] * len(sizes))[: len(sizes)], growth, "*" * row.marked
        )
    Console(width=None if sys.stdout.isatty() else 150).print(table)


def _slowest(row: Row) -> tuple[bool, float]:
    return not row.marked, -max(row.seconds, default=0.0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--only", action="append", default=[], help="the name of a function or module, or its beginning"
    )
    parser.add_argument("--sizes", default="5000,10000,20000", help="characters of each text, with commas between them")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
