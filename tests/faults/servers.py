"""`python -m tests.faults.servers`: faults of the model's server, each over 200 of its calls, for checks with both
presets and for answers that are streamed. Prints a table; 1 when a query did not end, memory or costs left their
bounds, a spoilt reply supported anything, or the model was not usable again within `limiter.longest_wait_s`."""

import argparse
import sys

from rich.console import Console
from rich.table import Table

from tests.faults.spoilt import LONGEST_WAIT_S, MISBEHAVIOURS, MOST_MB, WAYS, Outcome, running_spoilt

_HEADINGS = ("fault", "way", "queries", "sentences", "requests", "MB", "usable again", "USD", "took", "")


def main() -> int:
    """Run what is asked for."""
    arguments = _arguments()
    wanted = [each for each in MISBEHAVIOURS if not arguments.only or any(o in each.name for o in arguments.only)]
    outcomes: list[Outcome] = []
    with running_spoilt() as rig:
        for each in wanted:
            for way in arguments.way or WAYS:
                outcomes.append(rig.outcome(each, way, arguments.calls))
    print_outcomes(outcomes)
    return 1 if any(outcome.violations for outcome in outcomes) else 0


def print_outcomes(outcomes: list[Outcome]) -> None:
    """One line per fault and preset."""
    console = Console(width=160, highlight=False, markup=False)
    table = Table(title=f"At most {MOST_MB} MB; usable again within {LONGEST_WAIT_S:g} s")
    for heading in _HEADINGS:
        table.add_column(heading)
    for outcome in outcomes:
        states, sentences = (
            " ".join(f"{n} {s}" for s, n in c.items() if n) for c in (outcome.states, outcome.sentences)
        )
        usable = "–" if outcome.usable_s is None else f"{outcome.usable_s:.1f} s"
        table.add_row(
            outcome.misbehaviour.name,
            outcome.way,
            states,
            sentences,
            str(outcome.requests),
            f"{outcome.memory.most / 1e6:.0f} {outcome.memory.name}",
            usable,
            f"{outcome.calls['usd']:.4f}",
            f"{outcome.seconds:.0f} s",
            "WRONG" if outcome.violations else "ok",
        )
    console.print(table)
    for outcome in outcomes:
        for what in outcome.violations:
            console.print(f"{outcome.misbehaviour.name} ({outcome.way}): {what}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.servers", description=__doc__)
    parser.add_argument("--only", action="append", help="faults whose name has this; again for more of them")
    parser.add_argument("--way", action="append", choices=tuple(WAYS), help="all by default")
    parser.add_argument("--calls", type=int, default=200, help="calls of the model that each fault is to hit, about")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
