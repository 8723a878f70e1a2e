"""What stands beside an answer on the wire: its signal, the closest passages, where documents disagree."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from domain.quality.signal import Level, Word


class SignalRead(BaseModel):
    """What the checks mean for a reader: one word, one colour, one number and one sentence that agree."""

    word: Word = Field(
        description="What the sources say of the answer, joined with whether it answers the question. An answer that "
        "was copied without a model is at best `Quoted exactly`."
    )
    level: Level = Field(
        description="Its colour. `green`: all of it is supported, and about 9 of 10 such answers answer their "
        "question. `amber`: doubtful. `red`: the sources do not say some of it. `grey`: nothing is claimed or known."
    )
    reason: str = Field(description="The same in a sentence.", examples=["The sources say only a part of it."])
    probability: float | None = Field(
        description="The `verification.confidence`; null where it would say nothing beside the word, because nothing "
        "is claimed or proven, or because nobody measured how often such answers are right."
    )


class MentionRead(BaseModel):
    """Words of a passage that comes close to what was asked."""

    document: str
    document_id: UUID
    page: int | None = Field(description="Null where the page is not known; never guessed.")
    section: str | None = Field(description="The heading above it; null where there is none.")
    chunk_id: str
    source_start: int = Field(description="Where the words begin in the document, in code points.")
    source_end: int = Field(description="Where they end; one past the last.")
    quote: str = Field(description="In one line; a row of a table or a caption may be the nearest.")


class ConflictPlaceRead(MentionRead):
    """One side of a disagreement: what a document says of it, and where."""

    value: str = Field(
        description="The value; the whole statement where one denies what the other says.",
        examples=["EUR 0.42"],
    )
    quote: str = Field(description="The sentence or row with the value, in one line.")
    date: str | None = Field(
        description="The document's date as far as it states one: a year, a month or a day. Null where it does not.",
        examples=["2024-06-01", "2024"],
    )


class ConflictRead(BaseModel):
    """Two documents that were found for the question give one thing two values."""

    statement: str = Field(description="The sentence of the answer.")
    stated: ConflictPlaceRead = Field(description="What the answer rests on.")
    other: ConflictPlaceRead = Field(description="What another document says.")
    in_force: Literal["stated", "other"] | None = Field(
        description="The side whose document replaces the other, where one of them says so; null where none does."
    )
