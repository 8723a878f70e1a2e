"""Measures how the code is laid out: `python -m tools.house` prints each figure beside its aim.

A module is a file of the program other than `__init__.py`. Folders are counted without that of the tables, documents
for users without their fenced blocks of code and without the generated page of settings.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import median

PROGRAM = (
    "api",
    "citewell",
    "citewell_verify",
    "clients",
    "config",
    "db",
    "domain",
    "sdk/python/citewell_client",
    "services",
    "workers",
)
TABLES = Path("db/models")
SHORT, LONG = 40, 200
_WORD = re.compile(r"\w[\w'’-]*")
_CODE = re.compile(r"^ *(```+|~~~+).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
_GENERATED = "settings.md"


@dataclass(frozen=True)
class Figure:
    name: str
    now: str
    aim: str = ""


def measure(root: Path) -> list[Figure]:
    modules = {path: path.read_text() for top in PROGRAM for path in _modules(root / top)}
    folders = Counter(path.parent for path in modules if path.parent != root / TABLES)
    functions = [each for text in modules.values() for each in _functions(text)]
    lines = [len(text.splitlines()) for text in modules.values()]
    decisions = [_words(path) for path in (root / "docs/decisions").glob("[0-9]*.md")]
    for_users = [root / "README.md", *(path for path in (root / "docs").glob("*.md") if path.name != _GENERATED)]
    documented = sum(ast.get_docstring(each) is not None for each in functions)
    return [
        Figure("modules", f"{len(modules):,}"),
        Figure("files per folder, median / p90 / max", _spread(list(folders.values())), "≤ 7 / ≤ 12 / ≤ 24"),
        Figure("function, median lines", f"{_middle([_length(each) for each in functions])}", "8-10"),
        Figure(f"modules below {SHORT} lines", f"{sum(each < SHORT for each in lines)}", "≤ 40"),
        Figure(f"modules above {LONG} lines", f"{sum(each > LONG for each in lines)}"),
        Figure("functions with a docstring", f"{documented / max(len(functions), 1):.0%}", "≤ 30%"),
        Figure("decisions", f"{len(decisions)}", "about 15"),
        Figure("words of decisions", f"{sum(decisions):,}"),
        Figure("words for users, no code or settings.md", f"{sum(map(_prose, for_users)):,}", "≤ 12,000"),
        Figure("lines of the program", f"{sum(_lines(root, PROGRAM)):,}"),
        Figure("lines of tests", f"{sum(_lines(root, ['tests'])):,}"),
    ]


def crowded(root: Path, most: int) -> list[str]:
    """The folders that hold more than this many modules, the fullest first."""
    folders = Counter(path.parent.relative_to(root) for top in PROGRAM for path in _modules(root / top))
    return [f"{count} {folder}" for folder, count in folders.most_common() if count > most]


def _modules(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*.py") if path.name != "__init__.py")


def _functions(text: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _lines(root: Path, tops: Iterable[str]) -> list[int]:
    return [len(path.read_text().splitlines()) for top in tops for path in (root / top).rglob("*.py")]


def _words(path: Path) -> int:
    return len(_WORD.findall(path.read_text()))


def _prose(path: Path) -> int:
    return len(_WORD.findall(_CODE.sub("", path.read_text()))) if path.exists() else 0


def _middle(values: Sequence[int]) -> str:
    return f"{median(values or [0]):g}"


def _spread(values: Sequence[int]) -> str:
    ordered = sorted(values) or [0]
    return f"{_middle(ordered)} / {ordered[ceil(len(ordered) * 0.9) - 1]} / {ordered[-1]}"


if __name__ == "__main__":
    for figure in measure(Path()):
        print(f"{figure.name:<40} {figure.now:>16}   {figure.aim}".rstrip())
    print(*crowded(Path(), int(sys.argv[1]) if len(sys.argv) > 1 else 24), sep="\n")
