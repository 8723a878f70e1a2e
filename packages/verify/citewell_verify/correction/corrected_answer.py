"""Corrects an answer: repairs failing statements, removes wrong citations and renumbers the rest (N5, S5.5).

Text, numbers and offsets are rebuilt in one step, and every marker gets the same form and place.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from typing import Any, Literal

from citewell_verify.answers.checkable import is_claim
from citewell_verify.answers.parser import ParsedAnswer, ParsedSentence, parse_answer
from citewell_verify.answers.statements import Statement
from citewell_verify.correction.edits import Place, Repair, apply_repairs
from citewell_verify.markers.citable import Citable, citable
from citewell_verify.markers.spacing import WIDE_STOP

_FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})[ \t]*")
EditKind = Literal["removed", "renumbered", "reworded", "references_stripped", "reattributed", "rewritten", "dropped"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to an answer. `statement` is an index, `number` as the model wrote it; None where there is none.

    `before` and `after` are the words of a statement that was rewritten or dropped.
    """

    kind: EditKind
    statement: int | None
    number: int | None
    reason: str
    before: str | None = None
    after: str | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected answer: for each statement `text[start:end] == statement.text`, with the numbers that it keeps.

    Statements keep their indexes; dropped ones are left out. `mapping` is old number → new, `removed` the old numbers
    that no longer appear.
    """

    text: str
    statements: tuple[Statement, ...]
    mapping: dict[int, int]
    removed: list[int]
    edits: list[Edit]


def correct(
    answer: str,
    sources: Citable | int,
    inaccurate: Set[tuple[int, int]],
    repairs: Mapping[int, Repair] | None = None,
    *,
    renumber: bool = True,
) -> Corrected:
    """Remove the `inaccurate` (statement index, number) pairs and citations of no source; renumber the rest (S5.5, V5).

    `sources` are those of the answer, or how many. `repairs` (by statement index) replace or drop failing statements;
    their numbers may exceed the sources, for added ones. The remaining numbers become 1..n in their old order and
    follow the full stop of their sentence, as `[1][2]`. A list of references at the end is removed. The words of a
    statement without repair stay as they are, byte for byte; only a marker that was a word of its sentence ("According
    to [1], …") becomes "the source", and the white space, brackets and label around a marker go with it. Correcting the
    result again, with n sources and no repairs, changes nothing. Without `renumber` the numbers stay as they are: they
    are those of the caller's own list.
    """
    known = citable(sources)
    source_count = known.count if known else 0
    reading, repairs = parse_answer(answer, known), repairs or {}
    kept = [
        [number for number in said.numbers if 1 <= number <= source_count and (index, number) not in inaccurate]
        if index not in repairs
        else list(repairs[index].numbers)
        for index, said in enumerate(reading.said)
    ]
    left = sorted({n for numbers in kept for n in numbers})
    mapping = {old: new if renumber else old for new, old in enumerate(left, start=1)}
    plain, places = apply_repairs(reading, repairs)
    numbers = {index: tuple(sorted({mapping[number] for number in own})) for index, own in enumerate(kept)}
    text, statements = _written(plain, places, numbers, reading)
    cited = {number for said in reading.said for number in said.numbers}
    cited |= {number for mark in reading.orphans for number in mark.numbers}
    return Corrected(
        text=text,
        statements=statements,
        mapping=mapping,
        removed=sorted(cited - mapping.keys()),
        edits=[*_repair_edits(reading, repairs), *_edits(reading, kept, mapping, source_count, repairs)],
    )


def _written(
    plain: str, places: Sequence[Place], numbers: Mapping[int, tuple[int, ...]], reading: ParsedAnswer
) -> tuple[str, tuple[Statement, ...]]:
    pieces: list[str] = []
    statements: list[Statement] = []
    position = shift = 0
    for place in places:
        words, own = plain[place.start : place.end], numbers[place.index]
        markers = markers_after(plain, place.end, own)
        said = reading.said[place.index]
        claim = said.claim if words == reading.text[said.start : said.end] else is_claim(words, words)
        statements.append(Statement(place.index, place.start + shift, place.end + shift, words, own, claim))
        pieces += plain[position : place.end], markers
        position, shift = place.end, shift + len(markers)
    return "".join([*pieces, plain[position:]]), tuple(statements)


def markers_after(plain: str, end: int, numbers: Sequence[int]) -> str:
    """Return what goes to `plain[end]` after a sentence: set off by a space, below a code fence by a line break."""
    if not numbers:
        return ""
    markers = "".join(f"[{number}]" for number in numbers)
    following = plain[end : end + 1]
    if WIDE_STOP.search(plain, max(0, end - 4), end):
        return markers + (" " if following in ("(", ":") else "")  # otherwise it would read as a Markdown link
    last_line = plain[plain.rfind("\n", 0, end) + 1 : end]
    gap = "\n" if _FENCE.fullmatch(last_line) else " "
    return gap + markers + (" " if following.strip() else "")


def _repair_edits(reading: ParsedAnswer, repairs: Mapping[int, Repair]) -> Iterator[Edit]:
    for index, repair in sorted(repairs.items()):
        said = reading.said[index]
        before = reading.text[said.start : said.end]
        after = repair.text if repair.kind == "rewritten" else None
        yield Edit(repair.kind, index, next(iter(repair.numbers), None), repair.reason, before, after)


def _edits(
    reading: ParsedAnswer,
    kept: Sequence[Sequence[int]],
    mapping: Mapping[int, int],
    sources: int,
    repairs: Mapping[int, Repair],
) -> Iterator[Edit]:
    for index, said in enumerate(reading.said):
        yield from _edits_of_statement(index, said, kept[index], sources, mended=index in repairs)
    for number in sorted({number for mark in reading.orphans for number in mark.numbers}):
        yield Edit("removed", None, number, "it stands behind no sentence")
    for name in dict.fromkeys(name for mark in reading.orphans for name in mark.missing):
        yield Edit("removed", None, None, f"“{name}” stands behind no sentence")
    for old, new in mapping.items():
        if old != new:
            yield Edit("renumbered", None, old, f"now [{new}]")
    if reading.had_references:
        yield Edit("references_stripped", None, None, "the list of references is made anew")


def _edits_of_statement(
    index: int, said: ParsedSentence, kept: Sequence[int], sources: int, *, mended: bool
) -> Iterator[Edit]:
    for mark in said.marks:
        if mark.noun and not mended:
            yield Edit("reworded", index, None, f"the citation was a word of its sentence, now {mark.noun!r}")
    for number in said.numbers:
        if number not in kept:
            exists = 1 <= number <= sources
            yield Edit("removed", index, number, "it does not prove the sentence" if exists else "no such source")
    for name in said.missing:
        yield Edit("removed", index, None, f"no source is called “{name}”")
