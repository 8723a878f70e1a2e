"""Links what the simulated model reads: names, their connections, and questions that need two passages."""

import re
from collections.abc import Sequence
from typing import Any

from tests.simulators.groq.reading import Span, sentences, share, stems

# "Who leads the company that owns Acme Corp?": what is asked about, and what tells which one is meant.
_TWO_STEPS = re.compile(r"^(.+?)\bthe (?:company|firm|group|owner|institute) (?:that|which|who) (.+)\?$", re.IGNORECASE)
_NAME = re.compile(r"(?:[A-Z][\w&-]*)(?: (?:[A-Z][\w&-]*))+")
_SAME = {"led": "lead", "owned": "own"}


def said_of_names(text: str) -> dict[str, Any]:
    """The names of more than one word, and the sentences with two of them."""
    entities: dict[str, dict[str, Any]] = {}
    relations: list[dict[str, Any]] = []
    for span in sentences(text):
        names = _names(span)
        for name in names:
            entities.setdefault(name, {"name": name, "type": "organisation", "description": span.flat})
        relations += [
            {"source": names[0], "target": other, "keywords": ["connected"], "description": span.flat}
            for other in names[1:]
        ]
    return {"entities": list(entities.values()), "relations": relations}


def keywords(question: str) -> dict[str, Any]:
    """The names of the question, and all of it."""
    return {"low_level": _NAME.findall(question), "high_level": [question]}


def bridged(question: str, texts: Sequence[str]) -> list[tuple[str, int]] | None:
    """Answer a question about something that is only described: (sentence, source number) of both steps.

    None for any other question; empty when a step is missing.
    """
    steps = _TWO_STEPS.match(question.strip())
    if steps is None:
        return None
    wanted, described = _kin(steps[1]), _kin(steps[2])
    spans = [(span, number) for number, text in enumerate(texts, 1) for span in sentences(text)]
    for span, number in spans:
        if share(described, _kin(span.text)) < 0.9:
            continue
        for name in [name for name in _names(span) if name not in question]:
            for other, second in spans:
                if name in other.flat and other != span and share(wanted, _kin(other.text)) >= 0.9:
                    return [(span.flat, number), (other.flat, second)]
    return []


def _names(span: Span) -> list[str]:
    return list(dict.fromkeys(_NAME.findall(span.flat)))


def _kin(text: str) -> set[str]:
    return {_SAME.get(stem, stem) for stem in stems(text)}
