"""`make faults`: the faults as one table. The short version strikes each once; the long one waits as long as real
settings do, and strikes for minutes."""

import argparse
import random
from collections.abc import Iterable

from tests.faults.auditor import Verdict, audit
from tests.faults.catalogue import SHORT
from tests.faults.long import LONG
from tests.faults.plain import run_plain
from tests.faults.rig import Rig, running_rig
from tests.faults.runner import Fault, run_fault, settle
from tests.faults.table import print_table


def main() -> int:
    """Run what is asked for and print the table; 1 when something was lost, happened twice or broke its bound."""
    arguments = _arguments()
    random.seed(arguments.seed)
    verdicts: dict[str, Verdict] = {}
    short = [fault for fault in SHORT if arguments.only in (None, fault.name)]
    if short:
        with running_rig() as rig:
            for _ in range(arguments.runs if arguments.long else 1):
                _run(rig, short, verdicts)
    wanted = [case for case in LONG if arguments.only == case.name or (arguments.long and arguments.only is None)]
    for case in wanted:
        if reason := case.cannot_run():
            verdicts[case.name] = Verdict(case.name, notes=[f"SKIPPED: {reason}"])
            continue
        with case.rig() as rig:
            _run(rig, case.faults, verdicts)
    if verdicts:
        print_table("Citewell", verdicts.values())
    if arguments.only == "plain" or (arguments.long and arguments.only is None):
        print_table("Plain Celery, as it comes", run_plain())
    return 0 if all(verdict.is_good for verdict in verdicts.values()) else 1


def _run(rig: Rig, faults: Iterable[Fault], verdicts: dict[str, Verdict]) -> None:
    for fault in faults:
        trials = run_fault(rig, fault)
        settle(rig, trials)
        for trial in trials:
            verdict = audit(trial)
            if trial.name in verdicts:
                verdicts[trial.name].add(verdict)
            else:
                verdicts[trial.name] = verdict


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--long", action="store_true", help="everything, for half an hour or so")
    names = [*(fault.name for fault in SHORT), *(case.name for case in LONG), "plain"]
    parser.add_argument("--only", choices=names, help="this fault, short or long; `plain` is Celery's own")
    parser.add_argument("--seed", type=int, default=0, help="of what is killed when")
    parser.add_argument("--runs", type=int, default=3, help="of each short fault, with --long")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
