"""What a judge sees of the sources: whole passages with their numbers, or excerpts of long ones (N2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from citewell_verify.answers.statements import Statement
from citewell_verify.evidence.excerpts import Wanted, choose_excerpts
from citewell_verify.evidence.passages import Passage
from citewell_verify.judging.model import Check
from citewell_verify.judging.statement import WINDOW_CHARS
from citewell_verify.markers.citable import SourceNames, names_of
from citewell_verify.prompting.numbered_sources import Source, Sources

_C = TypeVar("_C", bound=Check)


@dataclass(frozen=True, slots=True)
class Shown:
    """`sources` are `passages` as the model sees them; those of one given source share its number. `note` says what
    was left out, if anything."""

    passages: list[Passage]
    sources: Sources
    note: str = ""

    def noted_in(self, check: _C) -> _C:
        """Add the note to a check that was made on these sources, and return it."""
        if self.note:
            check["shown"] = self.note
        return check


def numbered_sources(passages: list[Passage]) -> Sources:
    return Sources.numbered(
        ((passage.label, passage.text) for passage in passages),
        (passage.context for passage in passages),
        map(names_of_passage, passages),
    )


def names_of_passage(passage: Passage) -> SourceNames:
    known = {"filename": passage.filename, "section": passage.section, "metadata": passage.metadata}
    return names_of({**known, "page_number": passage.page})


def excerpts(sources: Sequence[Passage], about: Sequence[Statement]) -> Shown:
    wanted = [
        Wanted(statement.text, [number - 1 for number in statement.numbers]) for statement in about if statement.claim
    ]
    chosen = choose_excerpts([source.text for source in sources], wanted, WINDOW_CHARS)
    passages = [_part(sources[excerpt.source], excerpt.start, excerpt.end) for excerpt in chosen]
    shown = Sources(
        Source(
            excerpt.source + 1,
            passage.label,
            sources[excerpt.source].readable[excerpt.start : excerpt.end],
            names=names_of_passage(passage),
        )
        for excerpt, passage in zip(chosen, passages, strict=True)
    )
    total, seen = (sum(len(passage.text) for passage in some) for some in (sources, passages))
    note = f"Excerpts were shown: {seen:,} of the {total:,} characters of the sources." if seen < total else ""
    return Shown(passages, shown, note)


def _part(source: Passage, start: int, end: int) -> Passage:
    offset = source.start_index
    return replace(source, start_index=offset + start, end_index=offset + end, text=source.text[start:end])


def named_text(passage: Passage) -> str:
    return "\n".join([passage.label, *(str(value) for value in passage.metadata.values()), passage.indexed])
