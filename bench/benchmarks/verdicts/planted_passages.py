"""The annotated passages of the benchmark of planted errors, and their facts.

They mark every fact as `{kind:text}`, so that the planted errors do not depend on what the domain can read: `n` number,
`q` amount with a unit or a scale, `d` date, `p` person, `o` organisation, `l` place, `t` product, `x` `as written|its
opposite`, `s` a part that can be left out.
"""

import json
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import cast

PASSAGES = Path(__file__).with_name("planted_passages.json")


_FACT = re.compile(r"\{([nqdpoltxs]):([^{}|]*)(?:\|([^{}]*))?\}")


DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Fact:
    """A marked place of a sentence; `opposite` only where it can be negated."""

    kind: str
    text: str
    opposite: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """One text of the benchmark. Developers have `seen` every second one while they wrote the rules."""

    language: str
    genre: str
    sentences: tuple[str, ...]
    seen: bool

    @property
    def text(self) -> str:
        return " ".join(map(plain, self.sentences))


def plain(marked: str) -> str:
    return _FACT.sub(lambda match: match[2], marked)


def facts(marked: str, kinds: str) -> list[Fact]:
    """Return the marked facts of these kinds in order."""
    return [
        Fact(match[1], match[2], match[3] or "", *match.span()) for match in _FACT.finditer(marked) if match[1] in kinds
    ]


def read_passages() -> list[Passage]:
    """Read the passages; those at even places were looked at while the rules were written."""
    rows = cast("list[dict[str, object]]", json.loads(PASSAGES.read_text(encoding="utf-8")))
    return [
        Passage(str(row["lang"]), str(row["genre"]), tuple(cast("list[str]", row["sentences"])), seen=place % 2 == 0)
        for place, row in enumerate(rows)
    ]


def with_fact(sentence: str, fact: Fact, text: str) -> str:
    """Return the sentence with `text` in the place of one fact."""
    return plain(sentence[: fact.start] + text + sentence[fact.end :])


NUMERALS = "two three four five six seven eight nine ten twelve".split()


NATIVE = "두 세 네 다섯 여섯 일곱 여덟 아홉".split()


MONTHS = "January February March April May June July August September October November December".split()


def marked_up(sentence: str, rng: random.Random) -> str:
    """Return the sentence as a list item, with emphasis or with a reference."""
    marked = _FACT.sub(lambda match: f"**{match[2]}**" if match[1] in "nqdpolt" else match[2], sentence)
    return rng.choice((f"- {marked}", f"1. {plain(sentence)} [1]", f"{marked} [†2]"))
