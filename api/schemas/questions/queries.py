"""Questions as JSON: asked, accepted, listed."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, Field, model_validator

from api.schemas.questions.evidence import SignalRead
from api.schemas.texts import Input, JsonObject, WebhookUrl, WorkspaceName, Workspaces, one_place
from citewell_verify.answers.refusals import RefusalLanguage
from domain.query.options import DocumentFilter, Preset, RunKind
from domain.query.workspace_rules import Instructions

Kind = Literal["answer", "verification"]

QueryState = Literal["queued", "running", "succeeded", "failed", "cancelled", "held"]
ReviewState = Literal["queued", "held", "released", "corrected", "rejected"]
GraphMode = Literal["naive", "local", "global", "hybrid", "mix"]
Provider = Literal["groq", "openai_compatible", "offline"]
SHORTEST_DEADLINE_S, LONGEST_DEADLINE_S = 1, 86_400
DeadlineS = Annotated[
    float | None,
    Field(
        ge=SHORTEST_DEADLINE_S,
        le=LONGEST_DEADLINE_S,
        description="Seconds from acceptance; for an item of a batch, from the item's start. When time runs short, "
        "corrections and repairs are left out; when it is over, no model is asked, and `degraded` says what is "
        "missing.",
    ),
]
MaxCostUsd = Annotated[
    float | None,
    Field(
        ge=0.000_001,
        le=1_000_000,
        description="US dollars for model calls. When they are spent, no model is asked any more.",
    ),
]


AnswerSchema = Annotated[
    JsonObject | None,
    Field(
        description="A JSON Schema (draft 2020-12) with an object at its root: `answer_object` then follows it, filled "
        "from the verified sentences of the answer. The workspace's schema if omitted; `{}` asks for none. Needs a "
        "language model.",
        examples=[{"type": "object", "properties": {"days": {"type": ["integer", "null"]}}, "required": ["days"]}],
    ),
]
MaxSources = Annotated[int | None, Field(ge=1, le=50, description="S5.2: the most sources; as configured if omitted.")]
MinRelevance = Annotated[
    float | None,
    Field(ge=0, le=1, description="S5.2: the lowest relevance of a source; as configured if omitted."),
]
MinExcerptLength = Annotated[
    int | None,
    Field(ge=0, le=10_000, description="S5.2: the fewest characters of a source; as configured if omitted."),
]


class RetrievalOptions(Input):
    """The options of the search for passages; omitted options are as configured."""

    method: Literal["vector", "hybrid"] | None = Field(
        default=None, description="Vector similarity alone, or fused with lexical search."
    )
    k: int | None = Field(default=None, ge=1, le=100, description="The number of passages to retrieve.")
    filter: DocumentFilter | None = Field(
        default=None,
        description="Only documents that match all of these conditions.",
        examples=[{"metadata": {"ticker": "ACME", "year": {"gte": 2023}, "filing_type": ["10-K", "10-Q"]}}],
    )
    multi_query: int | None = Field(
        default=None,
        ge=0,
        le=5,
        description="The number of rewritten questions that are also searched for, with all results merged; 0 and 1 "
        "mean none. For `structured` runs: in the others the model chooses its searches.",
    )
    graph: GraphMode | None = Field(
        default=None,
        description="The part of the knowledge graph in the search: none (`naive`), the things that the question names "
        "(`local`), the connections that it is about (`global`), both (`hybrid`), or both together with `naive` "
        "(`mix`).",
    )


class RerankOptions(Input):
    """The options of ordering and choosing passages."""

    top_k: int | None = Field(
        default=None, ge=1, le=50, description="The number of passages that the answer is written from."
    )
    context_tokens: int | None = Field(
        default=None,
        ge=100,
        le=1_000_000,
        description="The approximate number of tokens that the passages may have together.",
    )
    source_scoring: bool | None = Field(
        default=None,
        description="Choose the sources by position, length and frequency, one per page, at most `max_sources`.",
    )
    max_sources: MaxSources = None
    min_relevance: MinRelevance = None
    min_excerpt_length: MinExcerptLength = None


class VerificationOptions(Input):
    """The options of verifying the answer."""

    enabled: bool | None = Field(default=None, description="The same as `enable_verification`.")
    show_claims: bool | None = Field(default=None, description="Add the checked claims to the result.")
    confidence_threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="A draft with a lower `draft_claims_score` is corrected by a further search.",
    )
    max_crag_attempts: int | None = Field(default=None, ge=0, le=5, description="The most corrective rounds.")
    repair: Literal["full", "citations"] | None = Field(
        default=None, description="Mend or drop statements that fail their check, or only remove wrong citations."
    )


class QuestionCreate(Input):
    """A question with the options that every request for an answer has."""

    question: str = Field(examples=["How long do customers have to return a product?"])
    mode: str | None = Field(
        default=None,
        description="How much evidence an answer needs: `low`, `balanced` or `high`. If omitted, the workspace's mode, "
        "or else `balanced`.",
        json_schema_extra={"enum": ["low", "balanced", "high"]},
    )
    preset: Preset | None = Field(
        default=None,
        description="The cost of the checks: `standard` asks the model about each passage and each cited statement "
        "alone, `cheap` about many in one call. As configured if omitted.",
    )
    run: RunKind = Field(
        default="structured",
        description="`structured` searches for the question. `agentic` lets the model decide which searches to make. "
        "`multiagent` does so, too, and takes notes for the model that writes.",
    )
    model: str | None = Field(default=None, max_length=200, description="The main model: one of the configured models.")
    retrieval: RetrievalOptions = RetrievalOptions()
    rerank: RerankOptions = RerankOptions()
    verification: VerificationOptions = VerificationOptions()
    enable_verification: bool | None = Field(
        default=None,
        description="Whether to check the answer; takes precedence over the environment and the configuration file.",
    )
    refusal_language: RefusalLanguage | None = Field(
        default=None,
        description='The language of "I don\'t know": that of the `question`, or always English (`en`). As configured '
        "if omitted.",
    )
    instructions: Instructions = Field(
        default=Instructions(),
        description="How the answer is to be written; omitted instructions are those of the workspace.",
    )
    answer_schema: AnswerSchema = None
    callback_url: WebhookUrl | None = Field(
        default=None,
        description="The address that receives the result of this question (docs/webhooks.md), signed with the "
        "callback secret.",
        examples=["https://example.com/hooks/citewell"],
    )
    deadline_s: DeadlineS = None
    max_cost_usd: MaxCostUsd = None

    @model_validator(mode="after")
    def _one_switch(self) -> Self:
        if None not in (here := {self.enable_verification, self.verification.enabled}) and len(here) > 1:
            raise ValueError("enable_verification and verification.enabled contradict each other; send one of them")
        return self

    @property
    def verify(self) -> bool | None:
        """Return whether to verify, from either field; None means: as configured."""
        return self.verification.enabled if self.enable_verification is None else self.enable_verification


class QueryCreate(QuestionCreate):
    """A question with its options."""

    workspace: WorkspaceName = Field(default="default", description="The collection of documents that is asked.")
    workspaces: Workspaces = None

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        one_place(self.model_fields_set, self.workspaces)
        return self


class QueryLinks(BaseModel):
    """Related resources."""

    self: str
    events: str = Field(description="Server-sent events.")
    verifications: str


class QueryAccepted(BaseModel):
    """The question is stored; it will reach exactly one final state."""

    id: UUID
    status: QueryState
    links: QueryLinks


class QueryError(BaseModel):
    """Why a query failed."""

    code: str
    message: str


class LeftOut(BaseModel):
    """A step that was left out, as a whole or in part."""

    step: str
    reason: str = Field(examples=["the query's deadline passed"])


class QueryHead(BaseModel):
    """A question and its progress."""

    id: UUID
    status: QueryState = Field(
        description="`succeeded`, `failed` and `cancelled` are final; `held` waits for a reviewer's decision."
    )
    stage: str = Field(description="The current step, e.g. `retrieve` or `generate`.")
    workspace: str
    workspaces: list[str] = Field(
        description="All workspaces that are searched; `workspace` is the first.", examples=[["finance"]]
    )
    question: str
    mode: str
    preset: Preset = Field(description="`standard`, or `cheap`: with shared model calls.")
    run: RunKind = Field(description="The kind of run: `structured`, `agentic` or `multiagent`.")
    provider: Provider = Field(
        description="The provider of the models; `offline` is extractive and uses no model server."
    )
    error: QueryError | None
    replay_of: UUID | None = Field(description="The question that this one repeats.")
    created_at: datetime
    finished_at: datetime | None


class QueryListed(QueryHead):
    """A question in a list, with its outcome."""

    signal: SignalRead | None


class QueryList(BaseModel):
    """A page of questions, newest first."""

    queries: list[QueryListed]
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one.")


class OverviewRow(BaseModel):
    """One question or verification with its results; values that do not exist, or not yet, are null."""

    id: UUID
    kind: Kind = Field(description="`answer`: a question; `verification`: a given answer.")
    status: QueryState
    stage: str
    workspace: str
    question: str | None
    custom_id: str | None = Field(description="The submitter's own id of a verification.")
    excerpt: str | None = Field(description="The first 200 characters of the text that was verified.")
    provider: Provider
    error: QueryError | None
    sentences: dict[str, int] = Field(
        description="How many of its sentences are in which state: those of the answer that users see, or of the text "
        "as it was given.",
        examples=[{"supported": 4, "unsupported": 1}],
    )
    signal: SignalRead | None
    confidence: float | None = Field(description="The `verification.confidence` of the result.")
    confidence_level: str | None = Field(examples=["High"])
    accuracy_rate: float | None = Field(description="Accurate citations over those that were checked.")
    is_grounded: bool | None
    attempts: int | None = Field(description="Corrective rounds.")
    abstained: bool | None
    removed_citations: int | None = Field(description="How many citations were taken out.")
    llm_calls: int
    cost_usd: float
    created_at: datetime
    finished_at: datetime | None


class OverviewList(BaseModel):
    """One page, newest first."""

    entries: list[OverviewRow]
    total: int = Field(description="How many entries all pages have together; 10,000 stands for as many or more.")
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one.")
