"""`python -m benchmarks.verdicts.dart_cells FOLDER`: verdicts on statements about cells of Korean reports (DART).

FOLDER holds reports as DART gives them (`.xml`, or pages of its viewer). A "right" statement has to be supported; one
with the value of another row or term, another unit, a term that the table does not have, or a figure that stands
nowhere in it, must not be. Half of the tables is held out: rules are made on the other half.
"""

import argparse
from pathlib import Path

from benchmarks.verdicts.cell_statements import KINDS
from benchmarks.verdicts.dart_tables import reports, tables_of
from benchmarks.verdicts.table_cells import generated, judge, print_wrong, show
from citewell_verify.offline.passages import Meaning


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verdicts.dart_cells", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=300, help="in each half, over all kinds (300)")
    parser.add_argument("--wrong", action="store_true", help="print the cases of the first half with a wrong verdict")
    options = parser.parse_args()
    tables = [table for name, document in reports(options.folder) for table in tables_of(name, document)]
    meaning = Meaning(None)
    for half, name in enumerate(("made on", "held out")):
        own = [table for table in tables if table.held_out is bool(half)]
        cases = generated(own, options.cases, "ko", KINDS)
        judged = [judge(case, meaning) for case in cases]
        show(f"{name}: {len(judged)} statements on {len({case.table for case in cases})} of {len(own)} tables", judged)
        if options.wrong and not half:
            print_wrong(judged)


if __name__ == "__main__":
    main()
