"""Reads an answer as statements: its sentences, what each cites, and the checks that follow from that (S5.4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from citewell_verify.answers.parser import is_checkable, parse_answer
from citewell_verify.markers.citable import Citable, citable

_WORTH_KEEPING = 20_000  # characters: caching longer answers, dozens at a time, costs more memory than it is worth


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of an answer, without bullet or heading mark.

    `answer[start:end]` are its words in the answer, without the markers after them; `text` also lacks the markers
    inside. In an answer that `correct` wrote the two are equal (N3). `numbers` is what it cites, as written and each
    once; `missing` are names that it cites and no source has. `claim`: it states something that sources can support, so
    it needs a verdict (N4).
    """

    index: int
    start: int
    end: int
    text: str
    numbers: tuple[int, ...]
    claim: bool
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedCheck:
    """One model call to make: `statement` (an index) against source `number`, or against all sources for None."""

    item: str
    statement: int
    number: int | None


def statements(answer: str, sources: Citable | int | None = None) -> list[Statement]:
    """Return the sentences of `answer` in order; a list of references at its end is not part of it.

    `sources` are those of the answer, or how many: they turn names in citations into numbers, and tell whether a list
    of numbers may belong to the text (V5).
    """
    known = citable(sources)
    is_worth_keeping = len(answer) <= _WORTH_KEEPING
    return list(_statements(answer, known) if is_worth_keeping else _statements.__wrapped__(answer, known))


@lru_cache(maxsize=64)
def _statements(answer: str, sources: Citable | None) -> tuple[Statement, ...]:
    """The statements, cached: every check of a draft and everything after it parses the same text."""
    reading = parse_answer(answer, sources)
    return tuple(
        Statement(
            index=index,
            start=reading.origin[said.start],
            end=reading.origin[said.end - 1] + 1,
            text=reading.text[said.start : said.end],
            numbers=said.numbers,
            claim=said.claim,
            missing=said.missing,
        )
        for index, said in enumerate(reading.said)
    )


def plan_checks(answer: str, sources: Citable | int) -> list[PlannedCheck]:
    """Return the checks that `answer` needs with these `sources` (or that many), in order (S5.4).

    Item `s{statement}:c{number}` for each source that it cites, `s{statement}:c0` for a claim that cites none. A
    statement too short to check has no items; one that repeats another has none of its own: see `deciding_items`.
    """
    return [
        PlannedCheck(item, statement, number)
        for (statement, number), item in deciding_items(statements(answer, sources), _count(sources)).items()
        if item == _item(statement, number)
    ]


def deciding_items(said: Sequence[Statement], source_count: int) -> dict[tuple[int, int | None], str]:
    """Return, for each (statement index, number or None) that needs a verdict, the item of `plan_checks` that gives it.

    The same words about the same source are checked once: later pairs point to the first one's item.
    """
    first: dict[tuple[str, int | None], str] = {}
    return {
        (statement.index, number): first.setdefault(
            (same_words(statement.text), number), _item(statement.index, number)
        )
        for statement in said
        for number in numbers_to_check(statement, source_count)
    }


def same_words(text: str) -> str:
    return " ".join(text.casefold().split())


def check_key(text: str, number: int | None) -> str:
    """The name of a check by its content: these words against source `number`, or against all of them for None."""
    return sha256(f"{number or 0} {text}".encode()).hexdigest()[:32]


def check_keys(answer: str, sources: Citable | int) -> dict[str, str]:
    said = statements(answer, sources)
    return {
        item: check_key(said[statement].text, number)
        for (statement, number), item in deciding_items(said, _count(sources)).items()
        if item == _item(statement, number)
    }


def _count(sources: Citable | int) -> int:
    return sources if isinstance(sources, int) else sources.count


def _item(statement: int, number: int | None) -> str:
    return f"s{statement}:c{number or 0}"


def numbers_to_check(statement: Statement, source_count: int) -> Sequence[int | None]:
    """Return the sources 1..`source_count` to check a statement against; None stands for all of them."""
    if not is_checkable(statement.text):
        return ()
    cited = [number for number in statement.numbers if 1 <= number <= source_count]
    return cited or ((None,) if statement.claim and source_count else ())
