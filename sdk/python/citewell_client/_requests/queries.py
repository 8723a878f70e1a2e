"""Requests about questions."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import uuid4

from citewell_client._calls import (
    IDEMPOTENCY_KEY,
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
    without_none,
)
from citewell_client.types import Accepted, History, Quality, Query, QueryHead, QueryListed, Share, ShareCreated

ExportFormat = Literal["markdown", "text", "html", "csv", "pdf", "docx", "json"]


def submit(question: str, idempotency_key: str | None, options: Mapping[str, Any]) -> Call[Accepted]:
    """Ask a question. Without a key one is generated, so that a repeated request asks only once."""
    headers = JSON_TYPE | {IDEMPOTENCY_KEY: idempotency_key or str(uuid4())}
    return Call("POST", at("queries"), object_of, headers=headers, body=json_body({"question": question, **options}))


def query(query_id: str, wait: float) -> Call[Query]:
    """Read the query; the server waits up to `wait` seconds for its end."""
    return Call("GET", at("queries", query_id), object_of, {"wait": wait} if wait else {}, wait=wait)


def queries(filters: Mapping[str, Any], limit: int, cursor: str | None) -> Call[Page[QueryListed]]:
    return Call("GET", at("queries"), page_of("queries"), without_none(**filters, limit=limit, cursor=cursor))


def cancel(query_id: str) -> Call[QueryHead]:
    return Call("DELETE", at("queries", query_id), object_of)


def replay(query_id: str, idempotency_key: str | None) -> Call[Accepted]:
    headers = {IDEMPOTENCY_KEY: idempotency_key or str(uuid4())}
    return Call("POST", at("queries", query_id, "replay"), object_of, headers=headers)


def export(query_id: str, format: ExportFormat) -> Call[bytes]:
    return Call("GET", at("queries", query_id, "export"), bytes_of, {"format": format})


def share(query_id: str, hours: float) -> Call[ShareCreated]:
    return Call(
        "POST", at("queries", query_id, "share"), object_of, headers=JSON_TYPE, body=json_body({"hours": hours})
    )


def shares(query_id: str) -> Call[list[Share]]:
    return Call("GET", at("queries", query_id, "share"), list_of("shares"))


def revoke_share(query_id: str, share_id: str) -> Call[None]:
    return Call("DELETE", at("queries", query_id, "share", share_id), nothing_of)


def history(query_id: str) -> Call[History]:
    return Call("GET", at("queries", query_id, "verifications"), object_of)


def quality(workspace: str | None, limit: int, labels: Sequence[Mapping[str, Any]]) -> Call[Quality]:
    asked = without_none(workspace=workspace, limit=limit, labels=list(labels))
    return Call("POST", at("quality"), object_of, headers=JSON_TYPE, body=json_body(asked))
