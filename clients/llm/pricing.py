"""The price of a call."""

from collections.abc import Mapping
from decimal import Decimal

from clients.llm.protocol import Usage
from config.models import ModelInfo

_PER_MILLION = Decimal(1_000_000)
_RESOLUTION = Decimal("1e-9")


def cost_usd(model: str, usage: Usage, catalogue: Mapping[str, ModelInfo]) -> Decimal:
    """US dollars with nine decimals; a model missing from the catalogue is free.

    Reasoning tokens are part of the completion; cached tokens are part of the prompt, at their own price if they have
    one.
    """
    info = catalogue.get(model, ModelInfo())
    price_cached = info.price_in if info.price_cached is None else info.price_cached
    cached = min(usage.cached_tokens, usage.prompt_tokens)
    total = (
        (usage.prompt_tokens - cached) * Decimal(str(info.price_in))
        + cached * Decimal(str(price_cached))
        + usage.completion_tokens * Decimal(str(info.price_out))
    )
    return (total / _PER_MILLION).quantize(_RESOLUTION)
