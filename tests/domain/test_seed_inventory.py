"""The inventory of the seeds' formulas names code and tests that exist."""

import re
from importlib import import_module
from pathlib import Path

from verify_material.rows import for_all_rows

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (S\d\.\d) \| (.+) \| `([\w.]+)\.(\w+)` \| (?:`(\w+)\.(\w+)`)? ?\|$", re.MULTILINE)
PAGE = (ROOT / "docs" / "internals" / "seed-formulas.md").read_text(encoding="utf-8")
ROWS = [match.groups("") for match in ROW.finditer(PAGE)]


def test_every_line_of_the_inventory_is_read() -> None:
    assert len(ROWS) == len(re.findall(r"^\| S\d", PAGE, re.MULTILINE))
    wanted = "S1.2 S1.3 S1.4 S1.5 S2.1 S2.2 S2.6 S2.7 S3.4 S3.5 S3.7 S4.2 S4.4 S4.6 S5.2 S5.3 S5.4 S5.5"
    assert set(wanted.split()) <= {row for row, *_ in ROWS}


@for_all_rows(("module", "name"), sorted({(module, name) for _, _, module, name, _, _ in ROWS}))
def test_the_code_of_a_formula_is_where_the_inventory_says(module: str, name: str) -> None:  # S1–S5
    assert hasattr(import_module(module), name)


# Code in services is exercised by tests of another kind, and names no test here.
PROOFS = sorted({(row, file, test) for row, _, _, _, file, test in ROWS if file})


@for_all_rows(("row", "file", "test"), PROOFS)
def test_a_formula_is_proved_by_a_test_that_names_its_row(row: str, file: str, test: str) -> None:  # S1–S5
    files = (path for top in ("tests/domain", "packages") for path in (ROOT / top).rglob(f"{file}.py"))
    blocks = [block for path in files for block in path.read_text(encoding="utf-8").split("\n\n\n")]
    (proof,) = [block for block in blocks if f"\ndef {test}(" in f"\n{block}"]
    assert re.search(rf"# .*{re.escape(row)}\b", proof)
