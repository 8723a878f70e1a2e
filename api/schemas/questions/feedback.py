"""Feedback of people as JSON."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from api.schemas.questions.queries import ReviewState
from api.schemas.texts import Input, PlainText
from domain.query.workspace_rules import Reason

FeedbackStatus = Literal["open", "reviewed"]
Rating = Literal["up", "down"]
HumanVerdict = Literal["supported", "unsupported"]
Relevant = Literal["yes", "no"]
ReviewDecision = Literal["release", "correct", "reject"]

_RATING = "Whether it helps: thumb up or down."
_VERDICT = (
    "Whether its sources say it, in a person's judgement; `citewell evaluate --from-feedback` measures with these."
)
_RELEVANT = (
    "Whether it is what was asked, in a person's judgement. `no` is an answer that may be true and is about something "
    "else; it says nothing of the sources, and no verdict follows from it."
)
_REASON = "Why, in words."
_CORRECTED = "What the answer, or the sentence, should say."
_AUTHOR = "Whose judgement it is: a name or a pseudonym."
_Long = Annotated[PlainText, Field(max_length=20_000)]
_Name = Annotated[PlainText, Field(min_length=1, max_length=200)]
_ID = "0190d5a2-7c1e-7c3a-9d2f-6f1f7b0e4a11"
_EXAMPLE: dict[str, JsonValue] = {
    "sentence": 0,
    "rating": "down",
    "verdict": "unsupported",
    "reason": "The policy says 30 days, not 60.",
    "author": "j.kim",
}


class FeedbackGiven(Input):
    """A judgement of an answer, or of one place in it: a sentence or a citation."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    sentence: int | None = Field(
        default=None,
        ge=0,
        description="The position of the sentence in the result, from 0, if the judgement is only of this sentence.",
    )
    citation: int | None = Field(
        default=None,
        ge=0,
        description="The position of the citation in the result, from 0, if the judgement is only of this citation.",
    )
    rating: Rating | None = Field(default=None, description=_RATING)
    verdict: HumanVerdict | None = Field(default=None, description=_VERDICT)
    relevant: Relevant | None = Field(default=None, description=_RELEVANT)
    reason: _Long | None = Field(default=None, description=_REASON)
    corrected_answer: _Long | None = Field(default=None, description=_CORRECTED)
    author: _Name | None = Field(default=None, description=_AUTHOR)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.sentence is not None and self.citation is not None:
            raise ValueError("feedback is on a sentence or on a citation; send one of them, or neither")
        if all(
            value is None for value in (self.rating, self.verdict, self.relevant, self.reason, self.corrected_answer)
        ):
            raise ValueError("feedback needs a rating, a verdict, relevant, a reason or a corrected_answer")
        return self


class FeedbackCreate(FeedbackGiven):
    """A judgement with the id of the question or verification that it is about."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query_id": _ID, **_EXAMPLE}]})

    query_id: UUID = Field(strict=False, description="The question or verification.")


class FeedbackReview(Input):
    """A reviewer's decision; omitted fields stay as they are."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"status": "reviewed", "verdict": "unsupported"}]})

    status: FeedbackStatus | None = Field(default=None, description="`reviewed` takes the feedback out of the queue.")
    verdict: HumanVerdict | None = Field(default=None, description=_VERDICT)
    relevant: Relevant | None = Field(default=None, description=_RELEVANT)
    reason: _Long | None = Field(default=None, description=_REASON)
    corrected_answer: _Long | None = Field(default=None, description=_CORRECTED)
    reviewer: _Name | None = Field(default=None, description="The reviewer's name or pseudonym.")
    decision: ReviewDecision | None = Field(
        default=None,
        description="The decision on an answer that is held back. `release` shows it and records it as supported, "
        "`correct` shows `corrected_answer` in its place, `reject` shows nothing; both record it as unsupported. A "
        "`verdict` takes precedence.",
    )


class FeedbackRead(BaseModel):
    """Feedback as it is stored."""

    id: UUID
    query_id: UUID = Field(description="The question or verification that the feedback is about.")
    question: str | None = Field(description="The text of the question; null for a verification without a question.")
    place: Literal["answer", "sentence", "citation"] = Field(
        description="What the feedback is about: the whole answer, a sentence or a citation."
    )
    position: int | None = Field(
        description="The position of the sentence or citation, from 0; null for the whole answer."
    )
    excerpt: str | None = Field(
        description="The words that the feedback is about, as they were; null where they are held back and the key may "
        "not see them."
    )
    rating: Rating | None = Field(description=_RATING)
    verdict: HumanVerdict | None = Field(description=_VERDICT)
    relevant: Relevant | None = Field(description=_RELEVANT)
    reason: str | None = Field(description=_REASON)
    corrected_answer: str | None = Field(description=_CORRECTED)
    author: str | None = Field(description=_AUTHOR)
    reasons: list[Reason] | None = Field(
        description="The workspace's rules that put the answer into the queue; null: a person gave the feedback."
    )
    review: ReviewState | None = Field(
        description="The state of the answer's review; null: a person gave the feedback."
    )
    status: FeedbackStatus = Field(description="`open` until somebody has reviewed it.")
    reviewed_by: str | None = Field(description="The reviewer's name or pseudonym; null if none was given.")
    reviewed_at: datetime | None = Field(description="When the feedback was reviewed; null while it is open.")
    created_at: datetime


class FeedbackList(BaseModel):
    """One page of feedback, newest first."""

    feedback: list[FeedbackRead] = Field(description="Newest first.")
    next_cursor: str | None = Field(description="`cursor` of the next page; null at the end.")
