"""The signal of an answer: one word, colour, number and reason, the same wherever the answer is shown (V10).

It joins the verdicts of the sources on the answer (the states of its sentences) with whether it answers its question.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from citewell_verify.question.relevance import SURELY_ANSWERED
from citewell_verify.verdicts.states import UNPROVEN, SentenceStatus

Level = Literal["green", "amber", "red", "grey"]
Wording = Literal["quoted", "copied", "written"]
"""How the words of an answer came about. `quoted`: each sentence is one of its source. `copied`: put together from a
source without a model, such as a cell with its heads. `written`: a model or a person chose them."""
Word = Literal[
    "Supported",
    "Supported; may not be what you asked",
    "Supported; may not answer all of the question",
    "Probably supported",
    "Quoted exactly",
    "Quoted exactly; may not be what you asked",
    "Copied from the documents",
    "Copied from the documents; may not be what you asked",
    "Partly supported",
    "Not proven",
    "Not checked",
    "Nothing claimed",
    "Not answered",
]

GREEN_FROM: Final = SURELY_ANSWERED
"""A confidence from here on is green. It is the product of support and relevance, so neither of them is lower."""


@dataclass(frozen=True, slots=True)
class Signal:
    """The signal of an answer; `probability` is its confidence, None if a number would add nothing to the word."""

    word: Word
    level: Level
    reason: str
    probability: float | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def signal_of(
    states: Collection[str] | None,
    confidence: float | None,
    question: Mapping[str, Any] | None,
    *,
    is_asked: bool,
    is_measured: bool,
    wording: Wording,
    abstained: bool,
) -> Signal:
    """Return the signal of an answer whose sentences have these `states`; None for an answer that was not verified.

    `question` is the verdict on the answer's relevance (`citewell_verify.question.relevance`), None if nobody judged
    it. `is_measured` says whether `confidence` has a meaning: it was calibrated for such answers, or is a model's own.
    """
    if abstained:
        return _NOT_ANSWERED
    if states is None:
        return _UNVERIFIED
    claims = {state for state in states if state != SentenceStatus.NO_CLAIM}
    if not claims:
        return _NOTHING_CLAIMED
    if failing := claims & UNPROVEN:
        return _CONTRADICTED if SentenceStatus.CONTRADICTED in failing else _NOT_FOUND
    if SentenceStatus.NOT_CHECKED in claims:
        return _PARTLY_CHECKED if len(claims) > 1 else _UNVERIFIED
    number = confidence if is_measured else None
    is_sure = number is not None and number >= GREEN_FROM
    if SentenceStatus.PARTIAL in claims:
        return Signal("Partly supported", "amber", _PART, None if is_sure else number)
    relevant = question["relevant"] if question else None
    if is_sure and relevant in ("yes", None):
        if wording != "written":
            return Signal(_COPIED[wording], "green", _RIGHT, number)
        return Signal("Supported", "green", _ALL_ANSWERING if is_asked and relevant == "yes" else _ALL, number)
    return Signal(*_doubtful(wording, question, is_asked=is_asked), None if is_sure else number)


def signal_in(signal: Mapping[str, Any], *, korean: bool) -> dict[str, Any]:
    """Return a signal in the form of `as_json`, for a text in one language."""
    return {**signal, **{name: signal_text(signal[name], korean=korean) for name in ("word", "reason")}}


def signal_text(text: str, *, korean: bool) -> str:
    return KOREAN[text] if korean else text


def _doubtful(wording: Wording, question: Mapping[str, Any] | None, *, is_asked: bool) -> tuple[Word, Level, str]:
    if wording == "quoted":
        return "Quoted exactly; may not be what you asked", "amber", _UNREAD
    if wording == "copied":
        return "Copied from the documents; may not be what you asked", "amber", _UNREAD
    if question is None:
        return ("Supported; may not be what you asked", "amber", _UNSURE) if is_asked else _PROBABLY
    if question["relevant"] == "no":
        return "Supported; may not be what you asked", "amber", _ASIDE
    if question["relevant"] == "partly" and not question["complete"]:
        return "Supported; may not answer all of the question", "amber", _LEFT_OPEN
    if question["probability"] >= SURELY_ANSWERED:
        return _PROBABLY
    return "Supported; may not be what you asked", "amber", _UNSURE


_COPIED: Final[Mapping[Wording, Word]] = {"quoted": "Quoted exactly", "copied": "Copied from the documents"}
_ALL = "The sources say all of it."
_ALL_ANSWERING = "The sources say all of it, and it answers the question."
_RIGHT = "About 9 of 10 answers that share so much with their question were right."
_UNREAD = "Shared words alone cannot say whether it answers the question."
_UNSURE = "The sources say all of it; whether it answers the question is uncertain."
_ASIDE = "The sources say all of it, but it seems to be about something else."
_LEFT_OPEN = "The sources say all of it, but a part of the question may be left open."
_PART = "The sources say only a part of it."
_PROBABLY: Final[tuple[Word, Level, str]] = (
    "Probably supported",
    "amber",
    "The sources seem to say all of it, but the check is not sure.",
)
_CONTRADICTED = Signal("Not proven", "red", "The sources contradict some of it.")
_NOT_FOUND = Signal("Not proven", "red", "The sources do not say some of it.")
_UNVERIFIED = Signal("Not checked", "grey", "Nothing in this answer was checked against its sources.")
_PARTLY_CHECKED = Signal("Not checked", "grey", "Some of it could not be checked.")
_NOTHING_CLAIMED = Signal("Nothing claimed", "grey", "It says nothing that a source could prove.")
_NOT_ANSWERED = Signal("Not answered", "grey", "No answer was given, so nothing is claimed.")

NO_MODEL: Final = "No language model was asked: the sentences are copied from the documents."
"""Shown wherever an answer of the offline provider is shown or passed on."""

KOREAN: Final[Mapping[str, str]] = {
    "Supported": "근거 있음",
    "Supported; may not be what you asked": "근거 있음, 질문의 답이 아닐 수 있음",
    "Supported; may not answer all of the question": "근거 있음, 질문 일부의 답이 빠졌을 수 있음",
    "Probably supported": "근거가 있는 것으로 보임",
    "Quoted exactly": "원문 그대로 인용",
    "Quoted exactly; may not be what you asked": "원문 그대로 인용, 질문의 답이 아닐 수 있음",
    "Copied from the documents": "문서에서 옮김",
    "Copied from the documents; may not be what you asked": "문서에서 옮김, 질문의 답이 아닐 수 있음",
    "Partly supported": "일부만 근거 있음",
    "Not proven": "입증되지 않음",
    "Not checked": "확인 안 됨",
    "Nothing claimed": "주장 없음",
    "Not answered": "답 없음",
    NO_MODEL: "언어 모델에 묻지 않고 문서의 문장을 그대로 옮겼습니다.",
    _ALL: "출처에 모두 나오는 내용입니다.",
    _ALL_ANSWERING: "출처에 모두 나오는 내용이며, 질문의 답입니다.",
    _RIGHT: "질문과 이만큼 겹치는 답변은 열에 아홉쯤 맞았습니다.",
    _UNREAD: "겹치는 낱말만으로는 질문의 답인지 알 수 없습니다.",
    _UNSURE: "출처에 모두 나오는 내용이지만, 질문의 답인지는 확실하지 않습니다.",
    _ASIDE: "출처에 모두 나오는 내용이지만, 다른 것에 대한 내용으로 보입니다.",
    _LEFT_OPEN: "출처에 모두 나오는 내용이지만, 질문의 일부에는 답하지 않았을 수 있습니다.",
    _PART: "출처에는 일부만 나옵니다.",
    _PROBABLY[2]: "출처에 모두 나오는 것으로 보이지만, 확실하지 않습니다.",
    _CONTRADICTED.reason: "출처와 다른 내용이 있습니다.",
    _NOT_FOUND.reason: "출처에 없는 내용이 있습니다.",
    _UNVERIFIED.reason: "출처와 대조한 내용이 없습니다.",
    _PARTLY_CHECKED.reason: "일부는 확인하지 못했습니다.",
    _NOTHING_CLAIMED.reason: "출처로 입증할 주장이 없습니다.",
    _NOT_ANSWERED.reason: "답변하지 않았으므로 주장하는 내용이 없습니다.",
}
"""The words and reasons in Korean; `messages.ko.json` has the same for the page."""
