"""Requests about archives of documents."""

from collections.abc import Mapping
from typing import Any, BinaryIO

from citewell.client._calls import Call, Page, at, given, object_of, page_of
from citewell.client._requests.documents import form
from citewell.wire import Accepted, Import, ImportHead


def create(
    file: BinaryIO | bytes, *, filename: str, workspace: str, metadata: str | Mapping[str, Any], source: str
) -> Call[Accepted]:
    return Call("POST", at("imports"), object_of, body=form(file, filename, workspace, metadata, source))


def read(import_id: str) -> Call[Import]:
    return Call("GET", at("imports", import_id), object_of)


def listed(filters: Mapping[str, Any], limit: int, cursor: str | None) -> Call[Page[ImportHead]]:
    return Call("GET", at("imports"), page_of("imports"), given(**filters, limit=limit, cursor=cursor))
