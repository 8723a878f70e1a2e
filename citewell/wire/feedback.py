"""What people say of answers and verifications, and how they show them to others."""

from typing import Literal, NotRequired, TypedDict


class Feedback(TypedDict):
    """A judgement of the whole, or of the sentence or citation at `position`, from 0."""

    id: str
    query_id: str
    place: Literal["answer", "sentence", "citation"]
    position: int | None
    excerpt: str | None
    rating: Literal["up", "down"] | None
    verdict: Literal["supported", "unsupported"] | None
    reason: str | None
    corrected_answer: str | None
    author: str | None
    status: Literal["open", "reviewed"]
    reviewed_by: str | None
    reviewed_at: str | None
    created_at: str


class Share(TypedDict):
    """A link that opens an answer without a key; `url` is returned only when it is made."""

    id: str
    query_id: str
    created_at: str
    expires_at: str
    revoked_at: str | None
    url: NotRequired[str]
