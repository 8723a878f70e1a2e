"""Settings of the event streams of queries."""

from typing import Literal

from pydantic import Field

from config.group import Group


class StreamSettings(Group):
    """Server-sent events. Drafts are what a model writes before any check; they are kept for a while after the end."""

    heartbeat_s: float = Field(default=15.0, gt=0)
    draft_every_s: float = Field(default=0.05, ge=0, description="how much of a draft is sent together")
    stop_ungrounded_after: int = Field(
        default=0, ge=0, description="sentences not in the sources, and none that is: writing stops; 0 never stops it"
    )
    keep_drafts_s: float = Field(default=3600.0, ge=0)
    check_early: Literal["watched", "always", "never"] = Field(
        default="watched", description="check sentences while their answer is still written (N1): when somebody watches"
    )
