"""Cases for the benchmark of planted errors, made from annotated passages or labelled pairs; seeded."""

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from benchmarks.verdicts.planted_errors import changed_number, errors, other_part
from benchmarks.verdicts.planted_faithful import faithful
from benchmarks.verdicts.planted_passages import Passage, plain, read_passages


@dataclass(frozen=True, slots=True)
class Case:
    """`claim` against `source`: faithful in the way `how` when `kind` is "clean", else with one error of that kind."""

    kind: str
    how: str
    language: str
    claim: str
    source: str
    seen: bool


def all_cases(seed: int = 11) -> list[Case]:
    """Return every planted and every faithful case, the same for the same seed."""
    passages = read_passages()
    return [case for place in range(len(passages)) for case in _cases(passages, place, random.Random(seed + place))]


def _cases(passages: Sequence[Passage], place: int, rng: random.Random) -> Iterator[Case]:
    passage = passages[place]
    text = passage.text
    others = [each for each in passages if each.language == passage.language and each is not passage]
    for sentence in passage.sentences:
        for kind, how, claim in (*errors(sentence, passage, others, rng), *faithful(sentence, passage, rng)):
            yield Case(kind, how, passage.language, claim, text, passage.seen)
        yield Case("swapped source", "", passage.language, plain(sentence), rng.choice(others).text, passage.seen)


def data_cases(folder: Path, seed: int = 11) -> list[Case]:
    """Return cases from the supported pairs of every `*.jsonl` in `folder`: facts found by simple patterns."""
    rng = random.Random(seed)
    rows = [
        cast("dict[str, object]", json.loads(line))
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    supported = [row for row in rows if row["label"] == 1]
    names = sorted({match[0] for row in supported for match in _TWO_WORDS.finditer(str(row["claim"]))})
    return [case for row in supported for case in _data_cases(row, supported, names, rng)]


_YEAR = re.compile(r"\b(?:1[4-9]|20)\d\d(?!\d)")


_FIGURE = re.compile(r"(?<![\w.,/†\[-])(?!(?:1[4-9]|20)\d\d(?!\d))\d[\d,]*(?:\.\d+)?(?![\d\]†])")


_TWO_WORDS = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,} [A-Z][a-z]{2,}\b")


def _data_cases(
    row: dict[str, object], rows: Sequence[dict[str, object]], names: Sequence[str], rng: random.Random
) -> Iterator[Case]:
    claim, source, language = str(row["claim"]), str(row["source"]), str(row["lang"])
    yield Case("clean", str(row["dataset"]), language, claim, source, seen=True)
    yield Case("swapped source", "", language, claim, str(rng.choice(rows)["source"]), seen=True)
    makers: tuple[tuple[str, re.Pattern[str], Callable[[str], str]], ...] = (
        ("number", _FIGURE, lambda text: changed_number(text, source, rng)),
        ("date", _YEAR, lambda text: other_part(text, rng)),
        ("name", _TWO_WORDS, lambda _: rng.choice(names)),
    )
    for kind, pattern, change in makers:
        match = pattern.search(claim)
        if match and match[0] in source and (wrong := change(match[0])) not in source:
            yield Case(kind, "", language, claim[: match.start()] + wrong + claim[match.end() :], source, seen=True)
