"""The retrieval of a question as JSON: the findings of each part, and the passages that the model would get."""

from typing import Literal, Self

from pydantic import BaseModel, Field, model_validator

from api.schemas.questions.evidence import Score
from api.schemas.questions.queries import MaxCostUsd
from api.schemas.questions.search import AlsoIn, PassageRead
from api.schemas.texts import Input, PlainText, WorkspaceName, Workspaces, one_place
from domain.query.options import DocumentFilter, GraphMode, RunKind

WhyNot = Literal[
    "excluded",
    "beyond_candidates",
    "copy",
    "below_threshold",
    "beyond_top_k",
    "not_worth_citing",
    "over_context_budget",
    "refused",
]


class SearchExplain(Input):
    """A question to retrieve for, without an answer."""

    question: PlainText = Field(examples=["How long can products be returned?"])
    workspace: WorkspaceName = Field(default="default", description="The collection of documents that is searched.")
    workspaces: Workspaces = None
    mode: PlainText | None = Field(default=None, max_length=20, description="`low`, `balanced` or `high`.")
    method: Literal["vector", "hybrid"] | None = Field(
        default=None,
        description="Vector similarity alone, or fused with lexical search; as configured if omitted.",
    )
    k: int | None = Field(default=None, ge=1, le=100, description="The number of candidates; as configured if omitted.")
    top_k: int | None = Field(
        default=None, ge=1, le=50, description="The number of passages that an answer is written from."
    )
    filter: DocumentFilter | None = Field(
        default=None, description="Only documents that match all of these conditions."
    )
    run: RunKind = Field(
        default="structured",
        description="`structured` searches once; in an `agentic` or `multiagent` run a model decides in turns what to "
        "search for.",
    )
    multi_query: int | None = Field(
        default=None,
        ge=0,
        le=5,
        description="The number of rewritten questions that are also searched for; if omitted as configured, or none "
        "without `rerank`.",
    )
    graph: GraphMode | None = Field(
        default=None,
        description="The part of the knowledge graph; if omitted as configured, or none without `rerank`.",
    )
    rerank: bool = Field(
        default=True,
        description="Whether to score the candidates as for an answer. Where a language model scores, rewrites or "
        "decides, that costs its calls, and the key needs the scope `ask`.",
    )
    max_cost_usd: MaxCostUsd = None
    limit: int = Field(default=30, ge=1, le=1000, description="The most passages in the response.")

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        one_place(self.model_fields_set, self.workspaces)
        return self


class PlaceRead(BaseModel):
    """The rank and score that one part of a retrieval gave a passage."""

    rank: int | None = Field(description="The rank from 1; null for a passage that is excluded from the search.")
    score: float | None = Field(description="Null when the score could not be read.")
    reason: str | None = Field(description="Why there is no score; null if there is one.")


class MatchRead(BaseModel):
    """A word of the passage's `text` that matches the question in the search by words, with its place in code points of
    that text."""

    start: int
    end: int


class FoundByRead(BaseModel):
    """The ranks and scores that one search gave a passage; null for each part of it that did not find the passage."""

    search: int = Field(description="The position of the search in `searches`, from 0.")
    lexical: PlaceRead | None = Field(description="The search by words.")
    vector: PlaceRead | None = Field(description="The search by meaning.")
    fused: PlaceRead | None = Field(
        description="The fused results; null where the results of several searches are fused at once."
    )


class SearchMade(BaseModel):
    """One search: for the question, for a rewritten question, or for words that a model chose."""

    query: str = Field(description="The words that were searched for.")
    turn: int | None = Field(description="The turn of an agentic run, from 1; null for other runs.")
    why: str | None = Field(description="The model's reason for the search, in an agentic run.")


class PassageExplained(PassageRead):
    """A passage with the ranks and scores of each part of the retrieval; null for a part that did not find it."""

    workspace: str = Field(description="The workspace of the document.", examples=["finance"])
    lexical: PlaceRead | None = Field(
        description="The search by words: BM25 with pairs of neighbouring words, 0 or more."
    )
    vector: PlaceRead | None = Field(description="The search by meaning: cosine similarity of vectors.")
    fused: PlaceRead | None = Field(
        description="Both searches together, over all questions searched for: reciprocal ranks. The first `k` are "
        "candidates."
    )
    reranked: PlaceRead | None = Field(description="The relevance of a candidate, from 0 to 1, and its final rank.")
    found_by: list[FoundByRead] = Field(
        description="The searches that found the passage; `lexical` and `vector` have its best ranks."
    )
    from_graph: bool = Field(description="Whether only the knowledge graph led to the passage.")
    excluded: bool = Field(
        description="Whether people excluded the passage from the search; its ranks and scores are what it would have "
        "got."
    )
    shown: bool | None = Field(
        description="Whether an answer would be written from the passage; null without reranking."
    )
    why_not: WhyNot | None = Field(description="Why the passage would not be shown to the model; null if it would.")
    matches: list[MatchRead] = Field(description="The matching words in order.")
    also_in: AlsoIn


class RetrievalSettings(BaseModel):
    """The settings of a retrieval."""

    method: Literal["vector", "hybrid"] = Field(
        description="Vector similarity alone, or fused with the search by words."
    )
    mode: str
    run: RunKind = Field(description="How the run decided what to search for.")
    multi_query: int = Field(description="The requested number of rewritten questions.")
    graph: str = Field(description="The part of the knowledge graph in the search.")
    k: int = Field(description="The most candidates of one search; several searches have twice as many.")
    top_k: int = Field(
        description="The number of passages that an answer is written from; more after several searches."
    )
    min_evidence_score: Score = Field(description="The lowest relevance of a passage that counts as evidence.")
    source_scoring: bool = Field(description="Whether sources are also chosen by position, length and frequency.")
    context_tokens: int | None = Field(
        description="The approximate number of tokens that the passages of a prompt may have."
    )
    reranked_by: str | None = Field(description="The reranker or model that scored the candidates; null if none did.")


class RerankingUsage(BaseModel):
    """The usage of the model calls. They are booked and counted like those of a question."""

    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


class SearchExplained(BaseModel):
    """The passages of a question: in the order of reranking, then of the search, then those that people excluded from
    it."""

    question: str
    status: Literal["selected", "refused", "failed"] | None = Field(
        description="Whether an answer would be written from the passages; null without reranking."
    )
    reason: str | None = Field(description="Why no answer would be written; null if one would.")
    issues: list[str] = Field(description="Steps that did not run as configured, and thin evidence; usually empty.")
    settings: RetrievalSettings = Field(description="The settings as configured, changed by the request.")
    searches: list[SearchMade] = Field(description="The searches in their order.")
    ended_because: str | None = Field(description="Why an agentic run stopped searching; null for other runs.")
    passages: list[PassageExplained]
    usage: RerankingUsage
