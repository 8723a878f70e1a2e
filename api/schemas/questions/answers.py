"""A finished query on the wire: the answer, its verification, what it cost."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field, JsonValue

from api.schemas.questions.evidence import (
    CitationRead,
    ConflictRead,
    EvidenceLocation,
    MentionRead,
    Score,
    SignalRead,
    SourceRead,
)
from api.schemas.questions.queries import LeftOut, QueryHead, ReviewState
from domain.query.workspace_rules import Reason

SentenceStatus = Literal["supported", "partial", "contradicted", "unsupported", "no_claim", "not_checked"]


class SentenceRead(BaseModel):
    """One sentence of the answer and its single state; what could not be checked is `not_checked`."""

    start: int
    end: int
    text: str
    status: SentenceStatus
    reason: str = Field(description="Why the sentence is in this state.")
    support: Score | None = Field(
        description="How likely it is that the sources say it; calibrated when `calibration` is not null."
    )
    evidence: str | None = Field(description="Words of the source that the verdict rests on, exactly as they stand.")
    source: EvidenceLocation | None


class ClaimRead(BaseModel):
    """One claim of the answer, with evidence that really occurs in a source."""

    claim: str
    status: Literal["SUPPORTED", "PARTIALLY_SUPPORTED", "UNSUPPORTED"]
    evidence: str | None = Field(description="Words of the source; null when what was quoted is in none.")
    source: EvidenceLocation | None
    reasoning: str


class FactRead(BaseModel):
    """A key claim of the answer, and whether the sources verify it."""

    claim: str
    verified: bool
    supporting_sources: list[str] = Field(description="Chunk ids.")
    confidence: Score


class CalibrationRead(BaseModel):
    """The calibration that made the probabilities, and its measurements on data that it had not seen."""

    version: str
    ece: Score = Field(description="Expected calibration error, 10 bins.")
    high: Score | None = Field(
        default=None, description="From this confidence on at least 9 of 10 answers were right; null: from none."
    )
    false_pass: Score | None = Field(
        default=None, description="The share of unsupported statements that this verifier takes for supported."
    )
    false_strip: Score | None = Field(
        default=None, description="The share of supported statements that it takes for unsupported."
    )
    measured_on: str = ""
    holds: bool = Field(default=False, description="False where it says nothing about this answer.")
    reason: str | None = Field(default=None, description="Why it does not hold.")


class QuestionVerdictRead(BaseModel):
    """Whether the answer answers its question, which is independent of whether it is true."""

    relevant: Literal["yes", "partly", "no"]
    complete: bool = Field(description="Whether no part of the question is left open.")
    open_parts: list[str] = Field(description="The parts of the question that the answer leaves open.")
    missing_names: list[str] = Field(
        description="What the question names and no passage does; an answer is then about something else."
    )
    probability: Score = Field(
        description="How likely the answer answers all of the question, provided that what it says is true."
    )
    reason: str


class Scores(BaseModel):
    """The scores of one verification. A score is null when its check was not requested, and for a refusal, which
    claims nothing."""

    overall_score: Score | None = Field(description="0.4·alignment + 0.3·coverage + 0.3·facts, as configured.")
    answer_source_alignment: Score | None
    citation_coverage: Score | None
    fact_verification_score: Score | None
    issues: list[str]
    verified_sources: list[str] = Field(description="Chunk ids.")
    unverified_claims: list[str]
    confidence: Score | None = Field(
        description="The probability that the sources support all of the answer and that it answers the question; the "
        "same number in every interface. Null when nothing was claimed or nothing could be checked."
    )
    confidence_level: str | None = Field(
        description="`High`, `Medium`, `Low`, `Very Low`; `Uncalibrated` where neither a calibration holds nor a "
        "model judged.",
        examples=["High"],
    )
    claims_score: Score | None = Field(
        description="Supported claims over all, less 0.1 for each unsupported one, plus 0.1 when there is none: what "
        "`/chat` calls confidence."
    )
    draft_claims_score: Score | None = Field(
        description="The same for the answer as it was written; what `confidence_threshold` is compared with."
    )
    calibration: CalibrationRead | None = Field(
        description="Null when nobody measured this verifier: the number of a model is then its own."
    )
    is_grounded: bool | None
    claims_checked: int
    claims_supported: int
    accuracy_rate: Score | None = Field(
        description="Accurate citations over all of the original answer; null when there is none, or none was checked."
    )
    suggested_corrections: list[str]
    question: QuestionVerdictRead | None = Field(
        description="Whether the answer answers its question; null for a refusal, or when nobody asked."
    )
    checks: dict[str, JsonValue] = Field(
        description="Of each check: whether it ran, fell back, or did not run and why."
    )


class WholeScores(Scores):
    """The scores with the context of a result."""

    crag_attempts: int = Field(description="Corrective rounds that were made.")
    attempts: int = Field(description="The same number.")
    additional_context_used: bool = Field(description="Whether a corrective round found more passages.")
    claims: list[ClaimRead] = Field(
        default=[], description="Those that `claims_checked` counts; only when `show_claims` is on."
    )
    facts: list[FactRead] = Field(default=[], description="The key claims of the fact check, with `show_claims`.")


class VerificationRead(WholeScores):
    """The verification of the answer."""

    sentences: list[SentenceRead]


class UsageRead(BaseModel):
    """Sums over all model calls, failed ones included; replies reused from earlier calls are not counted."""

    llm_calls: int
    unknown_calls: int = Field(
        description="Those of `llm_calls` whose process was killed; tokens and cost are the most they may have taken."
    )
    prompt_tokens: int
    cached_tokens: int = Field(
        description="Those of `prompt_tokens` that the provider's cache served, at its lower price."
    )
    completion_tokens: int
    cost_usd: float


class AuditHead(BaseModel):
    """The proof of the result: anyone who keeps the head can later tell whether any record was changed."""

    head: str = Field(description="The hash of the last record, in hexadecimal.")
    records: int


class StandingRead(BaseModel):
    """Whether the answer still holds, now that what it cites may have changed (docs/audit.md)."""

    state: Literal["valid", "stale", "invalidated"] = Field(
        description="`stale`: what it cites has a newer version. `invalidated`: what it says is not in the sources now."
    )
    reason: str | None
    since: datetime | None = Field(description="Null when nothing has happened since it was answered.")
    verification: UUID | None = Field(description="The verification that was made of it for this reason.")


class ObjectValueRead(BaseModel):
    """What became of one place of the schema."""

    path: str = Field(description="Its JSON Pointer.", examples=["/items/0/name"])
    status: Literal["verified", "removed", "not_stated"]
    value: JsonValue = Field(description="The value; of a removed one as it was written.")
    reason: str | None = Field(description="Why it is not in the object.")
    sentences: list[int] = Field(description="Positions in `verification.sentences` of those that state it.")
    citations: list[int] = Field(description="The numbers that these sentences cite.")


class ObjectRead(BaseModel):
    """The answer as an object that follows `answer_schema`, filled from its verified sentences."""

    value: dict[str, JsonValue] | None = Field(description="Valid by the schema; null when it is withheld.")
    withheld: str | None = Field(description="Why there is no object.")
    values: list[ObjectValueRead] = Field(description="What was verified, and what was removed or is not stated.")


class ReviewRead(BaseModel):
    """Why a person has to see the answer, or had to, and what was decided."""

    state: ReviewState = Field(
        description="`queued`: shown, and in the queue. `held`: shown to nobody before a decision, which makes it "
        "`released`, `corrected` (the answer is the reviewer's, unchecked) or `rejected`."
    )
    reasons: list[Reason] = Field(default=[], description="The rules that it fell under.")
    note: str | None = Field(default=None, description="What the reviewer says of it.")
    decided_by: str | None = Field(default=None, description="A name or a pseudonym.")
    decided_at: datetime | None = Field(default=None, description="Null before a decision.")


class QueryRead(QueryHead):
    """A question with everything known of it so far."""

    request: dict[str, JsonValue] = Field(
        description="The options that it asked for, as `POST /v1/queries` takes them, without `callback_url`; sent "
        "with a question they ask for the same again.",
        examples=[{"mode": "high", "retrieval": {"filter": {"metadata": {"year": 2025}}}}],
    )
    attached_texts: list[str] = Field(
        description="The names of the texts that came with the question, of which alone it is answered; as a rule none."
    )
    restated_question: str | None = Field(
        description="The question as it was understood from the conversation; null when that is how it was asked."
    )
    conversation_id: UUID | None = Field(description="The conversation that it is a turn of, if any.")
    answer: str | None = Field(description="The answer after the checks; null until there is one.")
    original_answer: str | None = Field(description="What the model wrote, before anything was repaired or removed.")
    model: str | None = Field(description="The model that wrote it; null when nothing was written.")
    abstained: bool | None = Field(description="True when the documents do not answer the question.")
    abstain_reason: str | None
    references: list[str] = Field(examples=[["[1] refund-policy.pdf, p.2"]])
    citations: list[CitationRead]
    removed_citations: list[int] = Field(description="Numbers of the original answer that the answer cites no more.")
    edits: list[dict[str, JsonValue]] = Field(description="Every change from the original answer to the answer.")
    review: ReviewRead | None = Field(description="Null when no rule of the workspace asked for a review.")
    answer_object: ObjectRead | None = Field(
        description="Null when no `answer_schema` was asked for, and until there is an answer."
    )
    conflicts: list[ConflictRead] = Field(
        description="Where other passages that were found say something else than those that the answer cites."
    )
    mentions: list[MentionRead] = Field(
        description="The passages that come closest, each once, at most three: beside a refusal, and beside an answer "
        "without a model that may not be what was asked, where they are those that it does not cite."
    )
    sources: list[SourceRead]
    verification: VerificationRead | None = Field(
        description="Null when it is off, or when it broke (see the history)."
    )
    signal: SignalRead | None
    usage: UsageRead
    timings: dict[str, float | None] = Field(
        description="Milliseconds per stage, and `total` from acceptance to the end.",
        examples=[{"retrieve": 21.4, "generate": 912.0, "total": 2140.7}],
    )
    degraded: list[LeftOut] = Field(
        description="What was left out because time or money ran short, a step broke its workers, or a model failed."
    )
    audit: AuditHead | None = Field(description="What proves the result later; null while there is none.")
    standing: StandingRead | None = Field(description="Null until the question has succeeded.")
