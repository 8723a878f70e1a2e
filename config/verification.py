"""Settings of verification, and limits for requests that bring their own answer."""

from typing import Literal

from pydantic import AliasChoices, Field

from config.group import Group


class CalibrationSettings(Group):
    """Turns a verifier's confidence into a probability (N8); `citewell evaluate` prints the values for the one
    in use.
    """

    version: str
    slope: float = Field(gt=0)
    offset: float
    ece: float = Field(ge=0, le=1)
    high: float | None = Field(
        default=None, ge=0.9, le=1, description="from here on at least 9 of 10 were right (V9); without it none is High"
    )
    false_pass: float | None = Field(default=None, ge=0, le=1, description="unsupported statements taken for supported")
    false_strip: float | None = Field(default=None, ge=0, le=1, description="supported ones taken for unsupported")
    languages: tuple[str, ...] = Field(default=(), description="of the data, en or ko; empty: of any")
    measured_on: str = ""


class VerificationSettings(Group):
    """Weights and thresholds of S1.5; confidence thresholds of S2.4 and S5.4."""

    enable: bool = Field(default=True, validation_alias=AliasChoices("enable", "enabled"))
    weight_alignment: float = Field(default=0.4, ge=0)
    weight_coverage: float = Field(default=0.3, ge=0)
    weight_facts: float = Field(default=0.3, ge=0)
    alignment_threshold: float = Field(default=0.5, ge=0, le=1)
    coverage_threshold: float = Field(default=0.5, ge=0, le=1)
    facts_threshold: float = Field(default=0.7, ge=0, le=1)
    citation_confidence: float = Field(default=0.7, ge=0, le=1)
    min_evidence_score: float = Field(default=0.2, ge=0, le=1, description="a chunk scored lower is not evidence")
    span_min_chars: int = Field(default=50, ge=1)
    span_max_chars: int = Field(default=200, ge=10)
    batch: int = Field(default=4, ge=1, description="statements per task; every one has a model call of its own")
    show_claims: bool = False
    confidence_threshold: float = Field(
        default=0.7, ge=0, le=1, description="of the claims: a draft below it is corrected"
    )
    max_crag_attempts: int = Field(default=2, ge=0, le=5, description="corrective rounds per question, at most")
    repair: Literal["full", "citations"] = "full"
    refusal_language: Literal["question", "en"] = Field(
        default="question", description='"I don\'t know" in the language of the question, or always in English'
    )
    calibration: CalibrationSettings | None = None


class VerifyingSettings(Group):
    """Verification of external answers (N2)."""

    max_sources: int = Field(default=100, ge=1)
    max_answer_chars: int = Field(default=100_000, ge=1)
    max_bytes: int = Field(default=20_000_000, ge=1, description="of one request")
    batch_max_bytes: int = Field(default=50_000_000, ge=1, description="of one file of a batch")
    batch_max_items: int = Field(default=10_000, ge=1)
    batch_in_flight: int = Field(default=8, ge=1, description="items of one batch that run at a time")
