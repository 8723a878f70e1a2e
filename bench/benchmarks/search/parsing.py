"""`python -m benchmarks.search.parsing FOLDER`: what reading every file of a folder costs and what it finds."""

import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from citewell_documents.parsing import ParseLimits, parse
from citewell_verify.errors import CitewellError

LIMITS = ParseLimits(max_pages=5_000, max_chars=20_000_000)
HEADINGS = ("file", "CPU s", "pages", "characters", "sections", "tables", "error")


def main(folder: Path) -> None:
    table = Table(title=f"{folder.name}: one process, one file after the other")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading in ("file", "error") else "right")
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        table.add_row(path.name, *_measured(path))
    Console().print(table)


def _measured(path: Path) -> tuple[str, ...]:
    data = path.read_bytes()
    started = time.process_time()
    try:
        document = parse(data, path.name, LIMITS)
    except CitewellError as error:
        return f"{time.process_time() - started:.3f}", "", "", "", "", type(error).__name__
    counts = (len(document.pages), len(document.text), len(document.sections), len(document.tables))
    return f"{time.process_time() - started:.3f}", *(f"{count:,}" for count in counts), ""


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        raise SystemExit("usage: python -m benchmarks.search.parsing FOLDER")
    main(Path(sys.argv[1]))
