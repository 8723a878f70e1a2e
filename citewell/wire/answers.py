"""The proof of an answer: citations, sentences, claims and scores."""

from typing import Any, Literal, NotRequired, TypedDict


class Calibration(TypedDict):
    """Measured quality of the verifier; servers of older versions send only the first two fields."""

    version: str
    ece: float
    false_pass: NotRequired[float | None]
    holds: NotRequired[bool]
    reason: NotRequired[str | None]


class Citation(TypedDict):
    number: int
    document_name: str
    page_number: int | None
    section: str | None
    text_span: str
    citation_type: str
    confidence_score: float
    status: Literal["accurate", "inaccurate", "uncertain"]
    explanation: str


class EvidenceLocation(TypedDict):
    document_name: str
    page_number: int | None
    section: str | None


class Sentence(TypedDict):
    text: str
    status: str
    reason: str
    evidence: str | None
    source: EvidenceLocation | None


class Claim(TypedDict):
    claim: str
    status: str
    evidence: str | None
    source: EvidenceLocation | None
    reasoning: str


class QuestionVerdict(TypedDict):
    relevant: Literal["yes", "partly", "no"]
    complete: bool
    open_parts: list[str]
    missing_names: list[str]
    probability: float
    reason: str


class Mention(TypedDict):
    document: str
    page: int | None
    quote: str


class Scores(TypedDict):
    """`confidence` is the probability that the answer is supported and answers the question (V9)."""

    overall_score: float | None
    answer_source_alignment: float | None
    citation_coverage: float | None
    fact_verification_score: float | None
    issues: list[str]
    confidence: float | None
    confidence_level: str | None
    claims_score: float | None
    draft_claims_score: float | None
    calibration: Calibration | None
    is_grounded: bool | None
    claims_checked: int
    claims_supported: int
    accuracy_rate: float | None
    question: QuestionVerdict | None
    checks: dict[str, Any]
    sentences: list[Sentence]


class Usage(TypedDict):
    llm_calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: float
