"""Shapes that a program wants to read or write in another form than the API describes them."""

from typing import Any, NotRequired, TypedDict

Metadata = dict[str, Any]
FINAL = frozenset({"succeeded", "failed", "cancelled", "held"})


class Accepted(TypedDict):
    """The response to a new document, archive or question, which is stored and waits for workers."""

    id: str
    status: str
    created: NotRequired[bool]
    same_as: NotRequired[str | None]


class SourceText(TypedDict):
    """A source that comes with the request; `pages` are [number, start, end] of each page of the text."""

    text: str
    id: NotRequired[str]
    title: NotRequired[str]
    url: NotRequired[str]
    metadata: NotRequired[Metadata]
    pages: NotRequired[list[list[int]]]


class SourceDocument(TypedDict):
    """A source that was uploaded before."""

    document_id: str
    id: NotRequired[str]


Source = SourceText | SourceDocument
