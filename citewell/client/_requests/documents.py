"""Requests about documents."""

import json
from collections.abc import Mapping
from typing import Any, BinaryIO

from citewell.client._calls import Call, Page, at, given, list_of, nothing_of, object_of, page_of, text_of
from citewell.wire import Accepted, Document


def upload(
    file: BinaryIO | bytes, *, filename: str, workspace: str, metadata: str | Mapping[str, Any], source: str
) -> Call[Accepted]:
    """Send a file as a form."""
    return Call("POST", at("documents"), object_of, body=form(file, filename, workspace, metadata, source))


def form(
    file: BinaryIO | bytes, filename: str, workspace: str, metadata: str | Mapping[str, Any], source: str
) -> dict[str, Any]:
    """The body of a call that sends a file."""
    told = metadata if isinstance(metadata, str) else json.dumps(dict(metadata))
    fields = {"workspace": workspace, "metadata": told, "source": source}
    return {"data": fields, "files": {"file": (filename, file)}}


def document(document_id: str) -> Call[Document]:
    """One document."""
    return Call("GET", at("documents", document_id), object_of)


def documents(filters: Mapping[str, Any], limit: int, cursor: str | None) -> Call[Page[Document]]:
    """One page of the newest documents."""
    return Call("GET", at("documents"), page_of("documents"), given(**filters, limit=limit, cursor=cursor))


def versions(document_id: str) -> Call[list[Document]]:
    """All that was accepted under the name of a document."""
    return Call("GET", at("documents", document_id, "versions"), list_of("documents"))


def document_text(document_id: str, start: int, end: int | None) -> Call[str]:
    """A part of the stored text."""
    return Call("GET", at("documents", document_id, "text"), text_of, given(start=start, end=end))


def delete_document(document_id: str, all_versions: bool) -> Call[None]:
    """Delete it, or all that was accepted under its name."""
    told = {"all_versions": True} if all_versions else {}
    return Call("DELETE", at("documents", document_id), nothing_of, told)
