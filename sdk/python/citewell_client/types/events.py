"""The event stream of a question; `id` numbers the events and allows a stream to be resumed."""

from typing import Any, Literal, NotRequired, TypedDict

from citewell_client.types.shapes import Query

ENDS = frozenset({"final", "failed", "cancelled", "held"})


class StageData(TypedDict):
    stage: str


class DraftData(TypedDict):
    start: int
    text: str


class FinalData(TypedDict):
    """`review` is a reviewer's decision on an answer that was held back: `released` or `corrected`."""

    query: Query
    abstained: NotRequired[bool | None]
    review: NotRequired[Literal["released", "corrected"]]


class HeldData(TypedDict):
    """The reasons why a person has to see the answer first; `query` does not contain the answer."""

    reasons: list[Literal["confidence", "contradicted", "conflicts", "unread"]]
    query: Query


class FailedData(TypedDict):
    reason: str
    query: NotRequired[Query]
    review: NotRequired[Literal["rejected"]]


class StageEvent(TypedDict):
    id: int | None
    type: Literal["stage"]
    data: StageData


class DraftEvent(TypedDict):
    """The draft so far becomes `draft[:start] + text`; no part of it is checked yet."""

    id: int | None
    type: Literal["draft"]
    data: DraftData


class CheckEvent(TypedDict):
    """The result of a check, or of the repair of a sentence that failed it."""

    id: int | None
    type: Literal[
        "citation.checked",
        "sentence.verified",
        "sentence.failed",
        "sentence.checked",
        "sentence.repaired",
        "sentence.removed",
        "sentence.kept",
    ]
    data: dict[str, Any]


class PassedSentence(TypedDict):
    """A sentence that passed its check: as the model wrote it, with `citations`, or after a repair: `how`, `reason`,
    and the original `statement`.

    `sentence` is its position in the draft, from 0. A higher `round` begins the answer anew.
    """

    round: int
    sentence: int
    text: str
    citations: NotRequired[list[dict[str, Any]]]
    how: NotRequired[str]
    statement: NotRequired[str]
    reason: NotRequired[str]


class FinalEvent(TypedDict):
    id: int | None
    type: Literal["final"]
    data: FinalData


class HeldEvent(TypedDict):
    """The last event before a reviewer decides; a client that asks again gets a `final` or `failed` event after the
    decision."""

    id: int | None
    type: Literal["held"]
    data: HeldData


class FailedEvent(TypedDict):
    id: int | None
    type: Literal["failed"]
    data: FailedData


class CancelledEvent(TypedDict):
    id: int | None
    type: Literal["cancelled"]
    data: dict[str, Any]


class OtherEvent(TypedDict):
    """An event of a type that this version does not know."""

    id: int | None
    type: str
    data: dict[str, Any]


StreamEvent = StageEvent | DraftEvent | CheckEvent | FinalEvent | HeldEvent | FailedEvent | CancelledEvent | OtherEvent
