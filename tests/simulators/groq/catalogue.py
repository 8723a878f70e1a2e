"""The models that the simulated provider serves, and their speeds (medians of real usage blocks)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """`queue_s` is the median wait before work begins, `tokens_per_s` the decoding speed."""

    owner: str
    context_window: int = 131_072
    max_completion: int = 65_536
    json_schema: bool = False
    efforts: tuple[str, ...] = ()
    caches: bool = False
    queue_s: float = 0.22
    tokens_per_s: float = 479.0


MODELS: dict[str, ModelSpec] = {
    "openai/gpt-oss-120b": ModelSpec("OpenAI", json_schema=True, efforts=("low", "medium", "high"), caches=True),
    "openai/gpt-oss-20b": ModelSpec(
        "OpenAI", json_schema=True, efforts=("low", "medium", "high"), caches=True, tokens_per_s=900.0
    ),
    "qwen/qwen3.6-27b": ModelSpec(
        "Alibaba Cloud", max_completion=16_384, efforts=("none", "default"), queue_s=0.05, tokens_per_s=516.0
    ),
    "llama-3.1-8b-instant": ModelSpec("Meta", max_completion=131_072, queue_s=0.06, tokens_per_s=700.0),
}
GONE = frozenset({"llama-3.1-8b-instant"})

_REASONING_TOKENS = {"none": 0, "low": 24, "medium": 80, "default": 80, "high": 300}


def reasoning_tokens(spec: ModelSpec, effort: str | None) -> int:
    """The number of tokens that the model thinks before it writes."""
    return _REASONING_TOKENS[effort or "medium"] if spec.efforts else 0
