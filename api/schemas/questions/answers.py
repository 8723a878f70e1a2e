"""A finished query as JSON: the answer, its verification, its cost."""

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
    """One sentence of the answer and its single state; a sentence that could not be checked is `not_checked`."""

    start: int
    end: int
    text: str
    status: SentenceStatus
    reason: str = Field(description="Why the sentence is in this state.")
    support: Score | None = Field(
        description="The probability that the sources support the sentence; calibrated when `calibration` is not null."
    )
    evidence: str | None = Field(
        description="The words of the source that decide the verdict, exactly as the source has them."
    )
    source: EvidenceLocation | None


class ClaimRead(BaseModel):
    """One claim of the answer, with evidence that occurs in a source."""

    claim: str
    status: Literal["SUPPORTED", "PARTIALLY_SUPPORTED", "UNSUPPORTED"]
    evidence: str | None = Field(description="The words of the source; null when the quoted words are in no source.")
    source: EvidenceLocation | None
    reasoning: str


class FactRead(BaseModel):
    """A key claim of the answer, and whether the sources verify it."""

    claim: str
    verified: bool
    supporting_sources: list[str] = Field(description="The ids of the chunks.")
    confidence: Score


class CalibrationRead(BaseModel):
    """The calibration behind the probabilities, and its measurements on data that it was not fitted on."""

    version: str
    ece: Score = Field(description="The expected calibration error, with 10 bins.")
    high: Score | None = Field(
        default=None,
        description="At this confidence or above, at least 9 of 10 answers were right; null: at no confidence.",
    )
    false_pass: Score | None = Field(
        default=None, description="The share of unsupported statements that this verifier takes for supported."
    )
    false_strip: Score | None = Field(
        default=None, description="The share of supported statements that this verifier takes for unsupported."
    )
    measured_on: str = ""
    holds: bool = Field(default=False, description="False where the calibration does not apply to this answer.")
    reason: str | None = Field(default=None, description="Why the calibration does not apply.")


class QuestionVerdictRead(BaseModel):
    """A verdict on whether the answer answers its question, which is independent of whether the answer is true."""

    relevant: Literal["yes", "partly", "no"]
    complete: bool = Field(description="Whether the answer leaves no part of the question open.")
    open_parts: list[str] = Field(description="The parts of the question that the answer leaves open.")
    missing_names: list[str] = Field(
        description="Names in the question that no passage has; the answer is then about something else."
    )
    probability: Score = Field(
        description="The probability that the answer answers all of the question, provided that its statements are "
        "true."
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
    verified_sources: list[str] = Field(description="The ids of the chunks.")
    unverified_claims: list[str]
    confidence: Score | None = Field(
        description="The probability that the sources support all of the answer and that it answers the question; "
        "every interface shows the same number. Null when nothing was claimed or nothing could be checked."
    )
    confidence_level: str | None = Field(
        description="`High`, `Medium`, `Low`, `Very Low`; `Uncalibrated` where no calibration applies and no model "
        "judged.",
        examples=["High"],
    )
    claims_score: Score | None = Field(
        description="The share of supported claims, less 0.1 for each unsupported claim, plus 0.1 when there is none; "
        "`/chat` calls this number confidence."
    )
    draft_claims_score: Score | None = Field(
        description="The `claims_score` of the draft; `confidence_threshold` is compared with this number."
    )
    calibration: CalibrationRead | None = Field(
        description="Null when nobody measured this verifier: the probability is then the model's own."
    )
    is_grounded: bool | None
    claims_checked: int
    claims_supported: int
    accuracy_rate: Score | None = Field(
        description="The share of accurate citations in the whole original answer; null when there is none, or none "
        "was checked."
    )
    suggested_corrections: list[str]
    question: QuestionVerdictRead | None = Field(
        description="The verdict on whether the answer answers its question; null for a refusal, or when that was not "
        "checked."
    )
    checks: dict[str, JsonValue] = Field(
        description="For each check: whether it ran, fell back, or did not run and why."
    )


class WholeScores(Scores):
    """The scores with further fields of a finished answer."""

    crag_attempts: int = Field(description="The number of corrective rounds.")
    attempts: int = Field(description="The same as `crag_attempts`.")
    additional_context_used: bool = Field(description="Whether a corrective round found more passages.")
    claims: list[ClaimRead] = Field(
        default=[], description="The claims that `claims_checked` counts; only with `show_claims`."
    )
    facts: list[FactRead] = Field(default=[], description="The key claims of the fact check, with `show_claims`.")


class VerificationRead(WholeScores):
    """The verification of the answer."""

    sentences: list[SentenceRead]


class UsageRead(BaseModel):
    """Sums over all model calls, failed ones included; replies reused from earlier calls are not counted."""

    llm_calls: int
    unknown_calls: int = Field(
        description="The calls in `llm_calls` whose process was killed; their tokens and cost are the most that they "
        "may have taken."
    )
    prompt_tokens: int
    cached_tokens: int = Field(
        description="The share of `prompt_tokens` that the provider's cache served, at its lower price."
    )
    completion_tokens: int
    cost_usd: float


class AuditHead(BaseModel):
    """The proof of the result: anyone who keeps the head can later tell whether any record was changed."""

    head: str = Field(description="The hash of the last record, in hexadecimal.")
    records: int


class StandingRead(BaseModel):
    """The validity of the answer, now that the documents it cites may have changed (docs/audit.md)."""

    state: Literal["valid", "stale", "invalidated"] = Field(
        description="`stale`: a cited document has a newer version. `invalidated`: the sources do not support the "
        "answer any more."
    )
    reason: str | None
    since: datetime | None = Field(
        description="When the state changed; null when nothing has happened since the answer."
    )
    verification: UUID | None = Field(description="The verification of the answer that was made because of the change.")


class ObjectValueRead(BaseModel):
    """The outcome of filling one place of the schema."""

    path: str = Field(description="The JSON Pointer of the place.", examples=["/items/0/name"])
    status: Literal["verified", "removed", "not_stated"]
    value: JsonValue = Field(description="The value; for a removed value, as the model wrote it.")
    reason: str | None = Field(description="Why the object does not have the value.")
    sentences: list[int] = Field(
        description="The positions in `verification.sentences` of the sentences that state the value."
    )
    citations: list[int] = Field(description="The numbers that these sentences cite.")


class ObjectRead(BaseModel):
    """The answer as an object that follows `answer_schema`, filled from its verified sentences."""

    value: dict[str, JsonValue] | None = Field(
        description="An object that is valid by the schema; null when it is withheld."
    )
    withheld: str | None = Field(description="Why there is no object.")
    values: list[ObjectValueRead] = Field(description="The values that were verified, removed, or not stated.")


class ReviewRead(BaseModel):
    """The review of an answer by a person: its reasons, and the decision."""

    state: ReviewState = Field(
        description="`queued`: the answer is shown and waits for a review. `held`: nobody sees the answer before the "
        "decision, which makes it `released`, `corrected` (the answer is the reviewer's, unchecked) or `rejected`."
    )
    reasons: list[Reason] = Field(default=[], description="The rules of the workspace that require the review.")
    note: str | None = Field(default=None, description="The reviewer's note.")
    decided_by: str | None = Field(default=None, description="The reviewer's name or pseudonym.")
    decided_at: datetime | None = Field(default=None, description="Null before the decision.")


class QueryRead(QueryHead):
    """A question with everything known about it so far."""

    request: dict[str, JsonValue] = Field(
        description="The requested options, as `POST /v1/queries` takes them, without `callback_url`; another question "
        "with these options is answered in the same way.",
        examples=[{"mode": "high", "retrieval": {"filter": {"metadata": {"year": 2025}}}}],
    )
    attached_texts: list[str] = Field(
        description="The names of the texts that came with the question, which are then its only sources; empty when "
        "the workspace is searched."
    )
    restated_question: str | None = Field(
        description="The question as the conversation implies it; null when it was understood as it was asked."
    )
    conversation_id: UUID | None = Field(description="The conversation that the question is a turn of, if any.")
    answer: str | None = Field(description="The answer after the checks; null until there is one.")
    original_answer: str | None = Field(
        description="The answer as the model wrote it, before anything was repaired or removed."
    )
    model: str | None = Field(description="The model that wrote it; null when nothing was written.")
    abstained: bool | None = Field(description="True when the documents do not answer the question.")
    abstain_reason: str | None
    references: list[str] = Field(examples=[["[1] refund-policy.pdf, p.2"]])
    citations: list[CitationRead]
    removed_citations: list[int] = Field(
        description="Numbers of the original answer that the answer does not cite any more."
    )
    edits: list[dict[str, JsonValue]] = Field(description="Every change from the original answer to the answer.")
    review: ReviewRead | None = Field(description="Null when no rule of the workspace asked for a review.")
    answer_object: ObjectRead | None = Field(
        description="Null when no `answer_schema` was asked for, and until there is an answer."
    )
    conflicts: list[ConflictRead] = Field(
        description="Disagreements: passages that say something else than those that the answer cites."
    )
    mentions: list[MentionRead] = Field(
        description="The passages that come closest, each once, at most three: beside a refusal; and, beside an answer "
        "without a model that may not be what was asked, those that it does not cite."
    )
    sources: list[SourceRead]
    verification: VerificationRead | None = Field(
        description="Null when verification is off, or when it broke (see the history)."
    )
    signal: SignalRead | None
    usage: UsageRead
    timings: dict[str, float | None] = Field(
        description="Milliseconds per stage; `total` is the time from acceptance to the end.",
        examples=[{"retrieve": 21.4, "generate": 912.0, "total": 2140.7}],
    )
    degraded: list[LeftOut] = Field(
        description="The steps that were left out because time or money ran short, a step broke its workers, or a "
        "model failed."
    )
    audit: AuditHead | None = Field(
        description="The head of the chain that proves the result later; null while there is none."
    )
    standing: StandingRead | None = Field(description="Null until the question has succeeded.")
