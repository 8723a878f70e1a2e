"""Settings of the event streams of queries."""

from typing import Literal

from pydantic import Field

from config.group import Group


class StreamSettings(Group):
    """Server-sent events. Drafts are what a model writes before any check; they are kept for a while after the end."""

    heartbeat_s: float = Field(default=15.0, gt=0, description="Interval of comments that keep a stream alive")
    draft_every_s: float = Field(default=0.05, ge=0, description="Minimum interval between pieces of a draft")
    stop_ungrounded_after: int = Field(
        default=0, ge=0, description="Stop writing after this many sentences if none is in the sources; 0: never"
    )
    keep_drafts_s: float = Field(default=3600.0, ge=0, description="How long drafts of finished queries are kept")
    check_early: Literal["watched", "always", "never"] = Field(
        default="watched",
        description=(
            "Check sentences while the answer is being written (N1); `watched`: if someone watches the stream"
        ),
    )
