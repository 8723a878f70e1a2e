"""The signal of an answer on the wire."""

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
