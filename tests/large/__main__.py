"""`python -m tests.large`: the largest and worst request of each route, beside a small check of another tenant."""

import argparse
import statistics
import sys

from rich.console import Console

from tests.large.beside import Measured, Memory, running_rig
from tests.large.shapes import SHAPES

_LATE_S, _SLOWER, _MOST_MB = 2.0, 2.0, 600


def main() -> int:
    """Print the table; 1 when something ended late, held up the small one, or took too much memory."""
    arguments = _arguments()
    wanted = [shape for shape in SHAPES if not arguments.only or any(part in shape.name for part in arguments.only)]
    good, console = True, Console(width=160, highlight=False, markup=False, emoji=False)
    told = console.print
    with running_rig() as rig:
        alone = rig.alone()
        told(f"A small check alone: {alone:.2f} s; deadline of the large ones: {arguments.deadline:g} s\n")
        told(f"{'shape':30}{'ended s':>8} {'state':28}{'beside s':>9}{'ratio':>7}{'worst':>7}{'MB':>6}  process")
        for shape in wanted:
            memory = Memory()
            measured = rig.measure(shape, arguments.deadline, memory)
            is_good = _is_good(measured, alone, memory)
            good = good and is_good
            beside, worst = statistics.median(measured.beside), max(measured.beside)
            told(
                f"{shape.name:30}{measured.ended_s:8.1f} {measured.state:28}{beside:9.2f}{beside / alone:7.1f}"
                f"{worst / alone:7.1f}{memory.most / 1e6:6.0f}  {memory.name}{'' if is_good else '  <-- too much'}",
            )
    return 0 if good else 1


def _is_good(measured: Measured, alone: float, memory: Memory) -> bool:
    # A document has no deadline but that of its reading.
    in_time = measured.shape.route == "documents" or measured.ended_s <= measured.deadline_s + _LATE_S
    return in_time and statistics.median(measured.beside) <= _SLOWER * alone and memory.most < _MOST_MB * 1e6


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.large", description=__doc__)
    parser.add_argument("--deadline", type=float, default=10.0, help="seconds that each large request has")
    parser.add_argument("--only", action="append", help="shapes whose name has this; again for more of them")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
