"""The seeds' own requests and responses: the same questions and answers as `/v1/queries`, in other formats."""

from typing import Literal

from pydantic import BaseModel, Field

from api.schemas.questions.answers import ClaimRead
from api.schemas.questions.evidence import CitationMetadata, Score, SourceRead
from api.schemas.questions.queries import MaxSources, MinExcerptLength, MinRelevance
from api.schemas.texts import Input, WorkspaceName

_QUESTION = "How long do customers have to return a product?"
_ANSWER = "Customers may return a product within 30 days [1]."
_WORKSPACE = "The collection of documents that is asked."


class RagAsk(Input):
    """S1: a question, and whether to verify its answer."""

    query: str = Field(description="The question.", examples=[_QUESTION])
    enable_verification: bool | None = Field(
        default=None,
        description="Whether to check the answer; takes precedence over the environment and the configuration file.",
    )
    workspace: WorkspaceName = Field(default="default", description=_WORKSPACE)


class RagVerification(BaseModel):
    """S1.8: the weighted scores and their basis. They are null when the answer says that it does not know."""

    overall_score: Score | None = Field(description="0.4·alignment + 0.3·coverage + 0.3·facts, as configured.")
    answer_source_alignment: Score | None = Field(description="How well the answer agrees with its sources.")
    citation_coverage: Score | None = Field(description="The share of the sources that the answer names.")
    fact_verification_score: Score | None = Field(description="The share of the key claims that are verified.")
    issues: list[str] = Field(
        description="Remarks that help to understand the scores.",
        examples=[["Many sources are not cited in the answer"]],
    )
    verified_sources: list[str] = Field(description="Ids of the chunks that verify a key claim.")
    unverified_claims: list[str] = Field(description="Key claims that no source verifies.")


class RagAnswer(BaseModel):
    """S1: the answer, its sources and its verification."""

    answer: str = Field(examples=[_ANSWER])
    sources: list[SourceRead] = Field(description="The passages that the answer was written from.")
    verification: RagVerification | None = Field(
        default=None, description="Omitted when verification is off, and when it broke (see the history)."
    )


class ChatAsk(Input):
    """S2: a prompt and the settings of its verification."""

    prompt: str = Field(description="The question.", examples=[_QUESTION])
    workspace: WorkspaceName = Field(default="default", description=_WORKSPACE)
    model: str | None = Field(default=None, max_length=200, description="The main model: one of the configured models.")
    enable_verification: bool | None = Field(
        default=None,
        description="Whether to check the answer; takes precedence over the environment and the configuration file.",
    )
    enable_crag: bool | None = Field(
        default=None,
        description="False allows no corrective rounds; otherwise `max_crag_attempts` limits their number.",
    )
    confidence_threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="An answer with a lower confidence is corrected by a further search. As configured if omitted.",
    )
    max_crag_attempts: int | None = Field(
        default=None, ge=0, le=5, description="The most corrective rounds; as configured if omitted."
    )
    show_claims: bool | None = Field(
        default=None, description="Add the checked claims to the response; as configured if omitted."
    )


class ChatVerification(BaseModel):
    """S2.4: how far the documents support the response."""

    confidence: Score | None = Field(
        description="The score of the claims, 0..1 (`claims_score` in `/v1`); null when the response claims nothing."
    )
    is_grounded: bool | None = Field(description="Whether every claim is supported.")
    claims_checked: int = Field(description="The number of claims that were checked.")
    claims_supported: int = Field(description="The number of checked claims that the documents support.")
    crag_attempts: int = Field(description="The number of corrective rounds.")
    claims: list[ClaimRead] = Field(default=[], description="The checked claims; omitted unless `show_claims` is on.")


class ChatReply(BaseModel):
    """S2: the response, its model and its workspace."""

    content: str = Field(description="The answer after the checks.", examples=[_ANSWER])
    model: str | None = Field(description="The model that wrote it; null when nothing was written.")
    workspace: str = Field(description="The collection that was asked.")
    verification: ChatVerification | None = Field(
        default=None, description="Omitted when verification is off, and when it broke (see the history)."
    )


class AgentAsk(Input):
    """S3: a question, and how much evidence its answer needs."""

    question: str = Field(description="The question.", examples=[_QUESTION])
    inference_mode: str = Field(
        default="balanced",
        description="How much evidence an answer needs: `low`, `balanced` or `high`.",
        json_schema_extra={"enum": ["low", "balanced", "high"]},
    )
    workspace: WorkspaceName = Field(default="default", description=_WORKSPACE)


class AgentCitation(BaseModel):
    """S3.3: a passage that the answer was written from."""

    text: str = Field(description="The whole passage.")
    metadata: CitationMetadata = Field(description="The origin of the passage.")
    chunk_id: str = Field(examples=["doc_0::chunk_2"])
    doc_id: str = Field(examples=["doc_0"])
    start_index: int = Field(description="Where the passage starts in the document's text, in code points.")


class AgentAnswer(BaseModel):
    """S3: the answer with its citations."""

    answer: str = Field(examples=[_ANSWER])
    citations: list[AgentCitation] = Field(
        description="The cited passages, each one once; empty when the answer is refused."
    )


class VerifiedAsk(Input):
    """S5: a question whose answer has every citation checked."""

    question: str = Field(description="The question.", examples=[_QUESTION])
    mode: str = Field(
        default="hybrid",
        description="How passages are found: by vector similarity alone (`naive`), over the knowledge graph (`local`, "
        "`global`, `hybrid`), or both (`mix`). Or how much evidence an answer needs (`low`, `balanced`, `high`), "
        "with `hybrid`.",
        json_schema_extra={"enum": ["naive", "local", "global", "hybrid", "mix", "low", "balanced", "high"]},
    )
    confidence_threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="A verdict on a citation with a lower confidence is `uncertain`. The configured "
        "`verification.citation_confidence` if omitted.",
    )
    max_sources: MaxSources = None
    min_relevance: MinRelevance = None
    min_excerpt_length: MinExcerptLength = None
    workspace: WorkspaceName = Field(default="default", description=_WORKSPACE)


class NumberedSource(SourceRead):
    """A passage that the answer was written from, with its number."""

    number: int = Field(description="The N of `[†N]` in `original_answer`.")


class CitationLogEntry(BaseModel):
    """S5.4: one statement of the original answer, checked against one source that it cites."""

    citation_number: int = Field(description="The N of `[†N]` in `original_answer`.")
    statement: str = Field(description="The statement without its markers.")
    source_file: str | None = Field(description="The file of the source.", examples=["refund-policy.pdf"])
    source_page: int | None = Field(description="Null where the page is not known; pages are never guessed.")
    is_accurate: bool | None = Field(description="Null when the check could not be made.")
    confidence: Score | None = Field(description="0..1; null when the check could not be made.")
    explanation: str = Field(description="The reason for the verdict.")
    status: Literal["accurate", "inaccurate", "uncertain", "not_checked"] = Field(
        description="`uncertain` below the threshold; `not_checked` when the check could not be made."
    )


class VerifiedAnswer(BaseModel):
    """S5.6: the answer as the model wrote it, the corrected answer, and the checks in between."""

    original_answer: str = Field(
        description="The answer as the model wrote it.", examples=["Customers have 30 days [†1] and pay nothing [†2]."]
    )
    corrected_answer: str = Field(
        description="The answer after the checks, renumbered from 1, with its references.",
        examples=["Customers have 30 days [†1].\n\n### References\n- [†1] refund-policy.pdf, p.2"],
    )
    mode: str = Field(description="The mode as it was requested.")
    sources: list[NumberedSource] = Field(description="The passages that the answer was written from.")
    removed_citations: list[int] = Field(
        description="Numbers of `original_answer` that `corrected_answer` does not cite any more.", examples=[[2]]
    )
    accuracy_rate: Score | None = Field(
        description="The share of accurate citations in the whole log; null when nothing was cited or could be checked."
    )
    verification_log: list[CitationLogEntry] = Field(description="The checks, in the order of the statements.")
    processing_time_ms: float = Field(description="Milliseconds from acceptance to the end.")
