"""Threads on the wire."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

ThreadState = Literal["empty", "running", "answered", "not_answered", "failed", "cancelled", "held"]


class ThreadRead(BaseModel):
    """A conversation, or a question that belongs to none, as a line of a list."""

    id: UUID = Field(description="Of the conversation, or of the question.")
    conversation_id: UUID | None = Field(
        description="At `/v1/conversations/{id}`; null for a question that was asked alone, at `/v1/queries/{id}`."
    )
    title: str | None = Field(
        description="The conversation's, or the beginning of the question; null before there is one.",
        examples=["How much pressure does pump 4 run at?"],
    )
    branched_from: UUID | None = Field(
        description="The conversation whose turns it began with; null for none, and for one that was deleted."
    )
    workspace: str = Field(examples=["default"])
    turns: int = Field(description="How many questions it has, without those that were set aside.", examples=[3])
    state: ThreadState = Field(
        description="Of its last question; `not_answered`: the documents do not answer it; `empty`: nothing was asked."
    )
    last_asked_at: datetime = Field(description="The time of its last question; of its beginning before there is one.")


class ThreadList(BaseModel):
    """A page of threads, the last asked first."""

    threads: list[ThreadRead] = Field(description="The last asked first.")
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one.")
