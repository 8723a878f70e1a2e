"""Composes answers from the sources' own sentences, and extracts the passages behind them."""

import re
from collections.abc import Sequence

from clients.llm.offline.linking import second_step
from clients.llm.offline.meaning import Meaning
from clients.llm.offline.passages import is_stopped
from clients.llm.offline.relevance import Candidate, answering_sentences, naming_what_is_asked, ranked_sentences
from clients.llm.offline.tables import asked_rows
from clients.llm.offline.tuning import TUNING
from domain.evidence.spans import best_text_span, disagreements
from domain.prompting.judgements import ExtractedCitation, ExtractedCitations, ResearchNote, ResearchNotes
from domain.prompting.numbered_sources import Sources
from domain.question.named_things import is_about_another
from domain.question.non_answers import is_no_answer
from domain.question.question_parts import QuestionPart, is_greeting, parts_of
from domain.text.readability import is_readable
from domain.text.sentences import is_table_row
from domain.text.words import coverage

_OPEN_QUESTION = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how)\b|무엇|무슨|누구|누가|언제|어디|왜|몇|얼마|어떤|어떻게",
    re.IGNORECASE,
)
_MOST_CITATIONS = 8


def compose_answer(question: str, sources: Sources, idk: str, meaning: Meaning) -> list[str]:
    """The pieces of an answer: sentences copied from the sources, each with its marker; `[idk]` if none fits.

    Runs of white space become one space, list signs and the source's own citation markers are removed; nothing else is
    changed. A sentence without a full stop gets a paragraph of its own.
    """
    chosen = _chosen(question, sources, meaning)
    if not chosen:
        return [idk]
    pieces = [f"{quoted(each)} [†{each.source.number}]" for each in chosen]
    ends = [" " if is_stopped(quoted(each)) else "\n\n" for each in chosen]
    return [piece + end for piece, end in zip(pieces, [*ends[:-1], ""], strict=True)]


def extract_citations(question: str, sources: Sources, limits: tuple[int, int], meaning: Meaning) -> ExtractedCitations:
    """Exact quotations of `limits` (least, most) characters if the source is long enough, best first (S4.2)."""
    candidates = [each for part in _answers(question, sources, meaning) for each in part][:_MOST_CITATIONS]
    spans = {(candidate.source.number, *_span(candidate, question, limits)): candidate for candidate in candidates}
    return ExtractedCitations(
        citations=[
            ExtractedCitation(
                source=number,
                text_span=candidate.source.text[start:end],
                claim_text=quoted(candidate),
                citation_type="direct_quote",
            )
            for (number, start, end), candidate in spans.items()
        ]
    )


def take_notes(question: str, sources: Sources, max_chars: int, meaning: Meaning) -> ResearchNotes:
    """The sentences behind an answer, each with its wording in the source (S3.6)."""
    found = extract_citations(question, sources, (1, max_chars), meaning).citations
    return ResearchNotes(
        notes=[ResearchNote(fact=each.claim_text, source=each.source, quote=each.text_span) for each in found]
    )


def quoted(candidate: Candidate) -> str:
    return candidate.shown


def _presumes_otherwise(question: str, sources: Sources) -> bool:
    """True if the question asks about a time that no source has, or presumes what the sources deny.

    "Did sales fall?" may be answered with "Sales rose"; "Why did sales fall?" may not.
    """
    found = disagreements(question, "\n\n".join(f"{source.label}\n\n{source.text}" for source in sources))
    presumes = _OPEN_QUESTION.search(question) is not None
    return any(
        each.kind == "date" or (presumes and each.kind == "negation" and each.source_value is not None)
        for each in found
    )


def _chosen(question: str, sources: Sources, meaning: Meaning) -> list[Candidate]:
    """The sentences of the answer in the order of the sources: the best for each part of the question, and further ones
    only if they cover words of the question that those do not.
    """
    chosen: list[Candidate] = []
    for ranked in _answers(question, sources, meaning):
        chosen += _best(ranked, chosen)
    if chosen:
        chosen += second_step(question, chosen, ranked_sentences(question, sources, meaning))
    return sorted(chosen, key=lambda each: (each.source.number, each.sentence.place.start))


def _best(ranked: Sequence[Candidate], before: Sequence[Candidate]) -> list[Candidate]:
    chosen: list[Candidate] = []
    for candidate in ranked:
        if len(before) + len(chosen) == TUNING.most_sentences:
            break
        if any(_same(candidate, other) for other in before):
            return chosen
        if not chosen or (candidate.adds_to(chosen) and _is_close(candidate, chosen[0])):
            chosen.append(candidate)
    return chosen


def _is_close(candidate: Candidate, best: Candidate) -> bool:
    return (
        candidate.score >= TUNING.close_to_best * best.score
        and candidate.relevance >= TUNING.as_relevant * best.relevance
    )


def _answers(question: str, sources: Sources, meaning: Meaning) -> list[list[Candidate]]:
    """For each part of the question the sentences that may answer it, best first; none if the text is no question or
    presumes what the sources deny. Subjects that no passage names were rejected earlier (`domain.question`).
    """
    if is_greeting(question) or _presumes_otherwise(question, sources):
        return []
    return [_relevant(part, question, sources, meaning) for part in parts_of(question)]


def _relevant(part: QuestionPart, question: str, sources: Sources, meaning: Meaning) -> list[Candidate]:
    """The sentences good enough to answer one part, best first; none if the best is not. A cell that the question names
    by row and column needs no more."""
    if named := asked_rows(part.text, sources)[:1]:
        return [Candidate(each.source, each.sentence, 1.0, 1.0, frozenset(part.stems), each.text) for each in named]
    usable = [
        candidate
        for candidate in answering_sentences(part, sources, meaning)
        if len(candidate.sentence.stems) > 1
        and not candidate.sentence.is_heading
        and candidate.relevance >= TUNING.least_relevant
        and is_readable(candidate.sentence.text)
        and not is_about_another(question, candidate.sentence.text)
        and not is_no_answer(part, quoted(candidate))
    ]
    usable = naming_what_is_asked(part.text, usable)
    enough = TUNING.answerable if meaning.known else TUNING.words_answerable
    if not usable or usable[0].score < enough or max(each.relevance for each in usable) < TUNING.relevant:
        return []
    return [each for each in usable if each.score >= TUNING.close_to_best * usable[0].score]


def _same(one: Candidate, other: Candidate) -> bool:
    return coverage(sorted(one.sentence.stems), other.sentence.stems) >= TUNING.duplicate


def _span(candidate: Candidate, question: str, limits: tuple[int, int]) -> tuple[int, int]:
    sentence, (least, most) = candidate.sentence.place, limits
    if len(sentence.text) > most:
        start, end = best_text_span(sentence.text, question, least, most)
        return sentence.start + start, sentence.start + end
    # A row stays alone: those around it are about other things.
    if len(sentence.text) < least and not is_table_row(sentence.text):
        return best_text_span(candidate.source.text, sentence.text, least, most)
    return sentence.start, sentence.end
