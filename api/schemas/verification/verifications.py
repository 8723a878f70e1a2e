"""External answers as JSON: sent with their sources, verified, shown (N2).

Offsets are code points, half-open: those of sentences and citations count in the given `answer`, `source_start` and
`source_end` in the text of the source.
"""

from datetime import datetime
from typing import Annotated, Any, Literal, cast
from uuid import UUID

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StrictInt,
    StrictStr,
    WrapValidator,
    field_validator,
    model_validator,
)

from api.schemas.questions.answers import AuditHead, SentenceStatus, UsageRead, WholeScores
from api.schemas.questions.evidence import Score, SignalRead
from api.schemas.questions.queries import DeadlineS, LeftOut, MaxCostUsd, Provider, QueryError, QueryState
from api.schemas.texts import Input, Metadata, PlainText, WorkspaceName, storable
from api.schemas.verification.comparisons import Comparison
from citewell_verify.answers.provider_citations import is_provider_citation
from domain.query.options import Preset
from services.external.request import Check

_EXAMPLE: dict[str, JsonValue] = {
    "question": "How long do customers have to return a product?",
    "answer": "Customers have 60 days to return a product [1]. A receipt is required [1].",
    "sources": [
        {
            "title": "refund-policy.md",
            "text": "Customers may return a product within 30 days of the purchase date. A receipt is required.",
        }
    ],
    "custom_id": "answer-17",
}
_PAGE = Annotated[list[int], Field(min_length=3, max_length=3)]
Title = Annotated[PlainText, Field(max_length=300)]
CustomId = Annotated[PlainText, Field(min_length=1, max_length=200)]


class SourceGiven(Input):
    """A source to check the answer against: a text, or a stored document."""

    text: PlainText | None = Field(default=None, description="The text, of any length; long texts are read in windows.")
    document_id: Annotated[UUID, Field(strict=False)] | None = Field(
        default=None, description="A document that is `ready`, in place of a text; its pages and sections come with it."
    )
    id: CustomId | None = Field(default=None, description="Your own id of the source; citations may name it.")
    title: Title | None = Field(default=None, description="The title; `Source N` if omitted.")
    url: Annotated[PlainText, Field(max_length=2000)] | None = Field(
        default=None, description="The address of the source, stored and never opened."
    )
    metadata: Metadata = Field(default={}, description="Kept with the source: ticker, year, filing_type, title, …")
    pages: list[_PAGE] | None = Field(
        default=None, description="[number, start, end] of each page of `text`, in order.", examples=[[[1, 0, 1800]]]
    )


class CitationGiven(Input):
    """`answer[start:end]` cites a source: for answers whose citations are not markers in their text."""

    start: int = Field(ge=0)
    end: int = Field(ge=1)
    source: StrictInt | StrictStr = Field(description="The number of the source, from 1, or its id.")

    @field_validator("source")
    @classmethod
    def _plain(cls, source: int | str) -> int | str:
        return storable(source) if isinstance(source, str) else source


class ProviderCitation(BaseModel):
    """A citation as a provider's API returns it: the fields of one of OpenAI, Anthropic, Cohere or Gemini."""

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _is_known(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not is_provider_citation(cast("dict[str, Any]", value)):
            raise ValueError(
                "Send {start, end, source}, or an object of OpenAI's annotations, Anthropic's text blocks, Cohere's "
                "citations or Gemini's groundingSupports."
            )
        return cast("dict[str, Any]", value)


def _of_one_kind(given: Any, _: object) -> CitationGiven | ProviderCitation:
    # Validating against one chosen kind reports only that kind's fields; a union would report the errors of every kind.
    fields = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    is_own = not is_provider_citation(fields) and bool({"start", "end"} & fields.keys())
    return (CitationGiven if is_own else ProviderCitation).model_validate(given)


class VerificationCreate(Input):
    """An answer of any system with the sources that it was written from."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    answer: PlainText = Field(
        description="The text of the answer. `[1]`, `[†1]`, `¹`, `(Source: 1)` and other forms in it cite source 1, as "
        "does the title of source 1 in `[Source: title]`.",
        examples=["Customers have 60 days to return a product [1]."],
    )
    sources: list[SourceGiven] = Field(description="The sources; source N is the N-th of them, from 1.")
    question: PlainText | None = Field(
        default=None, description="The question; alignment and answerability are not checked without one."
    )
    citations: list[Annotated[CitationGiven | ProviderCitation, WrapValidator(_of_one_kind)]] = Field(
        default=[],
        max_length=10_000,
        description="Citations beside the text; each belongs to the sentences that it covers. Besides our own form, "
        "the objects of OpenAI (`annotations`), Anthropic (text blocks with `citations`), Cohere (`citations`) and "
        "Gemini (`groundingSupports`, or the whole `groundingMetadata`).",
    )
    first_number: Literal[0, 1] | None = Field(
        default=None,
        description="The number that the answer gives its first source. By default 1, or 0 if the answer cites 0 and "
        "not the number of the last source.",
    )
    checks: list[Check] | None = Field(
        default=None,
        min_length=1,
        description="The checks to run; all of them by default. `citations` judges every sentence.",
    )
    repair: Literal["full", "citations", "off"] | None = Field(
        default=None, description="Mend statements that fail, only remove wrong citations, or leave the text unchanged."
    )
    preset: Preset | None = Field(
        default=None,
        description="`standard` asks the model about each statement by itself, `cheap` about many in one call.",
    )
    model: str | None = Field(default=None, max_length=200, description="The main model: one of the configured models.")
    citation_confidence: Score | None = Field(
        default=None, ge=0, le=1, description="The confidence from which on a verdict counts."
    )
    show_claims: bool | None = Field(default=None, description="Add the checked claims to the result.")
    workspace: WorkspaceName = Field(
        default="default", description="The workspace that lists the verification; created on first use."
    )
    custom_id: CustomId | None = Field(default=None, description="Your own id; it comes back with the result.")
    callback_url: Annotated[PlainText, Field(max_length=2048)] | None = Field(
        default=None, description="The address that receives the result of the verification."
    )
    deadline_s: DeadlineS = None
    max_cost_usd: MaxCostUsd = None


class VerificationLinks(BaseModel):
    """Related resources."""

    self: str
    events: str = Field(description="Server-sent events.")
    history: str


class VerificationAccepted(BaseModel):
    """The verification is stored; it will reach exactly one final state."""

    id: UUID
    status: QueryState
    custom_id: str | None
    links: VerificationLinks


class VerificationHead(BaseModel):
    """A verification and its progress."""

    id: UUID
    status: QueryState = Field(description="`succeeded`, `failed` and `cancelled` are final.")
    stage: str = Field(description="The current stage.")
    custom_id: str | None
    batch_id: UUID | None
    workspace: str
    question: str | None
    preset: Preset = Field(description="`standard`, or `cheap`: with shared model calls.")
    provider: Provider = Field(description="The provider of the models that judge; `offline` uses no model server.")
    error: QueryError | None
    replay_of: UUID | None = Field(description="The verification that this one repeats.")
    reverifies: UUID | None = Field(description="The query, or verification, whose stored answer is verified again.")
    created_at: datetime
    finished_at: datetime | None


class VerificationList(BaseModel):
    """One page, newest first."""

    verifications: list[VerificationHead]
    next_cursor: str | None = Field(description="`cursor` of the next page; null at the end.")


class SourceTold(BaseModel):
    """A source as it was given, without its text."""

    number: int
    id: str | None
    title: str
    url: str | None
    document_id: UUID | None
    metadata: dict[str, JsonValue]
    characters: int


class SourceName(BaseModel):
    """A reference to a source."""

    number: int
    id: str | None
    title: str


class SourcePlace(SourceName):
    """The location of a piece of evidence."""

    page_number: int | None = Field(description="Null where the page is not known; pages are never guessed.")
    section: str | None
    source_start: int
    source_end: int


class SentenceVerified(BaseModel):
    """One sentence of the given answer, and its single state."""

    start: int
    end: int
    text: str = Field(description="The words of the sentence without markers.")
    status: SentenceStatus
    reason: str
    support: Score | None = Field(description="The probability that the sources support the sentence.")
    evidence: str | None = Field(
        description="The words of the source that decide the verdict, exactly as the source has them."
    )
    source: SourcePlace | None


class CitationVerified(BaseModel):
    """One citation for one sentence, checked against the source that it names."""

    number: int | None = Field(description="The number of the source; null when no source has that id.")
    cited: int | str | None = Field(description="The source as the citation names it.")
    source: SourceName | None = Field(description="Null when there is no such source.")
    start: int | None = Field(
        description="The start of a citation beside the text, as it was given; null for a marker in the text."
    )
    end: int | None
    statement: str | None = Field(description="The sentence with the citation; null when it stands behind no sentence.")
    sentence_start: int | None
    sentence_end: int | None
    status: Literal["accurate", "inaccurate", "uncertain", "dangling", "not_checked"] = Field(
        description="`dangling`: the source does not exist."
    )
    is_accurate: bool | None
    relation: str | None
    confidence: Score | None
    explanation: str
    evidence: str | None = Field(description="The words of the source from `source_start` to `source_end`.")
    page_number: int | None
    source_start: int | None
    source_end: int | None


class UnreadCitation(BaseModel):
    """Words that look like a citation and name none of the sources; the sentence was judged without them."""

    start: int = Field(description="Where the words start in the given answer.")
    end: int
    text: str


class VerificationResult(VerificationHead):
    """A verification with everything known about it so far."""

    answer: str = Field(
        description="The answer as it was given; offsets of sentences and citations count in this text."
    )
    repaired_answer: str | None = Field(description="The text after the repairs; it cites the numbers of `sources`.")
    changed: bool | None = Field(
        description="Whether the repaired answer differs from the given one in its words or citations."
    )
    edits: list[dict[str, JsonValue]] = Field(description="Every change; `statement` is the position of a sentence.")
    removed_citations: list[int]
    repaired_is_grounded: bool | None = Field(
        description="Whether the sources support every claim that is left after the repairs."
    )
    sources: list[SourceTold]
    unread_citations: list[UnreadCitation] = Field(description="Words that look like a citation and name no source.")
    issues: list[str] = Field(description="Remarks on how the citations were read; usually empty.")
    sentences: list[SentenceVerified]
    citations: list[CitationVerified]
    verification: WholeScores | None = Field(description="The scores of the answer as it was given.")
    signal: SignalRead | None
    usage: UsageRead
    timings: dict[str, float | None] = Field(description="Milliseconds per step; `total` is the whole time.")
    degraded: list[LeftOut] = Field(
        description="The steps that were left out because time or money ran short, a step broke its workers, or a "
        "model failed."
    )
    audit: AuditHead | None = Field(
        description="The head of the chain that proves the result later; null while there is none."
    )
    comparison: Comparison | None = Field(
        description="The comparison with the previous verification, if this one `reverifies` an answer."
    )


class BatchLinks(BaseModel):
    """Related resources."""

    self: str
    results: str


class BatchAccepted(BaseModel):
    """All lines of the file are stored."""

    id: UUID
    total: int
    links: BatchLinks


class BatchRead(BaseModel):
    """A batch with the number of its items in each state."""

    id: UUID
    status: Literal["queued", "running", "finished", "cancelled"]
    total: int
    queued: int
    running: int
    succeeded: int
    failed: int
    cancelled: int
    created_at: datetime
    finished_at: datetime | None = Field(description="When the last item ended.")
