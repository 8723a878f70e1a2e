"""The questions asked of models: one Judgement per prompt, with the schema of its reply.

Schemas follow strict structured output: every field required, nothing extra, no bounds in the schema (bounds are
checked here, because not every provider's constrained decoding supports them).

A model writes the fields in this order, and sees only the earlier ones when it writes each. A judgement therefore
quotes and compares first, and gives its verdict last.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _unit(value: float) -> float:
    if not 0 <= value <= 1:
        raise ValueError("must be between 0 and 1")
    return value


Unit = Annotated[float, AfterValidator(_unit)]
"""A score in 0..1; anything else makes the reply unreadable."""


def _with_every_field(schema: dict[str, Any]) -> None:
    """Require every field, because defaults are only for replies that no schema constrained."""
    schema["required"] = list(schema.get("properties", {}))


class Reply(BaseModel):
    """Base of all structured replies.

    A server is asked for every field. A field may be missing from a reply only if nothing is
    decided by its value: a missing verdict makes the reply unreadable.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_with_every_field)


def _words() -> Any:
    """Text that may be missing, by a factory: a plain default would be a part of the schema that servers are sent."""
    return Field(default_factory=str)


class Relevance(Reply):
    """S3.1: how relevant one chunk is to the question."""

    score: Unit


class Alignment(Reply):
    """S1.2: does the answer address the question and follow from the sources, without contradiction.

    V8, and first, so that a model looks before it scores: what the question asks for, which parts of it the answer
    leaves open, and whether it answers the question at all.
    """

    asked: str = _words()
    open_parts: list[str]
    answers: Literal["yes", "partly", "no"]
    reason: str = _words()
    score: Unit


class Answerability(Reply):
    """S3.4: is everything in the answer in the context."""

    reason: str = _words()
    supported: bool


Relation = Literal["supports", "partially_supports", "contradicts", "does_not_mention"]


class StatementCheck(Reply):
    """S5.4: one statement against the one source that it cites; `relation` tells N4's states apart.

    `evidence` is copied from the source; a quote that does not stand there is no evidence (S2.1). `differences` are
    short texts: what the statement says otherwise than the source or adds to it; empty if nothing.
    """

    evidence: str = _words()
    differences: list[str] = Field(default_factory=list[str])
    explanation: str = _words()
    relation: Relation
    is_accurate: bool
    confidence: Unit


class ItemRelevance(Reply):
    """S3.1: the score of the chunk with this id."""

    id: str
    score: Unit


class Relevances(Reply):
    """S3.1: how relevant each of several chunks is to the question."""

    scores: list[ItemRelevance]


class ItemCheck(Reply):
    """S5.4: the check of the statement with this id."""

    id: str
    verdict: StatementCheck


class StatementChecks(Reply):
    """S5.4: several statements, each against the sources that it cites."""

    verdicts: list[ItemCheck]


class SecondCheck(Reply):
    """S5.4: the second look at a statement of which the rules noticed something; `comparison` is about that."""

    evidence: str = _words()
    comparison: str = _words()
    relation: Relation
    is_accurate: bool
    confidence: Unit


class ItemSecondCheck(Reply):
    """S5.4: the second look at the statement with this id."""

    id: str
    verdict: SecondCheck


class SecondChecks(Reply):
    """S5.4: the second look at one or several statements, each against its own sources."""

    verdicts: list[ItemSecondCheck]


class TargetedQueries(Reply):
    """S2.3: searches for what was claimed without support."""

    queries: list[str]


class RestatedQuestion(Reply):
    """N9: a question as it is understood without the conversation that it belongs to."""

    standalone_question: str


class RewrittenQuestion(Reply):
    """S3.2: the question in other words."""

    questions: list[str]


class SearchDecision(Reply):
    """S3.6: what to do next, with the searches if it is to search; `reason` in a few words."""

    action: Literal["search", "answer"]
    queries: list[str]
    reason: str = _words()


class ResearchNote(Reply):
    """S3.6: a fact that helps to answer, and the words of source `source` that prove it, copied exactly."""

    fact: str
    source: int
    quote: str


class ResearchNotes(Reply):
    """S3.6: what whoever writes the answer should know."""

    notes: list[ResearchNote]


class Rewritten(Reply):
    """N5: the statement as source number `source` supports it; empty when nothing of it is left."""

    text: str
    source: int


class FilledField(Reply):
    """The value of one field of an object, and the sentences that state it."""

    path: str
    sentences: list[int]
    value: str


class FilledFields(Reply):
    """The fields of a caller's schema that the sentences of an answer state."""

    fields: list[FilledField]


class FieldCheck(Reply):
    """Whether the sentences of the entry with this id say that its field has its value."""

    id: str
    reason: str = _words()
    says: bool


class FieldChecks(Reply):
    """The check of several fields."""

    checks: list[FieldCheck]


CitationType = Literal["direct_quote", "paraphrase", "inference"]


class ExtractedCitation(Reply):
    """S4.2: a passage of source `source` that answers the question; `text_span` is copied from it exactly."""

    source: int
    text_span: str
    claim_text: str = _words()
    citation_type: CitationType


class ExtractedCitations(Reply):
    """S4.2: the passages that a good answer would cite."""

    citations: list[ExtractedCitation]


class ExtractedEntity(Reply):
    """S5.1: something that a text names: who or what it is, as the text says."""

    name: str
    type: str = _words()
    description: str = _words()


class ExtractedRelation(Reply):
    """S5.1: what a text says of two of its entities together; `keywords` say what kind of connection that is."""

    source: str
    target: str
    keywords: list[str] = Field(default_factory=list[str])
    description: str = _words()


class ExtractedGraph(Reply):
    """S5.1: the entities and relations of one passage."""

    entities: list[ExtractedEntity]
    relations: list[ExtractedRelation]


class Keywords(Reply):
    """S5.1: what a question names (`low_level`), and the matters and kinds of connection it is about."""

    low_level: list[str]
    high_level: list[str]


T_co = TypeVar("T_co", bound=Reply, covariant=True)
Role = Literal["main", "fast"]

_THOUGHT_TOKENS = 300
"""Reasoning models use some tokens before they begin to reply."""


@dataclass(frozen=True, slots=True)
class Judgement(Generic[T_co]):
    """A question to a model: `name` is its prompt file, `role` picks the model, `max_tokens` bounds the reply."""

    name: str
    role: Role
    reply: type[T_co]
    max_tokens: int
    temperature: float = 0.0

    def for_items(self, count: int) -> "Judgement[T_co]":
        """The same for several items, with `max_tokens` for each of them and for reasoning."""
        return replace(self, max_tokens=_THOUGHT_TOKENS + self.max_tokens * count)


@dataclass(frozen=True, slots=True)
class Composition:
    """Like a Judgement, but the reply is prose and is streamed."""

    name: str
    role: Role
    max_tokens: int
    temperature: float = 0.0


RERANK_CHUNK = Judgement("rerank_chunk", "fast", Relevance, max_tokens=300)
EXTRACT_CITATIONS = Judgement("extract_citations", "fast", ExtractedCitations, max_tokens=2000)
CHECK_ALIGNMENT = Judgement("check_alignment", "fast", Alignment, max_tokens=600)
CHECK_ANSWERABILITY = Judgement("check_answerability", "fast", Answerability, max_tokens=600)
CHECK_STATEMENT = Judgement("check_statement", "fast", StatementCheck, max_tokens=600)
RERANK_CHUNKS = Judgement("rerank_chunks", "fast", Relevances, max_tokens=30)
CHECK_STATEMENTS = Judgement("check_statements", "fast", StatementChecks, max_tokens=300)
RECHECK_STATEMENTS = Judgement("recheck_statements", "fast", SecondChecks, max_tokens=300)
PLAN_QUERIES = Judgement("plan_queries", "fast", TargetedQueries, max_tokens=600)
RESTATE_QUESTION = Judgement("restate_question", "fast", RestatedQuestion, max_tokens=2000)
REWRITE_QUESTION = Judgement("rewrite_question", "fast", RewrittenQuestion, max_tokens=600)
DECIDE_SEARCH = Judgement("decide_search", "fast", SearchDecision, max_tokens=600)
RESEARCH_NOTES = Judgement("research_notes", "fast", ResearchNotes, max_tokens=2000)
REWRITE_STATEMENT = Judgement("rewrite_statement", "fast", Rewritten, max_tokens=600)
FILL_FIELDS = Judgement("fill_fields", "main", FilledFields, max_tokens=4000)
CHECK_FIELDS = Judgement("check_fields", "fast", FieldChecks, max_tokens=80)
EXTRACT_GRAPH = Judgement("extract_graph", "fast", ExtractedGraph, max_tokens=2500)
EXTRACT_KEYWORDS = Judgement("extract_keywords", "fast", Keywords, max_tokens=500)
REGENERATE_ANSWER = Composition("regenerate_answer", "main", max_tokens=2000)
SYNTHESIZE_ANSWER = Composition("synthesize_answer", "main", max_tokens=2000)
GENERATE_ANSWER = Composition("generate_answer", "main", max_tokens=2000)
