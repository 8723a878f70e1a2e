"""The table "Where do I change …" leads to places that exist: README, CONTRIBUTING, and the file are three openings."""

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from verify_material.rows import for_all_rows

ROOT = Path(__file__).resolve().parents[2]
_CODE = re.compile(r"`([^`]+)`")
_MODULE = re.compile(r"(?:python -m )?((?:tools|tests|benchmarks)(?:\.\w+)+)")
_COMMAND = re.compile(r"make (\w+)")
_NAME = re.compile(r"_?[A-Za-z]\w*")
_SUFFIXES = (".py", ".md", ".json", ".ts", ".js", "/")


def rows() -> dict[str, tuple[str, str]]:
    """(where, and) of the table by what is changed."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    lines = text.partition("## Where do I change")[2].partition("\n## ")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return {what: (where, also) for what, where, also in cells[1:]}


TABLE = rows()


def test_the_readme_leads_to_the_table() -> None:
    assert "(CONTRIBUTING.md" in (ROOT / "README.md").read_text()
    assert len(TABLE) > 10


@for_all_rows("what", TABLE)
def test_a_row_names_files_that_exist_and_what_stands_in_them(what: str) -> None:
    where, also = TABLE[what]
    spans = _CODE.findall(f"{where} {also}")
    files = [path for span in spans if span.endswith(_SUFFIXES) for path in _found(span, spans)]
    assert any(span.endswith(_SUFFIXES) for span in _CODE.findall(where)), "the row does not say where"
    texts = [each.read_text() for path in files for each in ([path] if path.is_file() else path.rglob("*.py"))]
    for span in spans:
        if module := _MODULE.fullmatch(span):
            assert find_spec(module[1]), span
        elif command := _COMMAND.fullmatch(span):
            assert f"\n{command[1]}:" in (ROOT / "Makefile").read_text(), span
        elif _NAME.fullmatch(span):
            assert any(re.search(rf"\b{span}\b", text) for text in texts), f"{span} is in none of the row's files"


def _found(span: str, spans: Sequence[str]) -> list[Path]:
    """The files of a span; a bare name is that of a file in a folder of its row, and NAME stands for any."""
    folders = [""] if "/" in span else ["", *(each for each in spans if each.endswith("/"))]
    pattern = span.rstrip("/").replace("NAME", "*")
    found = [path for folder in folders for path in ROOT.glob(f"{folder}{pattern}")]
    assert found, f"{span} does not exist"
    return found
