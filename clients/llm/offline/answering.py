"""Composes answers from units of the sources, with what belongs to each; extracts passages, and whole documents."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from citewell_verify.entities.names import find_names
from citewell_verify.evidence.conflicts.replacements import Excerpt, known_documents
from citewell_verify.evidence.contradictions import disagreements
from citewell_verify.evidence.spans import best_text_span
from citewell_verify.offline.passages import TUNING
from citewell_verify.prompting.judgements import ExtractedCitation, ExtractedCitations, ResearchNote, ResearchNotes
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.question.features import question_weights
from citewell_verify.question.named_things import is_about_another
from citewell_verify.question.question_parts import (
    QuestionPart,
    is_greeting,
    kind_of,
    parts_of,
    question_stems,
    whole_asked,
)
from citewell_verify.question.relevance import ANSWERED, Candidate, candidates
from citewell_verify.question.units import Unit
from citewell_verify.text.words import content_stems, coverage, letters
from clients.llm.offline.quotations import (
    LEADS,
    Quotation,
    ReadSource,
    in_writing,
    names_row,
    plain_quotation,
    quotation_of,
    with_what_belongs_to_it,
)
from domain.documents.graph import entity_key
from domain.question.whole_documents import whole_request

_MOST_CITATIONS = 8
_TIE = 0.97  # share of the best probability from which on another unit may as well be the answer
# "the company that owns …", "the firm which …"; "…을 소유한 회사의 …".
_DESCRIBES = re.compile(
    r"\bthe (?:\w+ ){1,3}(?:that|which|who|whose|where)\b"
    "|[가-힣](?:한|은|는|인|된|던) [가-힣]+(?:의|이|가|은|는|를|을) ",
    re.IGNORECASE,
)
# What is answered by all rows of a table, because it compares or lists them; "last year" compares nothing.
_OF_ALL = re.compile(
    r"\b(?:list|all|every|each|most|least|first|last(?! (?:year|month|week|season|time)\b)"
    r"|(?:high|low|cheap|larg|small|bigg|fast|slow|long|short|old|new|lat|earli|near)est)\b"
    "|(?:가장|제일)(?: [가-힣]+)?|첫|마지막|모든|모두",
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
    ones only if they have words of the question that those lack, or nothing tells them from the best one."""
    match whole_asked(question):
        case "summary":
            return extract(reads)
        case "changes" if apart := differences(question, reads):
            return apart
        case _:
            pass
    chosen: list[Quotation] = []
    for part, ranked in _ranked_by_part(question, reads):
        covered, quoted = frozenset[str](), set[int]()
        for quotation in ranked:
            adds = not quotation.covers <= covered or quotation.probability >= _TIE * ranked[0].probability
            if len(chosen) >= TUNING.most_sentences or id(quotation.unit) in quoted or not adds:
                continue
            covered |= quotation.covers
            stems = content_stems(quotation.text)
            known = (frozenset(content_stems(before.text)) for before in chosen)
            if all(coverage(stems, before) < TUNING.duplicate for before in known):
                belonging = with_what_belongs_to_it(part, quotation)
                chosen += [further for further in belonging if id(further.unit) not in quoted]
                quoted.update(id(further.unit) for further in belonging)
    return [*chosen, *_second_step(question, chosen, reads)]


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
        if not is_about_another(part.text, candidate.unit.text) and not _is_any_row(part, candidate)
    ]
    if not weighed or weighed[0].probability < ANSWERED:
        return []
    least = TUNING.close_to_best * weighed[0].probability
    likely = [candidate for candidate in weighed if candidate.probability >= least]
    quotations = (quotation_of(part, owners[id(candidate.unit)], candidate) for candidate in likely)
    return [quotation for quotation in quotations if quotation is not None]


def _is_any_row(part: QuestionPart, candidate: Candidate) -> bool:
    """Whether the question names only columns of the row's table, and something that the row does not have. To a
    question that compares rows all of them are shown: the row lacks only the words that compare."""
    standing, unit = candidate.standing, candidate.unit
    if unit.row is None or names_row(unit, standing.own):
        return False
    comparing = question_stems(" ".join(_OF_ALL.findall(part.text)))
    return not standing.has.union(comparing).issuperset(question_weights(part))


def _span(quotation: Quotation, question: str, limits: tuple[int, int]) -> tuple[int, int]:
    sentence, (least, most) = quotation.unit.place, limits
    if len(sentence.text) > most:
        start, end = best_text_span(sentence.text, question, least, most)
        return sentence.start + start, sentence.start + end
    # A row stays alone: those around it are about other things.
    if len(sentence.text) < least and quotation.unit.row is None:
        return best_text_span(quotation.source.text, sentence.text, least, most)
    return sentence.start, sentence.end


_LONGEST_EXTRACT = 1_800  # characters
_MOST_DIFFERENCES = 16


def extract(reads: Sequence[ReadSource]) -> list[Quotation]:
    """The sections of the most relevant document, each from its beginning, as far as there is room for all of them."""
    sections = _sections(read for read in reads if read.document == reads[0].document)
    room = _LONGEST_EXTRACT // max(1, len(sections))
    return [quotation for section in sections.values() for quotation in _beginning(section, room)]


def differences(question: str, reads: Sequence[ReadSource]) -> list[Quotation]:
    """What each of two documents says and the other does not, section by section, the older one first."""
    known = known_documents(
        [Excerpt(read.document, read.document, read.source.text, read.source.context) for read in reads]
    )
    pair = sorted(whole_request(question, known), key=lambda name: known[name].date or "9")
    if not pair:
        return []
    sides = [_sections(read for read in reads if read.document == name) for name in pair]
    said = [{letters(quotation.unit.text) for section in side.values() for quotation in section} for side in sides]
    apart: list[Quotation] = []
    for heading in dict.fromkeys(heading for side in (sides[1], sides[0]) for heading in side):
        for side, others in zip(sides, reversed(said), strict=True):
            section = side.get(heading, [])
            apart += [quotation for quotation in section if letters(quotation.unit.text) not in others]
    return [replace(quotation, is_listed=True) for quotation in apart[:_MOST_DIFFERENCES]]


def _sections(reads: Iterable[ReadSource]) -> dict[str, list[Quotation]]:
    """What stands below each heading, the first with the heading; passages overlap, so what stands twice is one."""
    sections: dict[str, dict[str, Quotation]] = {}
    for read in reads:
        for unit in read.units:
            if not unit.is_heading:
                section = sections.setdefault(" ".join(content_stems(unit.heading)), {})
                quotation = plain_quotation(read, unit)
                section.setdefault(
                    letters(unit.text), quotation if section else replace(quotation, text=unit.below_heading)
                )
    return {heading: list(section.values()) for heading, section in sections.items()}


def _beginning(section: Sequence[Quotation], room: int) -> list[Quotation]:
    """As much of a section as there is room for, at least its first sentence, and no line that only introduces more."""
    quoted: list[Quotation] = []
    for quotation in section:
        if quoted and not quoted[-1].text.endswith(LEADS) and room < len(quotation.text):
            break
        quoted.append(quotation)
        room -= len(quotation.text)
    return quoted
