"""Requests about documents."""

import json
from collections.abc import Mapping
from typing import Any, BinaryIO

from citewell.client._calls import Call, at, given, list_of, nothing_of, object_of, text_of
from citewell.wire import Accepted, Document


def upload(
    file: BinaryIO | bytes, *, filename: str, workspace: str, metadata: str | Mapping[str, Any], source: str
) -> Call[Accepted]:
    """Send a file as a form."""
    told = metadata if isinstance(metadata, str) else json.dumps(dict(metadata))
    fields = {"workspace": workspace, "metadata": told, "source": source}
    return Call("POST", at("documents"), object_of, body={"data": fields, "files": {"file": (filename, file)}})


def document(document_id: str) -> Call[Document]:
    """One document."""
    return Call("GET", at("documents", document_id), object_of)


def documents(workspace: str | None, limit: int | None) -> Call[list[Document]]:
    """The newest documents."""
    return Call("GET", at("documents"), list_of("documents"), given(workspace=workspace, limit=limit))


def document_text(document_id: str, start: int, end: int | None) -> Call[str]:
    """A part of the stored text."""
    return Call("GET", at("documents", document_id, "text"), text_of, given(start=start, end=end))


def delete_document(document_id: str) -> Call[None]:
    """Delete it."""
    return Call("DELETE", at("documents", document_id), nothing_of)
