"""How strict an answer has to be: the modes (S3.5), the evidence gate, and the sentence that says "I don't know"."""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from domain.errors import ModeUnknown
from domain.plain import plain_text

IDK = "I don't know based on the documents."
"""What an answer is replaced by when the documents do not support one (S3.4)."""

IDK_KOREAN = "해당 정보는 제공된 출처에서 확인되지 않습니다"
"""S5's own sentence for the same; what is published is always `IDK`, so that programs need to know one."""

_HANGUL = re.compile("[가-힣]")
_IDK = re.compile(
    r"i (?:do not|don t|dont) know(?: based on(?: the)?(?: provided| given| available)? (?:documents?|sources?))?"
    r"|(?:해당 )?정보는 (?:제공된 )?(?:출처|문서)에서 (?:확인되지 않습니다|확인할 수 없습니다)"
)


class Mode(StrEnum):
    """Values of `mode` and `inference_mode` in requests."""

    LOW = "low"
    BALANCED = "balanced"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class ModeRules:
    """Row S3.5: chunks that count as enough evidence, whether answerability is checked, `k` of a second retrieval.

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
    """`refuse`: answer `IDK` without generating. `reason` is for users; it is also given for thin evidence let through.

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
    """Return the rules of `mode`."""
    return _RULES[mode]


def evidence_gate(mode: Mode, evidence_count: int) -> GateDecision:
    """Decide whether `evidence_count` chunks are enough to answer from.

    Mode `high` refuses below its minimum (S3.5). No mode answers from nothing (S2.6).
    """
    rules = rules_of(mode)
    if evidence_count == 0:
        return GateDecision(refuse=True, reason="No passage of the documents is relevant to the question.")
    if evidence_count >= rules.min_chunks:
        return GateDecision(refuse=False, reason="")
    found = f"Only {evidence_count} relevant passage{'s' if evidence_count > 1 else ''} found"
    return GateDecision(refuse=rules.gates, reason=f"{found}; mode {mode} asks for {rules.min_chunks}.")


def is_korean(question: str) -> bool:
    """Say whether `question` is to be answered in Korean; in English otherwise."""
    return _HANGUL.search(question) is not None


def idk_for(question: str) -> str:
    """Return the refusal that a model is told to answer with, in the question's language (S5.3)."""
    return IDK_KOREAN if is_korean(question) else IDK


def is_idk(answer: str) -> bool:
    """Say whether the whole of `answer` is the refusal, in English or as S5 words it in Korean.

    Case, punctuation, quotes, white space and citation markers do not matter; anything said besides does.
    """
    text = unicodedata.normalize("NFKC", plain_text(answer).text).casefold()
    return bool(_IDK.fullmatch(" ".join(re.findall(r"\w+", text))))
