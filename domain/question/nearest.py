"""Refuses a question before anything is written, and quotes the passages that come closest to it (V8)."""

from collections.abc import Sequence

from citewell_verify.evidence.spans import best_text_span
from citewell_verify.question.named_things import missing_things
from citewell_verify.question.question_parts import is_greeting
from citewell_verify.text.words import letters

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


_MOST = 3  # passages


def closest(question: str, passages: Sequence[str]) -> list[tuple[int, str]]:
    """Return (passage number from 0, its words that share most with the question) for a reader to judge, on one line:
    of the first three passages that say something of their own. Linear in all lengths."""
    quotations: dict[str, tuple[int, str]] = {}
    for number, text in enumerate(passages):
        start, end = best_text_span(text, question)
        quote = " ".join(text[start:end].split())
        # Neighbouring passages overlap, and copies differ in their signs.
        if said := letters(quote):
            quotations.setdefault(said, (number, quote))
    return list(quotations.values())[:_MOST]
