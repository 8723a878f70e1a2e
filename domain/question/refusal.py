"""Refuses a question before anything is written, and selects what a reader is shown beside the refusal (V8)."""

from collections.abc import Sequence

from domain.evidence.spans import best_text_span
from domain.question.named_things import missing_things
from domain.question.question_parts import is_greeting
from domain.text.sentence_alignment import claim_stems
from domain.text.words import content_stems, coverage

NOT_A_QUESTION = (
    "This is a greeting and asks nothing of the documents. Ask about what is in them, and you get an answer."
)


def why_refused(question: str, passages: Sequence[str]) -> str:
    """Return, in a sentence for users, why the question cannot be answered from `passages`; "" if it can.

    A passage is its text with its file's name and its headings. Deterministic, and silent when in doubt.
    """
    if is_greeting(question):
        return NOT_A_QUESTION
    missing = [thing.text for thing in missing_things(question, passages)]
    if not missing:
        return ""
    named = " or ".join(f"“{text}”" for text in missing[:3])
    return f"The question is about {named}, which no passage of the documents names."


_MOST = 3
_SHORTEST, _LONGEST = 40, 200  # characters of a quotation
_SHARED = 0.3  # share of the question's words under which a passage mentions nothing of it


def mentions(question: str, passages: Sequence[str]) -> list[tuple[int, str]]:
    """Return (passage number from 0, its words that share most with the question), nearest first, at most three.

    The words are on one line and no answer: a caption or a row of a table may be the nearest. Linear in all lengths.
    """
    wanted = list(dict.fromkeys(claim_stems(question)))
    found: list[tuple[float, int, str]] = []
    for number, text in enumerate(passages):
        start, end = best_text_span(text, question, _SHORTEST, _LONGEST)
        quote = " ".join(text[start:end].split())
        shared = coverage(wanted, set(content_stems(quote)))
        if quote and shared >= _SHARED:
            found.append((-shared, number, quote))
    unique = {quote: (number, quote) for _, number, quote in sorted(found)}
    return list(unique.values())[:_MOST]
