"""Shapes that several subjects share."""

from typing import Any, NotRequired, TypedDict

Metadata = dict[str, Any]
FINAL = frozenset({"succeeded", "failed", "cancelled"})


class Failure(TypedDict):
    code: str
    message: str


class LeftOut(TypedDict):
    """A step that was left out, in whole or in part."""

    step: str
    reason: str


class Accepted(TypedDict):
    id: str
    status: str
    created: NotRequired[bool]
    same_as: NotRequired[str | None]
