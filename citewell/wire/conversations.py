"""Conversations and their turns."""

from typing import Literal, TypedDict

from citewell.wire.common import Failure


class Conversation(TypedDict):
    id: str
    title: str | None
    workspace: str
    turns: int
    created_at: str
    last_asked_at: str


class Turn(TypedDict):
    """A question in its place; `id` is that of the question, which has everything else."""

    id: str
    position: int
    replaces: str | None
    set_aside_at: str | None
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    stage: str
    question: str
    restated_question: str | None
    answer: str | None
    abstained: bool | None
    references: list[str]
    error: Failure | None
    created_at: str
    finished_at: str | None


class TurnAccepted(TypedDict):
    id: str
    status: str
    conversation_id: str
