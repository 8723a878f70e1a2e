"""Goes through the questions of a conversation, and restates the last one.

"What about pump 20?" is asked of pump 20 as the question before was of pump 4; "when is it inspected?" is asked of what
that question was about. Words come from the questions only, never from answers. A question that says all itself stays
as it is; one that refers back in a way that no rule knows is put behind the question that it goes on from.
"""

import re
from collections.abc import Sequence

from domain.question.follow_up import english, korean
from domain.question.follow_up.restatement import Restatement, Verdict
from domain.question.question_parts import is_greeting

_MOST_CHARS = 500
"""A longer question explains itself; the rules would find too much in it."""
_HANGUL = re.compile("[가-힣]")
_NEXT_SENTENCE = re.compile(r"(?<=[?？])\s+(?=\S)")


def standalone_question(question: str, before: Sequence[str]) -> str:
    topic: str | None = None
    for earlier in before:
        topic = _next_topic(earlier, topic)
    if topic is None or is_greeting(question):
        return question
    match _restated(question, topic):
        case "stands alone":
            return question
        case "refers back":
            return f"{topic} {question}"
        case Restatement(text):
            return text


def _next_topic(question: str, topic: str | None) -> str | None:
    # A question that could only be put behind another leaves that in force.
    if is_greeting(question):
        return topic
    flat = " ".join(question.split())
    if topic is None:
        return _NEXT_SENTENCE.split(flat)[0]
    match _restated(flat, topic):
        case "stands alone":
            return _NEXT_SENTENCE.split(flat)[0]
        case "refers back":
            return topic
        case Restatement(text):
            return text


def _restated(question: str, topic: str) -> Restatement | Verdict:
    if len(question) > _MOST_CHARS:
        return "stands alone"
    is_korean = _HANGUL.search(question) is not None
    rules = korean if is_korean else english
    # Nothing is taken from a question in another language, or from a text.
    usable = len(topic) <= _MOST_CHARS and is_korean == (_HANGUL.search(topic) is not None)
    found = rules.restate(question, topic if usable else "")
    return found if usable or not isinstance(found, Restatement) else "refers back"
