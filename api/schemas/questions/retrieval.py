"""A question's retrieval on the wire: what each part found, and what the model would be shown."""

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
        description="Similarity of vectors alone, or fused with lexical search; as configured if left out.",
    )
    k: int | None = Field(default=None, ge=1, le=100, description="How many candidates; as configured if left out.")
    top_k: int | None = Field(default=None, ge=1, le=50, description="From how many passages an answer is written.")
    filter: DocumentFilter | None = Field(default=None, description="Only documents of which all of this holds.")
    run: RunKind = Field(
        default="structured",
        description="`structured` searches once; in an `agentic` or `multiagent` run a model decides in turns what to "
        "search for.",
    )
    multi_query: int | None = Field(
        default=None,
        ge=0,
        le=5,
        description="So many rewritten questions are searched for too; as configured if left out, or none without "
        "`rerank`.",
    )
    graph: GraphMode | None = Field(
        default=None,
        description="How the knowledge graph takes part; as configured if left out, or not at all without `rerank`.",
    )
    rerank: bool = Field(
        default=True,
        description="Score the candidates as for an answer. Where a language model scores, rewrites or decides, that "
        "costs its calls, and the key needs the scope `ask`.",
    )
    max_cost_usd: MaxCostUsd = None
    limit: int = Field(default=30, ge=1, le=1000, description="The most passages to tell about.")

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        one_place(self.model_fields_set, self.workspaces)
        return self


class PlaceRead(BaseModel):
    """The place that one part of a retrieval gave a passage."""

    rank: int | None = Field(description="From 1; null for what is left out of the search.")
    score: float | None = Field(description="Null when it could not be read.")
    reason: str | None = Field(description="Why there is no score; null if there is one.")


class MatchRead(BaseModel):
    """A word of the passage's `text` that the search by words finds with the question, in code points of that text."""

    start: int
    end: int


class FoundByRead(BaseModel):
    """What one of the searches thought of a passage; null where a part did not find it."""

    search: int = Field(description="The place of the search in `searches`, from 0.")
    lexical: PlaceRead | None = Field(description="By words.")
    vector: PlaceRead | None = Field(description="By meaning.")
    fused: PlaceRead | None = Field(description="Null where the results of several searches are fused at once.")


class SearchMade(BaseModel):
    """A search: for the question, for it in other words, or for what a model decided to search for."""

    query: str = Field(description="The words that were searched for.")
    turn: int | None = Field(description="Of an agentic run, from 1; null for others.")
    why: str | None = Field(description="The model's reason for it, in an agentic run.")


class PassageExplained(PassageRead):
    """A passage with what each part of the retrieval thought of it; null where a part did not find it."""

    workspace: str = Field(description="The workspace of the document.", examples=["finance"])
    lexical: PlaceRead | None = Field(description="By words: BM25 with pairs of neighbours, from 0 on.")
    vector: PlaceRead | None = Field(description="By meaning: cosine similarity of vectors.")
    fused: PlaceRead | None = Field(
        description="Both together, of all searches: reciprocal ranks. The first `k` are candidates."
    )
    reranked: PlaceRead | None = Field(description="The relevance of candidates, from 0 to 1, and the final order.")
    found_by: list[FoundByRead] = Field(description="The searches that found it; `lexical` and `vector` are the best.")
    from_graph: bool = Field(description="Whether only the knowledge graph led to it.")
    excluded: bool = Field(description="Whether people took it out of the search; it would have been found like this.")
    shown: bool | None = Field(description="Whether an answer would be written from it; null without reranking.")
    why_not: WhyNot | None = Field(description="Why it would not be shown; null if it would.")
    matches: list[MatchRead] = Field(description="In order.")
    also_in: AlsoIn


class RetrievalSettings(BaseModel):
    """What the retrieval was done with."""

    method: Literal["vector", "hybrid"] = Field(description="Similarity of vectors alone, or fused with words.")
    mode: str
    run: RunKind = Field(description="How it was decided what to search for.")
    multi_query: int = Field(description="How many rewritten questions were wanted.")
    graph: str = Field(description="How the knowledge graph took part.")
    k: int = Field(description="How many candidates there are at most; of several searches twice as many.")
    top_k: int = Field(description="From how many passages an answer is written; more of several searches.")
    min_evidence_score: Score = Field(description="From this relevance on a passage counts as evidence.")
    source_scoring: bool = Field(description="Whether sources are chosen by position, length and frequency too.")
    context_tokens: int | None = Field(description="About how many tokens the passages of a prompt may have.")
    reranked_by: str | None = Field(description="What scored the candidates; null if nothing did.")


class RerankingUsage(BaseModel):
    """What the calls of models took. They are booked and counted like those of a question."""

    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


class SearchExplained(BaseModel):
    """The passages of a question: in the order of reranking, then of the search, then those taken out of it."""

    question: str
    status: Literal["selected", "refused", "failed"] | None = Field(
        description="Whether an answer would be written from what was found; null without reranking."
    )
    reason: str | None = Field(description="Why not; null if it would.")
    issues: list[str] = Field(description="What was not done as configured, or is thin; empty as a rule.")
    settings: RetrievalSettings = Field(description="As configured, unless the request said otherwise.")
    searches: list[SearchMade] = Field(description="In the order in which they were made.")
    ended_because: str | None = Field(description="Why an agentic run searched no further; null for others.")
    passages: list[PassageExplained]
    usage: RerankingUsage
