"""Shared answers as JSON: the links, and the content behind them."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from api.schemas.questions.answers import SentenceStatus
from api.schemas.questions.evidence import CitationStatus, Score, SignalRead
from api.schemas.questions.queries import Provider
from api.schemas.texts import Input
from config.access import SHARE_MAX_HOURS


class ShareCreate(Input):
    """The lifetime of a new link."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"hours": 24}]})

    hours: float = Field(
        default=24,
        ge=0.01,
        le=SHARE_MAX_HOURS,
        description="The lifetime in hours, at most `access.share_max_hours` of the configuration.",
    )


class ShareRead(BaseModel):
    """A link without its address."""

    id: UUID
    query_id: UUID = Field(description="The question whose answer it opens.")
    created_at: datetime
    expires_at: datetime = Field(description="When the link stops working.")
    revoked_at: datetime | None


class ShareCreated(ShareRead):
    """A new link; only this response has its address."""

    url: str = Field(
        description="The address of the answer, which needs no key: a page for browsers, JSON for programs."
    )


class ShareList(BaseModel):
    """All links to an answer."""

    shares: list[ShareRead] = Field(description="The links, newest first, including those that are not valid any more.")


class SharedCitation(BaseModel):
    """A citation of a shared answer, with the cited words and nothing more of the document."""

    number: int = Field(description="The N of `[N]` in the answer.")
    document_name: str
    page_number: int | None
    section: str | None
    text_span: str = Field(description="The cited words.")
    status: CitationStatus = Field(description="Whether the source supports the statement that cites it.")
    answer_start: int
    answer_end: int


class SharedSentence(BaseModel):
    """A sentence of a shared answer and its verdict."""

    start: int
    end: int
    text: str = Field(description="The words of the sentence.")
    status: SentenceStatus = Field(description="The one verdict on the sentence.")
    reason: str
    evidence: str | None = Field(description="The words of the source that decide the verdict.")


class SharedAnswer(BaseModel):
    """An answer as people without a key may read it: no ids of documents, no passages, no costs."""

    question: str
    answer: str
    abstained: bool
    abstain_reason: str | None
    references: list[str]
    citations: list[SharedCitation] = Field(description="Every citation of the answer.")
    provider: Provider = Field(
        description="The provider of the models; `offline` copies from the documents and asks no model."
    )
    signal: SignalRead
    notes: list[str] = Field(
        description="Facts that a reader elsewhere has to know, in the question's language: the signal's reason, "
        "whether a model was asked, how often the verifier is wrong, when the question was answered, and whether the "
        "answer is still valid."
    )
    confidence: Score | None = Field(
        description="The probability that the sources support all of the answer; null if unknown."
    )
    confidence_level: str | None
    sentences: list[SharedSentence]
    created_at: datetime
