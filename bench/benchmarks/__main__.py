"""`make bench`: Citewell and what people would use instead, on the same passages, question, models and machine.

    python -m benchmarks [--quick] [--only NAME]... [--rounds N] [--minutes M] [--in-flight 8,50,200]

Every system is started, asked alone and asked with many in flight, in each round anew and in turns, so that what else
the machine does hits all of them. docs/internals/performance.md says what each of them does and how it is measured.
The table is printed and written to build/bench.md, everything behind it to build/bench.json.
"""

import argparse
import json
import os
import platform
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from benchmarks.rivals.environments import prepare
from benchmarks.rivals.report import as_markdown, rows, show
from benchmarks.rivals.results import Round
from benchmarks.rivals.rounds import ModelServer, Plan, measure, simulated_models
from benchmarks.rivals.systems import SYSTEMS, Given, System
from benchmarks.rivals.work import write_work

_OUT = Path(__file__).resolve().parents[2] / "build"
_FULL = Plan(alone=8, seconds=4.0, in_flight=(8, 50, 200))
_QUICK = Plan(alone=4, seconds=2.0, in_flight=(8,))


def main() -> None:
    options = _options()
    plan = _QUICK if options.quick else _FULL
    if options.in_flight:
        plan = replace(plan, in_flight=tuple(int(number) for number in options.in_flight.split(",")))
    chosen = [system for system in SYSTEMS if not options.only or system.name in options.only]
    for environment in filter(None, (system.environment for system in chosen)):
        prepare(environment)
    began = time.time()
    signal.signal(signal.SIGTERM, _interrupted)
    with tempfile.TemporaryDirectory() as folder, simulated_models() as models:
        given = Given(models.url, Path(folder) / "work.json")
        write_work(given.work)
        until = began + 60 * options.minutes
        rounds = _measured(chosen, given, models, plan, 1 if options.quick else options.rounds, until)
    table = rows(chosen, rounds, plan.in_flight)
    show(table)
    _tell_of_machine(rounds, time.time() - began)
    _write(table, rounds, plan, began)


def _interrupted(*_: object) -> None:
    """Interrupt as Ctrl-C does: everything that was started is stopped."""
    raise KeyboardInterrupt


def _options() -> argparse.Namespace:
    names = [system.name for system in SYSTEMS]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one short round, for a look")
    parser.add_argument("--only", action="append", choices=names, help="may be given several times")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=9.0, help="after them nothing of a later round is begun")
    parser.add_argument("--in-flight", help="other numbers of queries at a time, with commas between them")
    return parser.parse_args()


def _measured(
    systems: Sequence[System], given: Given, models: ModelServer, plan: Plan, rounds: int, until: float
) -> list[Round]:
    found: list[Round] = []
    for number in range(1, rounds + 1):
        for system in systems:
            if number > 1 and time.time() > until:
                return found
            print(f"round {number}: {system.title}", file=sys.stderr)
            found.append(measure(system, given, models, plan))
    return found


def _tell_of_machine(rounds: Sequence[Round], seconds: float) -> None:
    loads = [each.load_before for each in rounds]
    others = [each.others for each in rounds]
    print(
        f"{os.cpu_count()} cores, {seconds / 60:.1f} minutes. Load average before a system was started: "
        f"{min(loads):.1f} to {max(loads):.1f}. Cores that others kept busy meanwhile: {min(others):.2f} to "
        f"{max(others):.2f}; with more than a few hundredths compare ratios and CPU, not seconds."
    )


def _write(table: list[list[str]], rounds: Sequence[Round], plan: Plan, began: float) -> None:
    _OUT.mkdir(exist_ok=True)
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.platform()}
    told = {"began": began, "machine": machine, "plan": asdict(plan), "rounds": [asdict(each) for each in rounds]}
    (_OUT / "bench.json").write_text(json.dumps(told, indent=1), encoding="utf-8")
    (_OUT / "bench.md").write_text(as_markdown(table), encoding="utf-8")


if __name__ == "__main__":
    main()
