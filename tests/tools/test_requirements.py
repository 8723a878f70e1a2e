"""docs/internals/requirements.md has every tag that code and tests use, and no other."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TAG = r"(?:S\d{1,2}(?:\.\d+)?|[NVAF]\d{1,2})"
# A tag is a whole comment, stands in parentheses, or begins a comment or docstring and is followed by a colon or comma.
USE = re.compile(rf'(?:# |\(|""")({TAG}(?:, {TAG})*)(?=[):,;]|$)', re.MULTILINE)
BESIDE = {"build", "dist", "node_modules", "docs"}


@cache
def used() -> dict[str, str]:
    """Every tag, with a file that uses it."""
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "." and path.name not in BESIDE]
    files = (file for folder in folders for kind in ("py", "js") for file in folder.rglob(f"*.{kind}"))
    return {
        tag: file.relative_to(ROOT).as_posix()
        for file in files
        if BESIDE.isdisjoint(file.relative_to(ROOT).parts)
        for tags in USE.findall(file.read_text(encoding="utf-8"))
        for tag in tags.split(", ")
    }


def listed() -> list[str]:
    page = (ROOT / "docs/internals/requirements.md").read_text(encoding="utf-8")
    return re.findall(rf"^\| ({TAG}) \| \S", page, re.MULTILINE)


def test_every_tag_in_the_code_is_listed() -> None:
    assert {tag: file for tag, file in used().items() if tag not in listed()} == {}


def test_every_listed_tag_is_used_and_listed_once() -> None:
    assert sorted(listed()) == sorted({*listed()} & {*used()})
