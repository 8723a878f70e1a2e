"""The rules by which sentences of real texts are changed: `rules_en.txt` and `rules_ko.txt`."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

Rules = tuple[tuple[str, str], ...]
"""A regular expression and its replacement."""


def rules(language: str, section: str) -> Rules:
    """Return the replacements of a section; none where the language has no such section."""
    return tuple(_split(line, " =>") for line in phrases(language, section))


def opposites(language: str, section: str) -> Rules:
    """Return the pairs of words of a section, each the opposite of the other."""
    return tuple(_split(pair, "/") for pair in terms(language, section))


def terms(language: str, section: str) -> tuple[str, ...]:
    joined = ";".join(phrases(language, section))
    return tuple(term.strip() for term in joined.split(";") if term.strip())


def phrases(language: str, section: str) -> tuple[str, ...]:
    return _sections(language).get(section, ())


def _split(line: str, sign: str) -> tuple[str, str]:
    before, _, after = line.partition(sign)
    return before.replace("␣", " "), after.strip().replace("␣", " ")


@cache
def _sections(language: str) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    section: list[str] = []
    for line in Path(__file__).with_name(f"rules_{language}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]") and " => " not in line:
            section = found.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            section.append(line)
    return {name: tuple(lines) for name, lines in found.items()}
