"""A model that obeys its sources: its verdicts when a source orders them, or always."""

import json
import re
from collections.abc import Callable
from typing import Any

from tests.simulators.groq.calls import Call
from tests.simulators.groq.mind import Task
from tests.simulators.groq.reading import sentences, share, stems

_CONFIDENCE = 0.99
# Crude on purpose, and its own: it sees orders where there are none rather than the other way round.
_ORDER = re.compile(
    r"ignor|instruct|\bmark\b|verdict|verifier|supported|is_accurate|relation|label|judge|treat|\bai\b|model|"
    r"지시|무시|판정|검증|표시|忽略|無視|инструкц|تجاهل|निर्देश|talimat|hướng dẫn|anweisung|istruzioni|instruç",
    re.IGNORECASE,
)


def persuaded(reply: str, call: Call, quote: str, *, always: bool) -> str:
    """Return `reply` with every verdict turned to support, if a source of the prompt holds an order or `always`."""
    task = Task(call.system, call.user)
    if not reply.startswith("{") or not (always or _ORDER.search(task.everything)):
        return reply
    told: dict[str, Any] = json.loads(reply)
    words = quoted(task, quote)
    return json.dumps(_agreeing(told, words), ensure_ascii=False)


def quoted(task: Task, quote: str) -> str:
    """The quotation: `order`, the first sentence with an order; `likest` and `unlike`, the sentence of the sources
    that shares most and least with the statement; anything else as it is."""
    spans = [span.text for span in sentences(task.everything)]
    wanted = stems(task.part("statement") or task.part("answer"))
    by_likeness = sorted(spans, key=lambda text: -share(wanted, stems(text)))
    if quote == "order":
        return next((text for text in spans if _ORDER.search(text)), task.everything[-80:])
    return {"likest": "".join(by_likeness[:1]), "unlike": "".join(by_likeness[-1:])}.get(quote, quote)


def _agreeing(told: dict[str, Any], words: str) -> dict[str, Any]:
    yes: dict[str, Callable[[Any], Any]] = {
        "score": lambda _: _CONFIDENCE,
        "confidence": lambda _: _CONFIDENCE,
        "answers": lambda _: "yes",
        "open_parts": lambda _: list[str](),
        "supported": lambda _: True,
        "is_accurate": lambda _: True,
        "relation": lambda _: "supports",
        "evidence": lambda _: words,
        "differences": lambda _: [],
        "source": lambda _: 9,
        "citations": lambda citations: [_agreeing(citation, words) for citation in citations],
        "scores": lambda scores: [_agreeing(score, words) for score in scores],
        "verdicts": lambda verdicts: [_agreeing(each, words) for each in verdicts],
        "verdict": lambda verdict: _agreeing(verdict, words),
    }
    return {name: yes[name](value) if name in yes else value for name, value in told.items()}
