"""Refuses a question before anything is written (V8)."""

from collections.abc import Sequence

from domain.question.named_things import missing_things
from domain.question.question_parts import is_greeting

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
