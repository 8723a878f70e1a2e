"""Composes answers from the units of the sources, and extracts the passages behind them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise, permutations, takewhile

from clients.llm.offline.judging import texts_of
from clients.llm.offline.linking import second_step
from clients.llm.offline.tuning import TUNING
from domain.evidence.conflicts.replacements import Excerpt, known_documents, replacing
from domain.evidence.contradictions import disagreements
from domain.evidence.spans import best_text_span
from domain.facts.structure.tables import cells_as_text
from domain.prompting.judgements import ExtractedCitation, ExtractedCitations, ResearchNote, ResearchNotes
from domain.prompting.numbered_sources import Source, Sources
from domain.question.asked_cells import asked_cells
from domain.question.features import FORMS, is_opposed, question_weights, without_asking
from domain.question.named_things import is_about_another
from domain.question.question_parts import QuestionPart, asks_for_summary, has_kind, is_greeting, kinds_of, parts_of
from domain.question.relevance import ANSWERABLE, Candidate, candidates
from domain.question.units import Unit, is_stopped, units_of
from domain.support.analysis import AnalysedText
from domain.text.words import content_stems, coverage

_MOST_CITATIONS = 8
_MOST_ITEMS = 12
_MOST_SECTIONS = 8  # of an extract
_LONGEST_SECTION = 500  # characters of a section that is quoted from its beginning


@dataclass(frozen=True, slots=True)
class Quotation:
    """What an answer quotes of a source: `text`, which is that of `unit` with what makes it clear. `covers` are the
    words of the question that it has, `own` those that do not only stand above it. `is_listed`: it is an item of a list
    that is quoted as a whole."""

    source: Source
    unit: Unit
    text: str
    probability: float = 0.0
    covers: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    is_listed: bool = False

    @property
    def stays_open(self) -> bool:
        """Whether what follows needs a line of its own: this is no sentence."""
        return not is_stopped(self.text)


def compose_answer(question: str, sources: Sources, idk: str) -> list[str]:
    """The pieces of an answer: quotations of the sources, each with its marker; `[idk]` if none fits.

    A quotation is a sentence, below its heading where that has words of the question, the cells of a row with their
    heads, or an item of a list. What is no sentence gets a line of its own.
    """
    chosen = _chosen(question, sources)
    if not chosen:
        return [idk]
    pieces = [f"{_as_line(quotation)} [†{quotation.source.number}]" for quotation in chosen]
    ends = [_gap(quotation, following) for quotation, following in pairwise(chosen)]
    return [piece + end for piece, end in zip(pieces, [*ends, ""], strict=True)]


def extract_citations(question: str, sources: Sources, limits: tuple[int, int]) -> ExtractedCitations:
    """Exact quotations of `limits` (least, most) characters if the source is long enough, best first (S4.2)."""
    likely = [quotation for _, ranked in _ranked_by_part(question, sources) for quotation in ranked]
    likely.sort(key=lambda quotation: -quotation.probability)
    spans = {(each.source.number, *_span(each, question, limits)): each for each in likely[:_MOST_CITATIONS]}
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
        notes=[ResearchNote(fact=each.claim_text, source=each.source, quote=each.text_span) for each in cited]
    )


def _chosen(question: str, sources: Sources) -> list[Quotation]:
    """The quotations of an answer: for each part of the question the best unit with what belongs to it, and further
    ones only if they have words of the question that those lack."""
    chosen: list[Quotation] = _extract(sources) if asks_for_summary(question) else []
    for part, ranked in () if chosen else _ranked_by_part(question, sources):
        covered = frozenset[str]()
        for quotation in ranked:
            if len(chosen) >= TUNING.most_sentences or (covered and quotation.covers <= covered):
                continue
            covered |= quotation.covers
            if not any(_repeats(quotation, before) for before in chosen):
                chosen += _expanded(part, quotation)
    return [*chosen, *_second_step(question, chosen, sources)]


def _second_step(question: str, chosen: Sequence[Quotation], sources: Sources) -> list[Quotation]:
    """What another source says about a name that the answer introduces, if the question describes it (S5.1)."""
    for quotation in chosen:
        for source in sources:
            others = () if source == quotation.source else _units(source)
            if unit := second_step(question, quotation.unit, (each for each in others if not each.is_heading)):
                return [_plain(source, unit)]
    return []


def _extract(sources: Sources) -> list[Quotation]:
    """The beginnings of the sections of the most relevant document: without a model there is no other summary."""
    name = sources[0].label.partition(", ")[0] if sources else ""
    beginnings: dict[str, Quotation] = {}
    for source in sources:
        units = _units(source) if source.label.partition(", ")[0] == name else ()
        for unit in units:
            if not unit.is_heading and unit.row is None:
                beginnings.setdefault(unit.heading, Quotation(source, unit, unit.below_heading))
    return list(beginnings.values())[:_MOST_SECTIONS]


def _presumes_otherwise(question: str, sources: Sources) -> bool:
    """True if the question asks about a time that no source has, or presumes what the sources deny.

    "Did sales fall?" may be answered with "Sales rose"; "Why did sales fall?" may not.
    """
    found = disagreements(question, "\n\n".join(f"{source.label}\n\n{source.text}" for source in sources))
    presumes = kinds_of(question)[:1] != ("decision",)
    return any(
        each.kind == "date" or (presumes and each.kind == "negation" and each.source_value is not None)
        for each in found
    )


def _ranked_by_part(question: str, sources: Sources) -> list[tuple[QuestionPart, list[Quotation]]]:
    """For each part of the question the units that may answer it, best first; none if the text is no question.

    A document that another one replaces is read only where that one does not answer.
    """
    if is_greeting(question) or _presumes_otherwise(question, sources):
        return []
    valid = _in_force(question, sources)
    return [(part, _ranked(part, valid) or _ranked(part, sources)) for part in parts_of(question)]


def _in_force(question: str, sources: Sources) -> Sources:
    """The sources without those of documents that another one of them says that it replaces. A question with words that
    only the replaced document has is about that one."""
    names = {source.number: source.label.partition(", ")[0] for source in sources}
    excerpts = [
        Excerpt(names[source.number], names[source.number], source.text, source.context, opens=not source.context)
        for source in sources
    ]
    pairs = permutations(known_documents(excerpts).values(), 2)
    replaced = {other.document for one, other in pairs if replacing(one, other) is one}
    old, valid = (
        [source for source in sources if (names[source.number] in replaced) is is_old] for is_old in (True, False)
    )
    words = [frozenset(content_stems("\n".join(texts_of(each)))) for each in (old, valid)]
    is_about_old = any(coverage([stem], words[0]) > coverage([stem], words[1]) for stem in content_stems(question))
    return sources if is_about_old else Sources(valid)


def _ranked(part: QuestionPart, sources: Sources) -> list[Quotation]:
    """The units that may answer one part of a question, best first; none if the best one hardly does."""
    owners = {id(unit): source for source in sources for unit in _units(source)}
    weighed = [
        candidate
        for candidate in candidates(part, [unit for source in sources for unit in _units(source)])
        if not is_about_another(part.text, candidate.unit.text)
        and not _is_any_row(part, candidate)
        and not _denies_cause(part, candidate.unit)
    ]
    if not weighed or weighed[0].probability < ANSWERABLE:
        return []
    least = TUNING.close_to_best * weighed[0].probability
    likely = [candidate for candidate in weighed if candidate.probability >= least]
    quotations = [_quotation(part, owners[id(candidate.unit)], candidate) for candidate in likely]
    return [quotation for quotation in quotations if quotation.text]


def _is_any_row(part: QuestionPart, candidate: Candidate) -> bool:
    """Whether the question names only columns of the row's table, and something that the row does not have."""
    standing = candidate.standing
    return candidate.unit.row is not None and not standing.own and not standing.has.issuperset(question_weights(part))


def _denies_cause(part: QuestionPart, unit: Unit) -> bool:
    """Whether the unit says the opposite of what a question for a cause takes for granted."""
    return part.kind == "why" and is_opposed(AnalysedText(part.text), unit.read)


def _units(source: Source) -> Sequence[Unit]:
    return units_of(source.text, source.context, source.label)


def _quotation(part: QuestionPart, source: Source, candidate: Candidate) -> Quotation:
    standing, unit = candidate.standing, candidate.unit
    above = standing.has - standing.own
    text = unit.below_heading if any(coverage([word], unit.above) for word in above) else unit.text
    if unit.row is not None:
        cells = asked_cells(part, unit.row, _units(source))
        text = cells_as_text(unit.row, cells) if cells else ""
    return Quotation(source, unit, text, candidate.probability, standing.has, standing.own)


def _expanded(part: QuestionPart, quotation: Quotation) -> list[Quotation]:
    """The quotation with what belongs to it: the whole list or the beginning of the section whose head has the words of
    the question that it has itself, or the next sentence if that has further words of the question."""
    unit, units = quotation.unit, _units(quotation.source)
    here = next(at for at, each in enumerate(units) if each is unit)
    following = [_plain(quotation.source, each) for each in units[here + 1 :]]
    if unit.row is not None:
        return [quotation] if quotation.own else _whole_table(part, quotation)
    if unit.text.endswith((":", "：")):
        return [quotation, *takewhile(lambda each: each.unit.group == unit.group + 1, following)][: _MOST_ITEMS + 1]
    members = [each for each in units if each.group == unit.group and each.row is None and not each.is_heading]
    section = [_plain(quotation.source, each) for each in members]
    if part.kind not in FORMS and all(coverage([word], unit.above) for word in quotation.own):
        if any(each.is_item for each in members):
            leads = [each for each in units[:here] if unit.lead and each.text == unit.lead][-1:]
            return [*(_plain(quotation.source, each) for each in leads), *section[:_MOST_ITEMS]]
        ends = accumulate(len(each.text) for each in members)
        return [each for each, end in zip(section, ends, strict=True) if end <= _LONGEST_SECTION] or [quotation]
    adds = following and following[0].unit.group == unit.group and _adds(part, quotation, following[0].unit)
    return [quotation, replace(following[0], is_listed=False)] if adds else [quotation]


def _plain(source: Source, unit: Unit) -> Quotation:
    return Quotation(source, unit, unit.text, is_listed=unit.is_item)


def _whole_table(part: QuestionPart, quotation: Quotation) -> list[Quotation]:
    """All rows of a table of which the question names only columns."""
    rows = [(each, each.row) for each in _units(quotation.source) if each.row]
    return [
        Quotation(quotation.source, unit, cells_as_text(row, asked_cells(part, row, _units(quotation.source))))
        for unit, row in rows
        if quotation.unit.row and row.table == quotation.unit.row.table
    ][:_MOST_ITEMS]


def _adds(part: QuestionPart, quotation: Quotation, following: Unit) -> bool:
    """Whether the next sentence has words of the question that the quotation lacks, or what is asked for."""
    if any(following.read.related_stems.similarity(word) for word in set(without_asking(part.stems)) - quotation.own):
        return True
    is_kind = has_kind(part.kind, following.text, part.text)
    return is_kind is True and has_kind(part.kind, quotation.text, part.text) is not True


def _as_line(quotation: Quotation) -> str:
    return f"- {quotation.text}" if quotation.is_listed and not quotation.text[0].isdigit() else quotation.text


def _gap(quotation: Quotation, following: Quotation) -> str:
    if following.is_listed:
        return "\n"
    is_same_item = quotation.is_listed and following.unit.group == quotation.unit.group
    return "\n\n" if quotation.stays_open or (quotation.is_listed and not is_same_item) else " "


def _repeats(quotation: Quotation, before: Quotation) -> bool:
    stems = before.unit.read.related_stems.stems
    return coverage(sorted(quotation.unit.read.related_stems.stems), stems) >= TUNING.duplicate


def _span(quotation: Quotation, question: str, limits: tuple[int, int]) -> tuple[int, int]:
    sentence, (least, most) = quotation.unit.place, limits
    if len(sentence.text) > most:
        start, end = best_text_span(sentence.text, question, least, most)
        return sentence.start + start, sentence.start + end
    # A row stays alone: those around it are about other things.
    if len(sentence.text) < least and quotation.unit.row is None:
        return best_text_span(quotation.source.text, sentence.text, least, most)
    return sentence.start, sentence.end
