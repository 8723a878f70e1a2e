"""A comparison of two verifications of the same stored answer, as JSON (N6)."""

from uuid import UUID

from pydantic import BaseModel, Field

from api.schemas.questions.answers import SentenceStatus
from api.schemas.questions.evidence import Score
from api.schemas.questions.queries import QueryState


class StateOf(BaseModel):
    """The state of a sentence in one of two verifications."""

    status: SentenceStatus
    support: Score | None
    reason: str


class SentenceCompared(BaseModel):
    """A sentence with its previous and its new verdict."""

    start: int
    end: int
    text: str
    old: StateOf | None = Field(description="Null when the old verification had no such sentence.")
    new: StateOf | None
    changed: bool


class ScoreCompared(BaseModel):
    """A score with its previous and its new value."""

    old: float | bool | None
    new: float | bool | None


class Comparison(BaseModel):
    """A re-verification of a stored answer, compared with the previous verification."""

    of: UUID = Field(description="The query, or verification, whose answer was verified again.")
    old_verifier: str | None
    new_verifier: str | None
    changed: int = Field(description="The number of sentences whose state changed.")
    scores: dict[str, ScoreCompared]
    sentences: list[SentenceCompared]


class Reverified(BaseModel):
    """A later verification of the query's answer."""

    id: UUID
    status: QueryState
    created_at: str
    changed: int | None = Field(
        description="The number of sentences whose state changed; null until the verification has ended."
    )
