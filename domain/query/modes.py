"""The modes, which set how strict an answer must be (S3.5), with the evidence gate and the refusal "I don't know"."""

from dataclasses import dataclass
from enum import StrEnum

from citewell_verify.answers.refusals import IDK, IDK_KOREAN, is_idk, refusal_for
from citewell_verify.text.languages import KOREAN, language_of
from domain.errors import ModeUnknown

__all__ = [
    "IDK",
    "IDK_KOREAN",
    "GateDecision",
    "Mode",
    "ModeRules",
    "evidence_gate",
    "idk_for",
    "is_idk",
    "is_korean",
    "parse_mode",
    "rules_of",
]


class Mode(StrEnum):
    """Values of `mode` and `inference_mode` in requests."""

    LOW = "low"
    BALANCED = "balanced"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class ModeRules:
    """Row S3.5: the chunks that are enough evidence, whether answerability is checked, `k` of a second retrieval.

    `gates`: with fewer than `min_chunks` the mode refuses before anything is generated.
    """

    min_chunks: int
    verify_answer: bool
    second_pass_k: int
    gates: bool


_RULES = {
    Mode.LOW: ModeRules(min_chunks=1, verify_answer=False, second_pass_k=5, gates=False),
    Mode.BALANCED: ModeRules(min_chunks=2, verify_answer=True, second_pass_k=8, gates=False),
    Mode.HIGH: ModeRules(min_chunks=3, verify_answer=True, second_pass_k=10, gates=True),
}


@dataclass(frozen=True, slots=True)
class GateDecision:
    """`refuse`: answer `IDK` without generating. `reason` is for users; thin evidence that is accepted has one, too.

    It is empty when there is enough evidence.
    """

    refuse: bool
    reason: str


def parse_mode(value: str | None) -> Mode:
    """Return the mode named `value`, in any case; balanced for None. Raises ModeUnknown."""
    if value is None:
        return Mode.BALANCED
    try:
        return Mode(value.strip().lower())
    except ValueError:
        raise ModeUnknown from None


def rules_of(mode: Mode) -> ModeRules:
    return _RULES[mode]


def evidence_gate(mode: Mode, evidence_count: int) -> GateDecision:
    """Decide whether `evidence_count` chunks are enough to answer from.

    Mode `high` refuses below its minimum (S3.5). No mode answers from nothing (S2.6).
    """
    rules = rules_of(mode)
    if evidence_count == 0:
        return GateDecision(refuse=True, reason="No passage was found that is close enough to the question.")
    if evidence_count >= rules.min_chunks:
        return GateDecision(refuse=False, reason="")
    counted = f"Only {evidence_count} relevant passage{'s' if evidence_count > 1 else ''} found"
    return GateDecision(refuse=rules.gates, reason=f"{counted}; mode {mode} asks for {rules.min_chunks}.")


def is_korean(question: str) -> bool:
    return language_of(question) == KOREAN


def idk_for(question: str, beside: str = "") -> str:
    """Return the refusal that a model is told to answer with, in the question's language (S5.3)."""
    return refusal_for(question, beside=beside)
