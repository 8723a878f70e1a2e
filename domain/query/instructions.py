"""Wishes of a workspace about the form of its answers. Only prompts that write answers contain them, never those that
judge: no verdict depends on them.
"""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from citewell_verify.answers.refusals import REFUSALS

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
"""The same without any wish."""


def refusal_of(wishes: Instructions) -> str | None:
    return wishes.refusal or (REFUSALS[wishes.language] if wishes.language else None)
