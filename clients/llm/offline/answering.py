"""Composes answers from the units of the sources, with what belongs to each, and extracts the passages behind them."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice, pairwise, takewhile

from citewell_verify.entities.names import find_names
from citewell_verify.evidence.contradictions import disagreements
from citewell_verify.evidence.spans import best_text_span
from citewell_verify.facts.structure.tables import cells_as_text
from citewell_verify.offline.tuning import TUNING
from citewell_verify.prompting.judgements import ExtractedCitation, ExtractedCitations, ResearchNote, ResearchNotes
from citewell_verify.prompting.numbered_sources import Source, Sources
from citewell_verify.question.features import FORMS, is_opposed, question_weights, without_asking
from citewell_verify.question.named_things import is_about_another
from citewell_verify.question.question_parts import (
    QuestionPart,
    asks_for_summary,
    has_kind,
    is_greeting,
    kind_of,
    parts_of,
)
from citewell_verify.question.relevance import ANSWERED, Candidate, candidates
from citewell_verify.question.units import Unit, is_stopped, units_of
from citewell_verify.support.comparison import AnalysedText
from citewell_verify.text.words import content_stems, coverage
from domain.documents.graph import entity_key
from domain.question.asked_cells import asked_cells

_MOST_ITEMS = 40  # of a list or a table that is quoted as a whole
_LONGEST_SECTION = 500  # characters of a section that is quoted from its beginning
_LEADS = (":", "：")


@dataclass(frozen=True, slots=True)
class ReadSource:
    """A source with its units, which are read once for a question: they are told apart by identity."""

    source: Source
    units: Sequence[Unit]

    @classmethod
    def of(cls, source: Source) -> "ReadSource":
        return cls(source, units_of(source.text, source.context, source.label))

    @property
    def document(self) -> str:
        """The name of its document, which the label has before the page."""
        return self.source.label.partition(", p.")[0]


@dataclass(frozen=True, slots=True)
class Quotation:
    """What an answer quotes of a source: `text`, which is that of `unit` with what makes it clear. `covers` are the
    words of the question that it has, `own` those that do not only stand above it. `is_listed`: it is an item of a list
    that is quoted as a whole.
    """

    read: ReadSource = field(repr=False)
    unit: Unit
    text: str
    probability: float = 0.0
    covers: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    is_listed: bool = False

    @property
    def source(self) -> Source:
        return self.read.source


def plain_quotation(read: ReadSource, unit: Unit) -> Quotation:
    return Quotation(read, unit, unit.text, is_listed=unit.is_item)


def quotation_of(part: QuestionPart, read: ReadSource, candidate: Candidate) -> Quotation | None:
    """Quote a unit for a part of a question: below its heading if that has words of the question, the cells of a row
    that are asked for. None if the row has no value there."""
    standing, unit = candidate.standing, candidate.unit
    has_head = any(coverage([word], unit.above) for word in standing.has - standing.own)
    text = unit.below_heading if has_head else unit.text
    if unit.row is not None:
        cells = asked_cells(part, unit.row, read.units)
        if not cells:
            return None
        text = cells_as_text(unit.row, cells)
    return Quotation(read, unit, text, candidate.probability, standing.has, standing.own)


def with_what_belongs_to_it(part: QuestionPart, quotation: Quotation) -> list[Quotation]:
    """Return the quotation with the whole list, section or table whose head has the words of the question that it has
    itself, or with the next sentence if that has further words of the question."""
    unit, read = quotation.unit, quotation.read
    if unit.row is not None:
        return [quotation] if names_row(unit, quotation.own) else _whole_table(part, quotation)
    place = next(at for at, member in enumerate(read.units) if member is unit)
    following = read.units[place + 1 :]
    if unit.text.endswith(_LEADS):
        return _with_list(quotation, following)
    if part.kind not in FORMS and all(coverage([word], unit.above) for word in quotation.own):
        return _whole_section(quotation, read.units[:place])
    if following and following[0].group == unit.group and _adds(part, quotation, following[0]):
        further = replace(plain_quotation(read, following[0]), is_listed=False)
        return [quotation, *_with_list(further, following[1:])]
    return [quotation]


def names_row(unit: Unit, own: Set[str]) -> bool:
    """Whether the words `own` that a question shares with a row say more than the heads of its columns."""
    return not all(coverage([word], unit.above) for word in own)


def _with_list(quotation: Quotation, following: Sequence[Unit]) -> list[Quotation]:
    """The quotation with the list that it introduces, if it does."""
    below = quotation.unit.group + 1 if quotation.unit.text.endswith(_LEADS) else None
    items = islice(takewhile(lambda item: item.group == below, following), _MOST_ITEMS)
    return [quotation, *(plain_quotation(quotation.read, item) for item in items)]


def _whole_section(quotation: Quotation, before: Sequence[Unit]) -> list[Quotation]:
    """The list with the line that introduces it, or the beginning of the section."""
    unit, read = quotation.unit, quotation.read
    members = [
        member for member in read.units if member.group == unit.group and member.row is None and not member.is_heading
    ]
    section = [plain_quotation(read, member) for member in members]
    if any(member.is_item for member in members):
        heads = [head for head in before if head.text == (unit.lead or unit.heading)][-1:]
        return [*(plain_quotation(read, head) for head in heads), *section[:_MOST_ITEMS]]
    section[:1] = [replace(first, text=first.unit.below_heading) for first in section[:1]]
    ends = accumulate(len(member.text) for member in members)
    return [member for member, end in zip(section, ends, strict=True) if end <= _LONGEST_SECTION] or [quotation]


def _whole_table(part: QuestionPart, quotation: Quotation) -> list[Quotation]:
    """All rows of a table of which the question names only columns."""
    read, table = quotation.read, quotation.unit.row and quotation.unit.row.table
    rows = [(unit, unit.row) for unit in read.units if unit.row and unit.row.table == table][:_MOST_ITEMS]
    quoted = ((unit, row, asked_cells(part, row, read.units)) for unit, row in rows)
    return [Quotation(read, unit, cells_as_text(row, cells)) for unit, row, cells in quoted if cells]


def _adds(part: QuestionPart, quotation: Quotation, following: Unit) -> bool:
    """Whether the next sentence has words of the question that the quotation lacks, or what is asked for."""
    if any(following.read.related_stems.similarity(word) for word in set(without_asking(part.stems)) - quotation.own):
        return True
    is_kind = has_kind(part.kind, following.text, part.text)
    return is_kind is True and has_kind(part.kind, quotation.text, part.text) is not True


def in_writing(quotations: Sequence[Quotation]) -> list[str]:
    """Return the quotations as the pieces of an answer, each with its marker: sentences follow each other, items of a
    list and what is no sentence have lines of their own."""
    pieces: list[str] = []
    for quotation in quotations:
        dash = "- " if quotation.is_listed and not quotation.text[0].isdigit() else ""
        pieces.append(f"{dash}{quotation.text} [†{quotation.source.number}]")
    ends = [_gap(quotation, following) for quotation, following in pairwise(quotations)]
    return [piece + end for piece, end in zip(pieces, [*ends, ""], strict=False)]


def _gap(quotation: Quotation, following: Quotation) -> str:
    if following.is_listed:
        return "\n"
    is_same_item = quotation.is_listed and following.unit.group == quotation.unit.group
    stays_open = not is_stopped(quotation.text) or (quotation.is_listed and not is_same_item)
    return "\n\n" if stays_open else " "


_MOST_CITATIONS = 8
_MOST_SECTIONS = 8  # of an extract
# "the company that owns …", "the firm which …"; "…을 소유한 회사의 …".
_DESCRIBES = re.compile(
    r"\bthe (?:\w+ ){1,3}(?:that|which|who|whose|where)\b"
    "|[가-힣](?:한|은|는|인|된|던) [가-힣]+(?:의|이|가|은|는|를|을) ",
    re.IGNORECASE,
)
_SAID = 0.6  # share of a word that has to be met, as `coverage` counts it


def compose_answer(question: str, sources: Sources, idk: str) -> list[str]:
    """The pieces of an answer: quotations of the sources, each with its marker; `[idk]` if none fits.

    A quotation is a sentence, below its heading where that has words of the question, the cells of a row with their
    heads, or an item of a list.
    """
    return in_writing(_chosen(question, [ReadSource.of(source) for source in sources])) or [idk]


def extract_citations(question: str, sources: Sources, limits: tuple[int, int]) -> ExtractedCitations:
    """Exact quotations of `limits` (least, most) characters if the source is long enough, best first (S4.2)."""
    by_part = _ranked_by_part(question, [ReadSource.of(source) for source in sources])
    likely = sorted(
        (candidate for _, ranked in by_part for candidate in ranked), key=lambda quotation: -quotation.probability
    )
    spans = {
        (quotation.source.number, *_span(quotation, question, limits)): quotation
        for quotation in likely[:_MOST_CITATIONS]
    }
    return ExtractedCitations(
        citations=[
            ExtractedCitation(
                source=number,
                text_span=quotation.source.text[start:end],
                claim_text=quotation.text,
                citation_type="direct_quote",
            )
            for (number, start, end), quotation in spans.items()
        ]
    )


def take_notes(question: str, sources: Sources, max_chars: int) -> ResearchNotes:
    """The sentences behind an answer, each with its wording in the source (S3.6)."""
    cited = extract_citations(question, sources, (1, max_chars)).citations
    return ResearchNotes(
        notes=[
            ResearchNote(fact=quotation.claim_text, source=quotation.source, quote=quotation.text_span)
            for quotation in cited
        ]
    )


def _chosen(question: str, reads: Sequence[ReadSource]) -> list[Quotation]:
    """The quotations of an answer: for each part of the question the best unit with what belongs to it, and further
    ones only if they have words of the question that those lack."""
    if asks_for_summary(question) and (extract := _extract(reads)):
        return extract
    chosen: list[Quotation] = []
    for part, ranked in _ranked_by_part(question, reads):
        covered = frozenset[str]()
        for quotation in ranked:
            if len(chosen) >= TUNING.most_sentences or (covered and quotation.covers <= covered):
                continue
            covered |= quotation.covers
            stems = content_stems(quotation.text)
            known = (frozenset(content_stems(before.text)) for before in chosen)
            if all(coverage(stems, before) < TUNING.duplicate for before in known):
                chosen += with_what_belongs_to_it(part, quotation)
    return [*chosen, *_second_step(question, chosen, reads)]


def _extract(reads: Sequence[ReadSource]) -> list[Quotation]:
    """The beginnings of the sections of the most relevant document: without a model there is no other summary."""
    beginnings: dict[str, Quotation] = {}
    for read in reads:
        for unit in read.units if read.document == reads[0].document else ():
            if not unit.is_heading and unit.row is None:
                beginnings.setdefault(unit.heading, Quotation(read, unit, unit.below_heading))
    return list(beginnings.values())[:_MOST_SECTIONS]


def _second_step(question: str, chosen: Sequence[Quotation], reads: Sequence[ReadSource]) -> list[Quotation]:
    """What another source says about a name that the answer introduces, if the question describes it (S5.1)."""
    if not _DESCRIBES.search(question):
        return []
    for quotation in chosen:
        for read in reads:
            if read is not quotation.read and (unit := next(_completing(question, quotation.unit, read), None)):
                return [plain_quotation(read, unit)]
    return []


def _completing(question: str, first: Unit, read: ReadSource) -> Iterator[Unit]:
    """The units that name what `first` names and the question does not, with a word of the question that it lacks."""
    asked = entity_key(question)
    names = [key for name in find_names(first.text) if (key := entity_key(name.text)) not in asked]
    open_words = [stem for stem in content_stems(question) if first.read.related_stems.similarity(stem) < _SAID]
    for unit in read.units:
        if unit.is_heading:
            continue
        said = entity_key(unit.text)
        stems = unit.read.related_stems.stems
        if any(name in said for name in names) and any(coverage([stem], stems) >= _SAID for stem in open_words):
            yield unit


def _ranked_by_part(question: str, reads: Sequence[ReadSource]) -> list[tuple[QuestionPart, list[Quotation]]]:
    """For each part of the question the units that may answer it, best first; none if the text is no question."""
    sources = Sources(read.source for read in reads)
    if is_greeting(question) or _presumes_otherwise(question, sources):
        return []
    return [(part, _ranked_in_force(part, reads)) for part in parts_of(question)]


def _ranked_in_force(part: QuestionPart, reads: Sequence[ReadSource]) -> list[Quotation]:
    """The units that may answer one part of a question, without those of replaced documents if others come close."""
    ranked = _ranked(part, reads)
    valid = [read for read in reads if not read.source.replaced_by]
    if not ranked or len(valid) == len(reads):
        return ranked
    in_force = _ranked(part, valid)
    is_close = in_force and in_force[0].probability >= TUNING.close_to_best * ranked[0].probability
    return in_force if is_close else ranked


def _presumes_otherwise(question: str, sources: Sources) -> bool:
    """True if the question asks about a time that no source has, or presumes what the sources deny.

    "Did sales fall?" may be answered with "Sales rose"; "Why did sales fall?" may not.
    """
    differences = disagreements(question, "\n\n".join(f"{source.label}\n\n{source.text}" for source in sources))
    presumes = kind_of(question) != "decision"
    return any(
        difference.kind == "date"
        or (presumes and difference.kind == "negation" and difference.source_value is not None)
        for difference in differences
    )


def _ranked(part: QuestionPart, reads: Sequence[ReadSource]) -> list[Quotation]:
    """The units that may answer one part of a question, best first; none if the best one hardly does."""
    owners = {id(unit): read for read in reversed(reads) for unit in read.units}
    weighed = [
        candidate
        for candidate in candidates(part, [unit for read in reads for unit in read.units])
        if not is_about_another(part.text, candidate.unit.text)
        and not _is_any_row(part, candidate)
        # A question for a cause takes for granted what the unit must not deny.
        and not (part.kind == "why" and is_opposed(AnalysedText(part.text), candidate.unit.read))
    ]
    if not weighed or weighed[0].probability < ANSWERED:
        return []
    least = TUNING.close_to_best * weighed[0].probability
    likely = [candidate for candidate in weighed if candidate.probability >= least]
    quotations = (quotation_of(part, owners[id(candidate.unit)], candidate) for candidate in likely)
    return [quotation for quotation in quotations if quotation is not None]


def _is_any_row(part: QuestionPart, candidate: Candidate) -> bool:
    """Whether the question names only columns of the row's table, and something that the row does not have."""
    standing, unit = candidate.standing, candidate.unit
    if unit.row is None or names_row(unit, standing.own):
        return False
    return not standing.has.issuperset(question_weights(part))


def _span(quotation: Quotation, question: str, limits: tuple[int, int]) -> tuple[int, int]:
    sentence, (least, most) = quotation.unit.place, limits
    if len(sentence.text) > most:
        start, end = best_text_span(sentence.text, question, least, most)
        return sentence.start + start, sentence.start + end
    # A row stays alone: those around it are about other things.
    if len(sentence.text) < least and quotation.unit.row is None:
        return best_text_span(quotation.source.text, sentence.text, least, most)
    return sentence.start, sentence.end
