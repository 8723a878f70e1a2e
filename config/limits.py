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
    """How worker processes share the limits; all times in seconds."""

    margin: float = Field(default=0.02, ge=0, lt=1, description="Share of every limit left unused")
    lease_s: float = Field(default=60.0, gt=0, description="After this long, a reservation's holder counts as dead")
    probe_s: float = Field(default=5.0, gt=0, description="How long the first call to an unknown model runs alone")
    keep_place_s: float = Field(
        default=20.0, ge=0, description="How long a deferred call keeps its place after it was due"
    )
    seen_s: float = Field(
        default=60.0,
        gt=0,
        description="After this long without a sign, a process no longer counts as sharing the limits",
    )
    timeout_s: float = Field(
        default=0.5, gt=0, description="Without a reply from Redis for this long, a process continues alone"
    )
    again_s: float = Field(default=3.0, gt=0, description="How long it continues alone before asking Redis again")
    alone_share: float = Field(
        default=0.25,
        gt=0,
        le=1,
        description="Share of the limits a process uses alone if it does not know the number of processes",
    )
    longest_wait_s: float = Field(
        default=60.0,
        gt=0,
        description="No wait announced by a server blocks a model for longer; then one call tries again",
    )
