"""Settings of searching for, verifying and guarding answers; limits for requests that bring their own answer."""

from typing import Literal

from pydantic import AliasChoices, Field, SecretStr

from config import Group


class RetrievalSettings(Group):
    """`vector` is similarity alone (S1.1); `hybrid` fuses it with lexical search by reciprocal rank."""

    method: Literal["vector", "hybrid"] = Field(
        default="hybrid", description="Vectors alone (S1.1), or vectors and words fused by reciprocal rank"
    )
    k: int = Field(default=10, ge=1, le=100, description="Passages retrieved per search")
    # 0.3 was measured for the built-in model, which is small; vectors of any other model weigh as much as words.
    dense_weight: float | None = Field(
        default=None,
        ge=0,
        description="Weight of vectors relative to words (1); null: 0.3 for the built-in model, 1 for any other",
    )
    multi_query: int = Field(
        default=0, ge=0, le=5, description="Rewritten questions that are searched as well (S3.2); 0 and 1 mean none"
    )
    graph: Literal["naive", "local", "global", "hybrid", "mix"] = Field(
        default="naive", description="Part of the knowledge graph in the search (S5.1); `naive`: none"
    )


class AgenticSettings(Group):
    """Runs in which the model decides on the searches (S3.6)."""

    max_searches: int = Field(default=4, ge=1, le=8, description="Searches per question at most")


class CalibrationSettings(Group):
    """Turns a verifier's confidence into a probability (N8); `citewell evaluate` prints the values for the one
    in use.
    """

    version: str = Field(description="Name of the calibration")
    slope: float = Field(gt=0, description="Slope of the logistic function (Platt scaling)")
    offset: float = Field(description="Offset of the logistic function")
    ece: float = Field(ge=0, le=1, description="Expected calibration error, measured on data left out of the fit")
    high: float | None = Field(
        default=None,
        ge=0.9,
        le=1,
        description="Confidence from which on at least 9 of 10 answers were right (V9); null: no answer is called High",
    )
    false_pass: float | None = Field(
        default=None, ge=0, le=1, description="Share of unsupported statements called supported"
    )
    false_strip: float | None = Field(
        default=None, ge=0, le=1, description="Share of supported statements called unsupported"
    )
    languages: tuple[str, ...] = Field(default=(), description="Languages of the data, `en` or `ko`; empty: any")
    measured_on: str = Field(default="", description="Description of the data")


class VerificationSettings(Group):
    """Weights and thresholds of S1.5; confidence thresholds of S2.4 and S5.4."""

    enable: bool = Field(
        default=True,
        validation_alias=AliasChoices("enable", "enabled"),
        description="Verify answers; a request can override it",
    )
    weight_alignment: float = Field(default=0.4, ge=0, description="Weight in `overall_score`")
    weight_coverage: float = Field(default=0.3, ge=0, description="Weight in `overall_score`")
    weight_facts: float = Field(default=0.3, ge=0, description="Weight in `overall_score`")
    alignment_threshold: float = Field(default=0.5, ge=0, le=1, description="A lower score is reported as an issue")
    coverage_threshold: float = Field(default=0.5, ge=0, le=1, description="A lower score is reported as an issue")
    facts_threshold: float = Field(default=0.7, ge=0, le=1, description="A lower score is reported as an issue")
    citation_confidence: float = Field(default=0.7, ge=0, le=1, description="A verdict below it is `uncertain`")
    min_evidence_score: float = Field(
        default=0.2, ge=0, le=1, description="A passage with a lower score does not count as evidence"
    )
    span_min_chars: int = Field(default=50, ge=1, description="Shortest quoted span")
    span_max_chars: int = Field(default=200, ge=10, description="Longest quoted span")
    show_claims: bool = Field(default=False, description="List the claims of an answer in its result")
    confidence_threshold: float = Field(
        default=0.7, ge=0, le=1, description="A draft whose `claims_score` is lower starts a corrective round"
    )
    max_crag_attempts: int = Field(default=2, ge=0, le=5, description="Corrective rounds per question at most")
    repair: Literal["full", "citations"] = Field(
        default="full", description="Repair failing sentences, or only remove wrong citations"
    )
    refusal_language: Literal["question", "en"] = Field(
        default="question", description='Language of "I don\'t know": that of the question, or always English'
    )
    calibration: CalibrationSettings | None = Field(
        default=None, description="For a provider without a built-in calibration; `citewell evaluate` prints it"
    )


class VerifyingSettings(Group):
    """Verification of external answers (N2)."""

    max_sources: int = Field(default=100, ge=1, description="Sources per request")
    max_answer_chars: int = Field(default=100_000, ge=1, description="Longest answer")
    max_bytes: int = Field(default=20_000_000, ge=1, description="Largest request")
    batch_max_bytes: int = Field(default=50_000_000, ge=1, description="Largest batch file")
    batch_max_items: int = Field(default=10_000, ge=1, description="Items per batch")


class GuardSettings(Group):
    """Policies of the guard. A gateway's request may name other policies; the proxy's requests may not."""

    on_failure: Literal["repair", "block"] = Field(
        default="repair",
        description="What happens to a sentence that the sources do not support: it is corrected or left out, or no "
        "answer is delivered",
    )
    on_unchecked: Literal["block", "pass"] = Field(
        default="block", description="What happens to text whose check failed; `pass` lets it through unverified"
    )
    without_sources: Literal["block", "pass"] = Field(
        default="block", description="What happens to an answer when its request brought no sources"
    )
    source_tools: tuple[str, ...] = Field(
        default=(), description="The tools whose results count as sources; none named: all"
    )
    attached_texts: bool = Field(
        default=False,
        description="Texts that chat programs put between marks into messages of users and systems count as sources: "
        "for programs whose users may decide the basis of an answer",
    )
    wait_s: float = Field(default=30.0, gt=0, le=60, description="Time limit of one check, which then has failed")
    keep_s: int = Field(
        default=900, ge=1, description="How long the sources of a gateway's request are stored for its answer"
    )
    upstream_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/@?#]+(/[^\s?#]*)?$",
        description="Server of the model that the proxy `/v1/guard` asks, without `/chat/completions`; null: no proxy",
    )
    upstream_key: SecretStr | None = Field(default=None, description="Bearer token for that server")
    upstream_silence_s: float = Field(default=60.0, gt=0, description="How long that server may send nothing")
