"""Conversations and their turns as JSON."""

from datetime import datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import BaseModel, Field, model_validator

from api.schemas.questions.queries import QueryAccepted, QueryError, QueryLinks, QueryState, QuestionCreate
from api.schemas.texts import Input, Title, WorkspaceName

ThreadState = Literal["empty", "running", "answered", "not_answered", "failed", "cancelled", "held"]

_TITLE = "For people; null: made from the first question."


class ConversationCreate(Input):
    """A conversation to begin."""

    workspace: WorkspaceName = Field(
        default="default", description="The collection of documents that all its questions are about."
    )
    title: Title | None = Field(default=None, description=_TITLE, examples=["Pump pressures"])
    query_id: UUID | None = Field(
        default=None,
        strict=False,
        description="A question that becomes the first turn; omit `workspace` then. If the question is already in a "
        "conversation, the response is that conversation, unchanged.",
    )

    @model_validator(mode="after")
    def _one_workspace(self) -> Self:
        if self.query_id and "workspace" in self.model_fields_set:
            raise ValueError("the conversation is about the workspace of the question; send query_id or workspace")
        return self


class BranchCreate(Input):
    """The place where a conversation branches."""

    turn: UUID = Field(
        strict=False,
        description="The last turn that the new conversation keeps; it must have ended.",
        examples=["0190d5a2-7c1e-7c3a-9d2f-6f1f7b0e4a11"],
    )
    title: Title | None = Field(default=None, description=_TITLE, examples=["Pump pressures"])


class ConversationChange(Input):
    """The new title."""

    title: Title | None = Field(description=_TITLE, examples=["Pump pressures"])


class ConversationLinks(BaseModel):
    """Related resources."""

    self: str
    turns: str = Field(description="The path of the turns, the first one first.")


class ConversationRead(BaseModel):
    """A conversation without its turns."""

    id: UUID
    title: str | None = Field(
        description="The title as given, or else the beginning of the first question (of a branch's own first "
        "question); null before there is one.",
        examples=["How much pressure does pump 4 run at?"],
    )
    branched_from: UUID | None = Field(
        description="The conversation whose turns this one began with; null for none, and when that was deleted."
    )
    workspace: str = Field(examples=["default"])
    turns: int = Field(description="The number of turns, without those that were set aside.", examples=[3])
    created_at: datetime
    last_asked_at: datetime = Field(
        description="When the last question was asked; before there is one, when the conversation began."
    )
    links: ConversationLinks


class ConversationList(BaseModel):
    """A page of conversations, ordered by their last question, newest first."""

    conversations: list[ConversationRead] = Field(
        description="The conversations, ordered by their last question, newest first."
    )
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one.")


class FirstTurnCreate(QuestionCreate):
    """The first question of a new conversation, with the options of any question."""

    workspace: WorkspaceName = Field(
        default="default", description="The collection of documents that all its questions are about."
    )


class TurnCreate(QuestionCreate):
    """The next question of a conversation, with the options of any question except the workspace, which the
    conversation decides."""

    question: str = Field(examples=["What about pump 20?"])
    replaces: UUID | None = Field(
        default=None,
        strict=False,
        description="The turn that the question replaces. That turn and all after it are set aside: kept, but no "
        "longer part of the conversation. Unfinished ones are cancelled.",
    )


class TurnAccepted(QueryAccepted):
    """The turn is stored; `id` is that of its question."""

    conversation_id: UUID = Field(description="The id of the conversation.")


class TurnRead(BaseModel):
    """A turn; `links.self` has everything that is known about its question."""

    id: UUID = Field(description="The id of the question, at `/v1/queries/{id}`.")
    position: int = Field(description="The position in the conversation, from 1.")
    replaces: UUID | None = Field(description="The turn that this one replaced or repeats.")
    set_aside_at: datetime | None = Field(
        description="When the turn was set aside; null while it is part of the conversation."
    )
    inherited: bool = Field(description="Whether the turn comes from the conversation that this one branched from.")
    status: QueryState = Field(description="`succeeded`, `failed` and `cancelled` are final.")
    stage: str = Field(description="The current stage.", examples=["verifying"])
    question: str = Field(examples=["What about pump 20?"])
    restated_question: str | None = Field(
        description="The question as the turns before imply it; null when it was understood as it was asked.",
        examples=["How much pressure does pump 20 run at?"],
    )
    answer: str | None = Field(description="The checked answer; null before the end.", examples=["24 bar [1]."])
    abstained: bool | None = Field(description="True when the documents do not answer the question.")
    references: list[str] = Field(examples=[["[1] pumps.pdf, p.2"]])
    error: QueryError | None
    created_at: datetime
    finished_at: datetime | None
    links: QueryLinks


class TurnList(BaseModel):
    """A page of turns, the first one first."""

    turns: list[TurnRead] = Field(description="The first one first.")
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one.")


class ThreadRead(BaseModel):
    """A conversation, or a question that belongs to none, as a line of a list."""

    id: UUID = Field(description="The id of the conversation, or of the question.")
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
