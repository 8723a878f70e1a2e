"""Requests about documents."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from citewell_client._calls import (
    JSON_TYPE,
    Call,
    Page,
    at,
    bytes_of,
    json_body,
    list_of,
    nothing_of,
    object_of,
    page_of,
    text_of,
    without_none,
)
from citewell_client.types import (
    Accepted,
    Chunk,
    ChunkCorrected,
    ChunkList,
    Document,
    DocumentBlocks,
    DocumentEdit,
    PageBoxes,
    Passage,
    Reingestion,
    ReingestionAccepted,
    SearchExplained,
    SearchResult,
)


def upload(
    file: BinaryIO | bytes, *, filename: str, workspace: str, metadata: str | Mapping[str, Any], source: str
) -> Call[Accepted]:
    return Call("POST", at("documents"), object_of, body=form(file, filename, workspace, metadata, source))


def form(
    file: BinaryIO | bytes, filename: str, workspace: str, metadata: str | Mapping[str, Any], source: str
) -> dict[str, Any]:
    """Return the multipart form of an upload."""
    encoded = metadata if isinstance(metadata, str) else json.dumps(dict(metadata))
    fields = {"workspace": workspace, "metadata": encoded, "source": source}
    return {"data": fields, "files": {"file": (filename, file)}}


def document(document_id: str) -> Call[Document]:
    return Call("GET", at("documents", document_id), object_of)


def documents(filters: Mapping[str, Any], limit: int, cursor: str | None) -> Call[Page[Document]]:
    return Call("GET", at("documents"), page_of("documents"), without_none(**filters, limit=limit, cursor=cursor))


def reingest(wanted: Mapping[str, Any]) -> Call[ReingestionAccepted]:
    return Call("POST", at("reingestions"), object_of, headers=JSON_TYPE, body=json_body(wanted))


def reingestion(reingestion_id: str) -> Call[Reingestion]:
    return Call("GET", at("reingestions", reingestion_id), object_of)


def versions(document_id: str) -> Call[list[Document]]:
    return Call("GET", at("documents", document_id, "versions"), list_of("documents"))


def document_text(document_id: str, start: int, end: int | None) -> Call[str]:
    return Call("GET", at("documents", document_id, "text"), text_of, without_none(start=start, end=end))


def document_original(document_id: str) -> Call[bytes]:
    return Call("GET", at("documents", document_id, "original"), bytes_of)


def page_image(document_id: str, number: int, width: int) -> Call[bytes]:
    return Call("GET", at("documents", document_id, "pages", str(number), "image"), bytes_of, {"width": width})


def boxes(document_id: str, start: int, end: int | None) -> Call[list[PageBoxes]]:
    return Call("GET", at("documents", document_id, "boxes"), list_of("pages"), without_none(start=start, end=end))


def blocks(document_id: str) -> Call[DocumentBlocks]:
    return Call("GET", at("documents", document_id, "blocks"), object_of)


def passages(document_id: str, filters: Mapping[str, Any]) -> Call[list[Passage]]:
    return Call("GET", at("documents", document_id, "passages"), list_of("passages"), filters)


def search(query: str, workspace: str | Sequence[str], options: Mapping[str, Any]) -> Call[SearchResult]:
    body = json_body({"query": query, **_where(workspace), **options})
    return Call("POST", at("search"), object_of, headers=JSON_TYPE, body=body)


def explain_search(question: str, workspace: str | Sequence[str], options: Mapping[str, Any]) -> Call[SearchExplained]:
    body = json_body({"question": question, **_where(workspace), **options})
    return Call("POST", at("search", "explain"), object_of, headers=JSON_TYPE, body=body)


def _where(workspace: str | Sequence[str]) -> dict[str, Any]:
    return {"workspace": workspace} if isinstance(workspace, str) else {"workspaces": list(workspace)}


def chunks(document_id: str, filters: Mapping[str, Any]) -> Call[ChunkList]:
    return Call("GET", at("documents", document_id, "chunks"), object_of, filters)


def update_chunk(document_id: str, chunk_index: int, *, excluded: bool, reason: str | None) -> Call[Chunk]:
    body = json_body(without_none(excluded=excluded, reason=reason))
    return Call(
        "PATCH", at("documents", document_id, "chunks", str(chunk_index)), object_of, headers=JSON_TYPE, body=body
    )


def correct_chunk(document_id: str, chunk_index: int, text: str, reason: str | None) -> Call[ChunkCorrected]:
    path = at("documents", document_id, "chunks", str(chunk_index), "corrections")
    return Call("POST", path, object_of, headers=JSON_TYPE, body=json_body(without_none(text=text, reason=reason)))


def document_edits(document_id: str) -> Call[list[DocumentEdit]]:
    return Call("GET", at("documents", document_id, "edits"), list_of("edits"))


def retry_document(document_id: str) -> Call[Document]:
    return Call("POST", at("documents", document_id, "retry"), object_of)


def delete_document(document_id: str, all_versions: bool) -> Call[None]:
    params = {"all_versions": True} if all_versions else {}
    return Call("DELETE", at("documents", document_id), nothing_of, params)
