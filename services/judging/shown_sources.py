"""Chooses what a model sees of the sources to judge a whole answer: passages, or excerpts of long sources (N2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citewell_verify.answers.statements import Statement
from citewell_verify.evidence.excerpts import Wanted, choose_excerpts
from citewell_verify.evidence.passages import Passage
from citewell_verify.prompting.numbered_sources import Source, Sources
from domain.query.outcomes import Checked
from services.core.context import StepContext, names_of_passage, numbered_sources
from services.judging.statement import WINDOW_CHARS


@dataclass(frozen=True, slots=True)
class Shown:
    """`sources` are `passages` as the model sees them; those of one given source share its number. `note` says what
    was left out, if anything."""

    passages: list[Passage]
    sources: Sources
    note: str = ""

    def with_shown(self, checked: Checked) -> Checked:
        return {**checked, "shown": self.note} if self.note else checked


def shown_to_judge(context: StepContext, most: int | None = None) -> Shown:
    """The `most` best retrieved passages, or those that the answer is written from; of given sources what their
    statements need. Raises SourceDeleted."""
    if context.query.is_external:
        return excerpts(context.selected_passages(), context.statements)
    found = context.selected_passages() if most is None else context.passages(context.selection["ranked"][:most])
    return Shown(found, numbered_sources(found))


def excerpts(sources: Sequence[Passage], about: Sequence[Statement]) -> Shown:
    wanted = [Wanted(each.text, [number - 1 for number in each.numbers]) for each in about if each.claim]
    chosen = choose_excerpts([source.text for source in sources], wanted, WINDOW_CHARS)
    passages = [_part(sources[each.source], each.start, each.end) for each in chosen]
    shown = Sources(
        Source(
            each.source + 1,
            passage.label,
            sources[each.source].readable[each.start : each.end],
            names=names_of_passage(passage),
        )
        for each, passage in zip(chosen, passages, strict=True)
    )
    total, seen = (sum(len(passage.text) for passage in some) for some in (sources, passages))
    note = f"Excerpts were shown: {seen:,} of the {total:,} characters of the sources." if seen < total else ""
    return Shown(passages, shown, note)


def _part(source: Passage, start: int, end: int) -> Passage:
    offset = source.start_index
    return replace(source, start_index=offset + start, end_index=offset + end, text=source.text[start:end])
