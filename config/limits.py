"""Rate limits of a provider's account, and how worker processes share them."""

from pydantic import Field

from config import Group


class ModelLimits(Group):
    """Limits of one account for one model; None means unlimited or unknown.

    The server's responses override the tokens per minute and the requests per day.
    """

    requests_per_minute: int | None = Field(
        default=None, ge=1, description="Requests per minute; null: unlimited or unknown"
    )
    requests_per_day: int | None = Field(default=None, ge=1, description="Requests per day; null: unlimited or unknown")
    tokens_per_minute: int | None = Field(
        default=None, ge=1, description="Tokens per minute; null: unlimited or unknown"
    )
    tokens_per_day: int | None = Field(default=None, ge=1, description="Tokens per day; null: unlimited or unknown")


DEVELOPER = ModelLimits(requests_per_minute=1_000, requests_per_day=500_000, tokens_per_minute=250_000)
"""Limits of a paid Groq account for one gpt-oss model."""


class LimiterSettings(Group):
    """How much of the limits is used, and how long a server may forbid a model."""

    margin: float = Field(default=0.02, ge=0, lt=1, description="Share of every limit left unused")
    longest_wait_s: float = Field(
        default=60.0,
        gt=0,
        description="No wait announced by a server blocks a model for longer; then one call tries again",
    )
