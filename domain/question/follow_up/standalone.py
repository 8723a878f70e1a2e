"""Goes through the questions of a conversation, and restates the last one.

What the new question says takes the place of what is of its kind in the question before: a name that of a name, a year
that of a year, a question word that of a question word. The rest of the question before stays beside it. Words come
from the questions only, never from answers, and a question that says all itself stays as it is.
"""

import re
from collections.abc import Sequence

from citewell_verify.question.question_parts import is_greeting
from domain.question.follow_up import english, korean

_MOST_CHARS = 500
"""A longer question explains itself, and there is no knowing what of it a follow-up is about."""
_HANGUL = re.compile("[가-힣]")
_NEXT_SENTENCE = re.compile(r"(?<=[?？])\s+(?=\S)")


def standalone_question(question: str, before: Sequence[str]) -> str:
    topic = ""
    for earlier in before:
        # A question that could only be put behind another leaves that in force.
        if not is_greeting(earlier):
            topic = _NEXT_SENTENCE.split(_restated(" ".join(earlier.split()), topic))[0]
    return question if is_greeting(question) else _restated(question, topic)


def _restated(question: str, topic: str) -> str:
    if not topic or len(question) > _MOST_CHARS:
        return question
    is_korean = _HANGUL.search(question) is not None
    rules, flat = korean if is_korean else english, " ".join(question.split())
    if not rules.goes_on(flat):
        return question
    # Nothing is taken from a question in another language, or from a text.
    if len(topic) > _MOST_CHARS or is_korean != (_HANGUL.search(topic) is not None):
        return f"{topic} {question}"
    return rules.restated(flat, topic) or f"{topic} {question}"
