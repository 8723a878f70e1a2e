"""Answers made of the sources' own sentences, and the passages that such an answer rests on."""

import re

from clients.llm.offline.linking import second_step
from clients.llm.offline.meaning import Meaning
from clients.llm.offline.passages import is_stopped
from clients.llm.offline.relevance import Candidate, ranked_sentences
from clients.llm.offline.tuning import TUNING
from domain.evidence import best_text_span, disagreements
from domain.judgements import ExtractedCitation, ExtractedCitations, ResearchNote, ResearchNotes
from domain.markers import cited_markers
from domain.numbers import find_quantities
from domain.sources import Sources
from domain.words import coverage

_LIST_SIGN = re.compile(r"^(?:[-*+•‣▪◦·●○■□▶►]|#{1,6}|>|\|)\s+")
_OPEN_QUESTION = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how)\b|무엇|무슨|누구|누가|언제|어디|왜|몇|얼마|어떤|어떻게",
    re.IGNORECASE,
)
_AMOUNT_ASKED = re.compile(r"\bhow much\b|얼마", re.IGNORECASE)
_MOST_CITATIONS = 8


def compose_answer(question: str, sources: Sources, idk: str, meaning: Meaning) -> list[str]:
    """Return the pieces of an answer: sentences copied from the sources, each with its marker; `[idk]` if none fits.

    White space runs become one space, list signs and the source's own citation markers are left out; nothing else is
    changed. A sentence without a full stop stands in a paragraph of its own.
    """
    chosen = [] if _presumes_otherwise(question, sources) else _chosen(question, sources, meaning)
    if not chosen:
        return [idk]
    pieces = [f"{quoted(each)} [†{each.source.number}]" for each in chosen]
    ends = [" " if is_stopped(quoted(each)) else "\n\n" for each in chosen]
    return [piece + end for piece, end in zip(pieces, [*ends[:-1], ""], strict=True)]


def extract_citations(question: str, sources: Sources, limits: tuple[int, int], meaning: Meaning) -> ExtractedCitations:
    """Return exact quotations, of `limits` (least, most) characters if the source has so many, best first (S4.2)."""
    if _presumes_otherwise(question, sources):
        return ExtractedCitations(citations=[])
    candidates = _relevant(question, sources, meaning)[:_MOST_CITATIONS]
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
    """Return the sentences that an answer rests on, each with its words in the source (S3.6)."""
    found = extract_citations(question, sources, (1, max_chars), meaning).citations
    return ResearchNotes(
        notes=[ResearchNote(fact=each.claim_text, source=each.source, quote=each.text_span) for each in found]
    )


def quoted(candidate: Candidate) -> str:
    """Return the sentence as an answer shows it."""
    place = candidate.sentence.place
    text = candidate.source.text[place.start : place.end]
    for marker in reversed(cited_markers(text)):
        text = text[: marker.start].rstrip() + text[marker.end :]
    return _LIST_SIGN.sub("", " ".join(text.split()))


def _presumes_otherwise(question: str, sources: Sources) -> bool:
    """Whether the question asks about a time that no source has, or takes for granted what the sources deny.

    "Did sales fall?" may be answered with "Sales rose", "Why did sales fall?" may not.
    """
    found = disagreements(question, "\n\n".join(f"{source.label}\n\n{source.text}" for source in sources))
    presumes = _OPEN_QUESTION.search(question) is not None
    return any(
        each.kind == "date" or (presumes and each.kind == "negation" and each.source_value is not None)
        for each in found
    )


def _chosen(question: str, sources: Sources, meaning: Meaning) -> list[Candidate]:
    chosen: list[Candidate] = []
    for candidate in _relevant(question, sources, meaning):
        if len(chosen) < TUNING.most_sentences and not any(_same(candidate, other) for other in chosen):
            chosen.append(candidate)
    if chosen:
        chosen += second_step(question, chosen, ranked_sentences(question, sources, meaning))
    return sorted(chosen, key=lambda each: (each.source.number, each.sentence.place.start))


def _relevant(question: str, sources: Sources, meaning: Meaning) -> list[Candidate]:
    """Return the sentences good enough for an answer, best first; none when the best is not."""
    usable = [
        candidate
        for candidate in ranked_sentences(question, sources, meaning)
        if len(candidate.sentence.stems) > 1
        and not candidate.sentence.is_heading
        and len(candidate.sentence.text) <= TUNING.longest_sentence
    ]
    enough = TUNING.answerable if meaning.known else TUNING.words_answerable
    if not usable or usable[0].score < enough:
        return []
    close = [each for each in usable if each.score >= TUNING.close_to_best * usable[0].score]
    # "How much" is not answered by sentences that name no amount, however much they are about the same matter.
    if _AMOUNT_ASKED.search(question) and not any(_names_amount(each.sentence.text) for each in close):
        return []
    return close


def _names_amount(text: str) -> bool:
    return any(quantity.unit for quantity in find_quantities(text))


def _same(one: Candidate, other: Candidate) -> bool:
    return coverage(sorted(one.sentence.stems), other.sentence.stems) >= TUNING.duplicate


def _span(candidate: Candidate, question: str, limits: tuple[int, int]) -> tuple[int, int]:
    sentence, (least, most) = candidate.sentence.place, limits
    if len(sentence.text) > most:
        start, end = best_text_span(sentence.text, question, least, most)
        return sentence.start + start, sentence.start + end
    if len(sentence.text) < least:
        return best_text_span(candidate.source.text, sentence.text, least, most)
    return sentence.start, sentence.end
