"""What `preset: small` changes: fewer and shorter calls, one after the other, with time for a model on this machine.

Measured with a model of 1.5 billion parameters that reads some forty tokens a second (docs/models.md).
"""

from collections.abc import Mapping
from typing import Any

SMALL: Mapping[str, Mapping[str, Any]] = {
    # At temperature 0 the same prompt gets the same reply, so only one more try; what was asked jointly is then asked
    # one by one, with a shorter prompt.
    "models": {"attempts": 2, "call_timeout_s": 300, "deadline_s": 900, "concurrency": 2, "hedge_share": 0},
    "retrieval": {"k": 5},
    "rerank": {"context_tokens": 1200},
    # A round takes as long as the question did, and begins when a small model doubts, often wrongly.
    "verification": {"max_crag_attempts": 0},
    # Each sentence would be checked by a call of its own, in the way of the answer that is being written.
    "stream": {"check_early": "never"},
    # The model would read every passage of every document.
    "graph": {"extractor": "local"},
    "budget": {"deadline_s": 1800},
    "admission": {"max_wait_s": 1800},
}


def with_preset(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of environment and file, with those of the preset where they have none."""
    if values.get("preset") != "small":
        return dict(values)
    return {**values, **{name: _filled(values.get(name), group) for name, group in SMALL.items()}}


def _filled(given: Any, group: Mapping[str, Any]) -> Any:
    if given is None:
        return dict(group)
    return {**group, **given} if isinstance(given, Mapping) else given  # pyright: ignore[reportUnknownVariableType]
