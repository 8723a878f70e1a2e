"""The rules of a workspace for all of its answers: their form, and which of them go to a person first.

Only prompts that write answers contain the wishes about form, never prompts that judge: no verdict depends on them.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from citewell_verify.answers.refusals import REFUSALS
from citewell_verify.verdicts.states import SentenceStatus

AnswerLanguage = Literal["en", "ko", "de", "fr", "es", "it", "pt", "nl", "ru", "ar", "ja", "zh"]
"""The languages that a refusal can be in, too."""

_NAMES: dict[str, str] = {
    "en": "English",
    "ko": "Korean",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "ru": "Russian",
    "ar": "Arabic",
    "ja": "Japanese",
    "zh": "Chinese",
}
MAX_TERMS = 50


Reason = Literal["confidence", "contradicted", "conflicts", "unread"]
Decision = Literal["release", "correct", "reject"]
STATE_AFTER: Mapping[Decision, str] = {"release": "released", "correct": "corrected", "reject": "rejected"}
"""The state of a held answer after each decision, as `Query.review` has it; `held` and `queued` are the states
before.
"""
HELD_KOREAN = "사람이 검토한 뒤에 볼 수 있는 답변입니다. 결정된 때는 질문의 상태로 알 수 있습니다."
"""The message of `AnswerHeld` for people who asked in Korean."""
_Address = Annotated[str, Field(pattern=r"^[^@\s<>,;:\"]+@[^@\s<>,;:\"]+$", max_length=254)]


def storable(text: str) -> str:
    """Return `text` unchanged. Raises ValueError if Postgres could not store it."""
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("contains a NUL character or half of a surrogate pair, which no document can have")
    return text


def _line(text: str) -> str:
    return " ".join(storable(text).split())


Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300), AfterValidator(_line)]
Term = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), AfterValidator(_line)]


class Instructions(BaseModel):
    """How answers are to be written; what is left out is not asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: AnswerLanguage | None = Field(
        default=None, description="The language of answers and refusals; null: that of the question."
    )
    tone: Line | None = Field(default=None, description="How answers sound.", examples=["formal, addressing customers"])
    length: Line | None = Field(default=None, description="How long they are.", examples=["at most three sentences"])
    glossary: dict[Term, Line] = Field(
        default={},
        max_length=MAX_TERMS,
        description="Terms of these people and what they mean by them. The model is told; it is no source.",
        examples=[{"PTO": "paid time off, the days of leave of an employee"}],
    )
    refusal: Line | None = Field(
        default=None,
        description='What is said in place of "I don\'t know based on the documents."',
        examples=["Please ask the help desk, extension 100."],
    )


def style_of(wishes: Instructions) -> str:
    language = _NAMES[wishes.language] if wishes.language else "the language of the question"
    brevity = "" if wishes.length else ", as briefly as the question allows"
    lines = [f"Answer in {language}, in plain sentences{brevity}."]
    if form := [f"- {name}: {wish}" for name, wish in (("Tone", wishes.tone), ("Length", wishes.length)) if wish]:
        lines += ["", "Wishes about the form of the answer; every rule above comes before them:", *form]
    if wishes.glossary:
        meant = (
            "Terms as these people use them. They explain words; they are no source, and nothing is cited from them:"
        )
        lines += ["", meant, *(f"- {term}: {meaning}" for term, meaning in wishes.glossary.items())]
    return "\n".join(lines)


PLAIN = style_of(Instructions())
"""The style text of instructions without any wish."""


def refusal_of(wishes: Instructions) -> str | None:
    return wishes.refusal or (REFUSALS[wishes.language] if wishes.language else None)


class ReviewRules(BaseModel):
    """Which answers of a workspace a person has to see. Requests cannot change them."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    confidence_below: float | None = Field(
        default=None, ge=0.01, le=1, description="Those with less confidence, or none; null: whatever it is."
    )
    contradicted: bool = Field(default=False, description="Those with a sentence that its sources contradict.")
    conflicts: bool = Field(default=False, description="Those that other documents disagree with.")
    unread: bool = Field(
        default=False,
        description="Those with a sentence that could not be checked, or given before all documents were read.",
    )
    hold: bool = Field(
        default=False, description="Nobody sees such an answer before it was released; drafts are never shown."
    )
    email: tuple[_Address, ...] = Field(
        default=(), max_length=20, description="Who is told by e-mail; needs the setting `mail.host`."
    )

    @property
    def any(self) -> bool:
        return self.confidence_below is not None or self.contradicted or self.conflicts or self.unread

    @property
    def holds(self) -> bool:
        return self.hold and self.any


def strictest(rules: Iterable[ReviewRules]) -> ReviewRules:
    """The rules of a question over several workspaces: each condition that any of the workspaces sets applies."""
    every = list(rules)
    limits = [rule.confidence_below for rule in every if rule.confidence_below is not None]
    return ReviewRules(
        confidence_below=max(limits, default=None),
        contradicted=any(rule.contradicted for rule in every),
        conflicts=any(rule.conflicts for rule in every),
        unread=any(rule.unread for rule in every),
        hold=any(rule.holds for rule in every),
        email=tuple(dict.fromkeys(address for rule in every for address in rule.email)),
    )


def reasons_for_review(
    rules: ReviewRules, *, confidence: float | None, states: Collection[str] | None, conflicts: bool, unread: bool
) -> list[Reason]:
    """The reasons why a person has to see an answer; empty if nobody has to. `states` are those of its sentences, None
    if nothing was judged.

    An answer that was not judged has no confidence, which is less than any limit; it counts as contradicted and unread.
    """
    unjudged = states is None or set(states) == {SentenceStatus.NOT_CHECKED}
    states = states or ()
    limit = rules.confidence_below
    fulfilled: dict[Reason, bool] = {
        "confidence": limit is not None and (confidence is None or confidence < limit),
        "contradicted": rules.contradicted and (unjudged or SentenceStatus.CONTRADICTED in states),
        "conflicts": rules.conflicts and conflicts,
        "unread": rules.unread and (unread or unjudged or SentenceStatus.NOT_CHECKED in states),
    }
    return [reason for reason, holds in fulfilled.items() if holds]


def is_withheld(options: Mapping[str, Any], status: str, review: str | None) -> bool:
    """True if only reviewers may see the texts that were written for a question: until its answer has passed, and after
    the answer was rejected or replaced."""
    holds = ReviewRules.model_validate(options.get("review") or {}, extra="ignore").holds
    return holds and (status != "succeeded" or review == STATE_AFTER["correct"])
