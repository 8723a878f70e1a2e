"""Rate limits of a provider's account, and how worker processes share them."""

from pydantic import Field

from config.group import Group


class ModelLimits(Group):
    """Limits of one account for one model; None means unlimited or unknown.

    The server's responses override the tokens per minute and the requests per day.
    """

    requests_per_minute: int | None = Field(default=None, ge=1)
    requests_per_day: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_day: int | None = Field(default=None, ge=1)


DEVELOPER = ModelLimits(requests_per_minute=1_000, requests_per_day=500_000, tokens_per_minute=250_000)
"""Limits of a paid Groq account for one gpt-oss model."""


class LimiterSettings(Group):
    """How worker processes share the limits; all times in seconds."""

    margin: float = Field(default=0.02, ge=0, lt=1, description="share of every limit that is left unused at a peak")
    lease_s: float = Field(default=60.0, gt=0, description="after which a reservation's holder is taken for dead")
    probe_s: float = Field(
        default=5.0, gt=0, description="how long the first call to a model, of which nothing is known, goes alone"
    )
    keep_place_s: float = Field(
        default=20.0, ge=0, description="how long a deferred call's place is kept after it was due"
    )
    seen_s: float = Field(default=60.0, gt=0, description="after which a silent process no longer counts as a sharer")
    timeout_s: float = Field(default=0.5, gt=0, description="for one answer of Redis; then the process goes on alone")
    again_s: float = Field(default=3.0, gt=0, description="how long it goes on alone before it asks Redis again")
    alone_share: float = Field(
        default=0.25, gt=0, le=1, description="what it uses alone when it does not know how many processes there are"
    )
    longest_wait_s: float = Field(
        default=60.0,
        gt=0,
        description="no wait that a server tells holds a model up for longer; then one call tries again",
    )
