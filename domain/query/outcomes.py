"""The outcomes of steps: small JSON values, stored once under (query, round, step, item).

Failure is a value here: `status` says whether the step succeeded, and `reason` why not, in words for users.
"""

from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar

from citewell_verify.judging.statement import Checked
from citewell_verify.prompting.judgements import CitationType
from citewell_verify.verdicts.ruling import StoredRuling
from citewell_verify.verification.repairs import Repaired
from domain.query.answer_checks import (
    AlignmentChecked,
    AnswerabilityChecked,
    ClaimsChecked,
    CoverageChecked,
    FactsChecked,
)
from domain.query.budget import Draft

T = TypeVar("T")


class Planned(TypedDict):
    """S2.3: search queries for the claims that a round left unsupported; `fallback`: the queries are the claims."""

    status: Literal["planned", "fallback"]
    queries: list[str]
    reason: NotRequired[str]


class Restated(TypedDict):
    """N9: the question, restated so that it needs no conversation; `fallback`: it stays as it was asked."""

    status: Literal["restated", "fallback"]
    question: str | None
    reason: NotRequired[str]


class Reworded(TypedDict):
    """S3.2: the question in other words; `fallback`: there are none, and the search uses only the question itself."""

    status: Literal["reworded", "fallback"]
    queries: list[str]
    reason: NotRequired[str]


class Decided(TypedDict):
    """S3.6: one turn of a run in which the model decides. `reason` is the model's; in a `fallback` it says what went
    wrong.

    `queries` has only new queries, and none if the decision is `answer`.
    """

    status: Literal["decided", "fallback"]
    action: Literal["search", "answer"]
    queries: list[str]
    reason: str


class FoundBy(TypedDict):
    """One search: the candidates as in `Retrieved`, and the chunk ids that users see."""

    query: str
    candidates: list[tuple[int, float | None]]
    chunk_ids: list[str]


class Searched(TypedDict):
    """S3.6: the searches of one turn, and why they were made."""

    status: Literal["searched", "failed"]
    searches: list[FoundBy]
    why: NotRequired[str]
    reason: NotRequired[str]


class Note(TypedDict):
    """A fact for the writer, and the words of source number `source` that prove it, at `start:end` of the passage."""

    fact: str
    source: int
    quote: str
    chunk_id: str
    start: int
    end: int


class Noted(TypedDict):
    """S3.6: the notes of the research; `dropped` counts the notes whose quote is in no source."""

    status: Literal["noted", "failed"]
    notes: list[Note]
    dropped: int
    reason: NotRequired[str]


class GraphPlanned(TypedDict):
    """S5.1: the names to look for in the graph. `fallback`: the question's own words; `empty`: there is no graph
    yet.
    """

    status: Literal["planned", "fallback", "empty"]
    low_level: list[str]
    high_level: list[str]
    reason: NotRequired[str]


class Link(TypedDict):
    """S5.1: the reason why a passage with few words of the question may matter: another passage names its entity.

    `bridge` is the chunk key of the other passage, `connection` its statement, `names` the entities in between.
    """

    bridge: int
    connection: str
    names: list[str]


class Retrieved(TypedDict):
    """Candidates in retrieval order as [chunk key, cosine similarity or null].

    `new`: a corrective round found chunks that the previous answer did not have. `merged`: the candidates come from
    several searches. `issues` name the parts of the search that did not run as configured.
    """

    status: Literal["found", "empty", "failed"]
    candidates: list[tuple[int, float | None]]
    new: NotRequired[bool]
    merged: NotRequired[bool]
    issues: NotRequired[list[str]]
    reason: NotRequired[str]
    links: NotRequired[dict[str, Link]]
    """S5.1: the connections over which chunks were found, by chunk key (JSON keys are text)."""


class Scored(TypedDict):
    """S3.1: the score of a passage, null when the model's reply was unreadable. `reranker`: the scorer, if not the
    model.

    `linked` (S5.1): the score together with the connection over which the passage was found.
    """

    status: Literal["scored", "unreadable"]
    score: float | None
    linked: NotRequired[float | None]
    reason: NotRequired[str]
    reranker: NotRequired[str]


class Selected(TypedDict):
    """`selected` are the keys of the chunks that the answer is written from, numbered 1..k by position; `ranked` are
    the keys of all chunks.

    `sources` is `selected` as users see it; given sources (N2) are without their texts. `refused`: there is too little
    evidence. `failed`: retrieval or reranking broke, which says nothing about the documents. `reason` says why.
    `reranker`: the scorer, if not the model.
    """

    status: Literal["selected", "refused", "failed"]
    selected: list[int]
    ranked: list[int]
    sources: list[dict[str, Any]]
    issues: list[str]
    reason: NotRequired[str]
    reranker: NotRequired[str]


class Drafted(TypedDict):
    """The model's answer with its `[†N]` markers; `abstained` if it said that the sources have no answer."""

    status: Literal["complete", "abstained", "failed"]
    text: str
    model: str | None
    reason: NotRequired[str]
    code: NotRequired[str]
    """The error code of a failure: `model_refused`, `model_unavailable`, …"""
    early: NotRequired[list[str]]
    """N1: the keys (`citations.check_key`) of the checks that were dispatched while it was written."""
    stopped: NotRequired[str]
    """N1: the reason why writing was stopped."""
    given: NotRequired[str]
    """N2: the answer as it was given; `text` adds a marker for each of `citations`, which were sent beside it."""
    inserted: NotRequired[list[tuple[int, int]]]
    """N2: (place in `given`, length) of those markers, and of the citations that `translated` writes as markers;
    negative lengths are those of characters that were left out."""
    translated: NotRequired[str]
    """N2: `given` with its own citations as `[†N]` markers."""
    unread: NotRequired[list[tuple[int, int]]]
    """N2: (start, end) in `given` of texts that look like citations and name no source; `text` is without them."""
    from_zero: NotRequired[bool]
    """N2: true if the answer's numbers begin at 0, which was inferred from the numbers themselves."""
    citations: NotRequired[list["CitationBeside"]]


class CitationBeside(TypedDict):
    """N2: a citation that was sent beside an answer, for `start:end` of the answer as given.

    `source` names the cited source as the request does; `number` is the source's number, null if there is no such
    source.
    """

    start: int
    end: int
    source: int | str
    number: int | None


class ScoredCitation(TypedDict):
    """S4.2: a citation as the model gave it, with its scores and issues (S4.4)."""

    claim_text: str
    source: int
    text_span: str
    citation_type: CitationType
    chunk_id: str
    text_span_score: float
    claim_relevance: float
    confidence_score: float
    is_accurate: bool
    issues: list[str]


class Extracted(TypedDict):
    """S4.2: the citations that a model extracted while the answer was being written."""

    status: Literal["extracted", "failed"]
    citations: list[ScoredCitation]
    reason: NotRequired[str]


class ClosedSentence(TypedDict):
    """N1: a sentence of an answer that is still being written, at `start:end` of the draft so far.

    `numbers` are the sources to check it against now, 0 for all of them. `whole`: these checks alone decide its state.
    """

    index: int
    start: int
    end: int
    text: str
    claim: bool
    numbers: list[int]
    whole: bool


class Closed(TypedDict):
    """N1: sentences that are checked together while the answer is still being written."""

    sentences: list[ClosedSentence]


class CheckedEarly(TypedDict):
    """N1: the checks, by key (`citations.check_key`), and the published states, by position in `sentences`."""

    status: Literal["checked", "not_checked"]
    checks: dict[str, Checked]
    told: list[tuple[int, str]]
    reason: NotRequired[str]


class Assessed(TypedDict):
    """The assessment of one round. `confidence` is that of the draft (S2.2), null without claims.

    `gaps` are the claims without support; `failing` are the indices of the statements whose verdicts are a sure no.
    `decision` is the next step: another round, or the answer of round `best`. `new_context`: a corrective round found
    new passages.
    """

    status: Literal["assessed"]
    draft: Draft
    confidence: float | None
    gaps: list[str]
    failing: list[int]
    new_context: bool
    decision: Literal["correct", "finish"]
    best: int
    repairs: NotRequired[bool]
    """False if too little time or money was left to repair failing statements."""
    degraded: NotRequired[str]
    """The reason why a part was left out."""
    together: NotRequired[dict[str, dict[str, StoredRuling]]]
    """V7: rulings on several cited sources together, as {statement index: {source number: ruling}}."""


class JudgedCitation(TypedDict):
    """N2: the verdict on a citation of a given answer, for one of the sentences that it belongs to.

    `start` and `end` are the offsets of a citation that was sent beside the answer, `sentence_start` and `sentence_end`
    those of the sentence, all in the answer as given. `cited` is the number, the id or the name in the citation.
    """

    number: int | None
    start: int | None
    end: int | None
    cited: int | str | None
    statement: str | None
    sentence_start: int | None
    sentence_end: int | None
    status: str
    is_accurate: bool | None
    relation: str | None
    confidence: float | None
    explanation: str
    evidence: str | None
    location: dict[str, Any] | None


class Concluded(TypedDict):
    """The published result of a query: an answer, which is stored in rows of its own, or the reason why there is
    none.
    """

    status: Literal["answered", "failed"]
    abstained: NotRequired[bool]
    citations: NotRequired[list[JudgedCitation]]
    """N2: the verdict on every citation of the answer as it was given."""
    conflicts: NotRequired[list[dict[str, Any]]]
    """The disagreements of other documents with the passages that the answer cites, as users see them."""
    code: NotRequired[str]
    reason: NotRequired[str]


class ObjectFilled(TypedDict):
    """The answer as the object that was asked for; null when it is withheld, and `withheld` is then the reason.

    `values` are the outcomes of all places of the schema (`domain.objects.filling.Value`).
    """

    status: Literal["filled", "withheld", "failed"]
    value: dict[str, Any] | None
    values: list[dict[str, Any]]
    reason: NotRequired[str]


class EvidenceFound(TypedDict):
    """N5: the search results for each failing statement, as {statement index: [chunk key, …]}; JSON keys are text."""

    status: Literal["searched", "failed"]
    found: dict[str, list[int]]
    reason: NotRequired[str]


class StepName(str, Generic[T]):
    """The name of a step, with the type of its outcome: `context.read(ASSESS)` is an `Assessed`, or None."""


RESEARCH_NOTES = StepName[Noted]("research_notes")
RETRIEVE = StepName[Retrieved]("retrieve")
SELECT = StepName[Selected]("select")
GENERATE = StepName[Drafted]("generate")
EXTRACT_CITATIONS = StepName[Extracted]("extract_citations")
CHECK_ALIGNMENT = StepName[AlignmentChecked]("check_alignment")
CHECK_COVERAGE = StepName[CoverageChecked]("check_coverage")
CHECK_ANSWERABILITY = StepName[AnswerabilityChecked]("check_answerability")
RECHECK_ANSWERABILITY = StepName[AnswerabilityChecked]("recheck_answerability")
CHECK_FACTS = StepName[FactsChecked]("check_facts")
CHECK_CLAIMS = StepName[ClaimsChecked]("check_claims")
CHECK_STATEMENTS = StepName[Checked]("check_statements")
SENTENCES = StepName[Closed]("sentences")
"""Not a step of its own: the batches of sentences that `generate` hands to `check_early`, by the same item."""
CHECK_EARLY = StepName[CheckedEarly]("check_early")
ASSESS = StepName[Assessed]("assess")
SEARCH_EVIDENCE = StepName[EvidenceFound]("search_evidence")
REPAIR_STATEMENTS = StepName[Repaired]("repair_statements")
CONCLUDE = StepName[Concluded]("conclude")
