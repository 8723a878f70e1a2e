"""The values that `preset: small` changes: one short call per question, with time for a model on this machine.

They were measured with a model of 1.5 billion parameters that reads some forty tokens a second (docs/models.md).
"""

from collections.abc import Mapping
from typing import Any

SMALL: Mapping[str, Mapping[str, Any]] = {
    "models": {
        # The small model writes; a judgement by it takes up to two minutes and is often wrong.
        "judgements": "offline",
        # At temperature 0 the same prompt gets the same reply, so there is one more attempt, with more room.
        "attempts": 2,
        "call_timeout_s": 300,
        "deadline_s": 900,
        "concurrency": 4,
        "hedge_share": 0,
    },
    "rerank": {"context_tokens": 1200},
    "verification": {"max_crag_attempts": 1},
    # Otherwise the model would read every passage of every document.
    "graph": {"extractor": "local"},
    "budget": {"deadline_s": 1800},
    "admission": {"max_wait_s": 1800},
}


def with_preset(values: Mapping[str, Any]) -> dict[str, Any]:
    if values.get("preset") != "small":
        return dict(values)
    filled = dict(values)
    for name, group in SMALL.items():
        given: Any = values.get(name)
        if given is None or isinstance(given, Mapping):
            filled[name] = {**group, **(given or {})}
    return filled
