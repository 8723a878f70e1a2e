"""Prompts for the two rivals that are written from scratch: the sequential flow and Celery with a task per call.

Like `loop`, it needs nothing but Python. Messages ask for JSON where a judgement is wanted.
"""

Messages = list[dict[str, str]]

_SCORE = 'You score how relevant a passage is to a question, from 0 to 1. Respond with JSON only: {"score": 0.0}'
_WRITE = (
    "Answer the question from the sources only. Put the number of the source at the end of each sentence, as [1]. "
    "Say nothing that the sources do not say."
)
_ALIGNMENT = (
    "Does the answer address the question, and is it supported by the sources, without contradiction? Respond with "
    'JSON only: {"score": 0.0, "reason": "…"}'
)
_FACTS = (
    "Extract the 1 to 5 key factual claims of the answer and verify each against the sources. Respond with JSON only: "
    '{"claims": [{"claim": "…", "verified": true, "supporting_sources": [1], "confidence": 0.0}]}'
)
_ANSWERABILITY = (
    'Is everything in the answer supported by the sources? Respond with JSON only: {"supported": true, "reason": "…"}'
)
_STATEMENT = (
    "Is the statement cited accurately: does the source that it cites say this? Respond with JSON only: "
    '{"is_accurate": true, "relation": "supports", "confidence": 0.0, "evidence": "…", "explanation": "…"}'
)


def score(passage: str, question: str) -> Messages:
    """Ask for the relevance of one passage."""
    return _messages(_SCORE, [passage], question=question)


def write(sources: list[str], question: str) -> Messages:
    """Ask for a cited answer, in prose."""
    return _messages(_WRITE, sources, question=question)


def alignment(sources: list[str], question: str, answer: str) -> Messages:
    """Ask whether an answer addresses the question and is supported."""
    return _messages(_ALIGNMENT, sources, question=question, answer=answer)


def facts(sources: list[str], answer: str) -> Messages:
    """Ask for the key claims of an answer and whether they hold."""
    return _messages(_FACTS, sources, answer=answer)


def answerability(sources: list[str], answer: str) -> Messages:
    """Ask whether all of an answer is in the sources."""
    return _messages(_ANSWERABILITY, sources, answer=answer)


def statement(source: str, said: str) -> Messages:
    """Ask whether one statement is in the source that it cites."""
    return _messages(_STATEMENT, [source], statement=said)


def _messages(system: str, sources: list[str], **parts: str) -> Messages:
    shown = [f'<source id="{number}">\n{text}\n</source>' for number, text in enumerate(sources, 1)]
    shown += [f"<{name}>\n{text}\n</{name}>" for name, text in parts.items()]
    return [{"role": "system", "content": system}, {"role": "user", "content": "\n\n".join(shown)}]
