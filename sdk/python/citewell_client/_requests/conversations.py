"""Requests about conversations."""

from collections.abc import Mapping
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
    nothing_of,
    object_of,
    page_of,
    without_none,
)
from citewell_client.types import Conversation, Thread, Turn, TurnAccepted

_BASE = "conversations"
TurnsFormat = Literal["markdown", "text", "html", "pdf", "docx"]


def create(fields: Mapping[str, Any], idempotency_key: str | None) -> Call[Conversation]:
    return Call("POST", at(_BASE), object_of, headers=_keyed(idempotency_key), body=json_body(fields))


def begin(question: str, idempotency_key: str | None, options: Mapping[str, Any]) -> Call[TurnAccepted]:
    """Ask the first question. Without a key one is generated, so that a repeated request begins only one
    conversation."""
    body = json_body({"question": question, **options})
    return Call("POST", at(_BASE, "turns"), object_of, headers=_keyed(idempotency_key), body=body)


def branch(conversation_id: str, fields: Mapping[str, Any], idempotency_key: str | None) -> Call[Conversation]:
    path = at(_BASE, conversation_id, "branches")
    return Call("POST", path, object_of, headers=_keyed(idempotency_key), body=json_body(fields))


def threads(filters: Mapping[str, Any], limit: int, cursor: str | None) -> Call[Page[Thread]]:
    return Call("GET", at("threads"), page_of("threads"), without_none(**filters, limit=limit, cursor=cursor))


def listed(filters: Mapping[str, Any], limit: int, cursor: str | None) -> Call[Page[Conversation]]:
    return Call("GET", at(_BASE), page_of(_BASE), without_none(**filters, limit=limit, cursor=cursor))


def read(conversation_id: str) -> Call[Conversation]:
    return Call("GET", at(_BASE, conversation_id), object_of)


def rename(conversation_id: str, title: str | None) -> Call[Conversation]:
    path = at(_BASE, conversation_id)
    return Call("PATCH", path, object_of, headers=JSON_TYPE, body=json_body({"title": title}))


def delete(conversation_id: str) -> Call[None]:
    return Call("DELETE", at(_BASE, conversation_id), nothing_of)


def submit(
    conversation_id: str, question: str, idempotency_key: str | None, options: Mapping[str, Any]
) -> Call[TurnAccepted]:
    """Ask the next question. Without a key one is generated, so that a repeated request asks only once."""
    path, body = at(_BASE, conversation_id, "turns"), json_body({"question": question, **options})
    return Call("POST", path, object_of, headers=_keyed(idempotency_key), body=body)


def turns(conversation_id: str, set_aside: bool, limit: int, cursor: str | None) -> Call[Page[Turn]]:
    wanted = without_none(set_aside=set_aside or None, limit=limit, cursor=cursor)
    return Call("GET", at(_BASE, conversation_id, "turns"), page_of("turns"), wanted)


def export(conversation_id: str, format: TurnsFormat) -> Call[bytes]:
    return Call("GET", at(_BASE, conversation_id, "export"), bytes_of, {"format": format})


def _keyed(idempotency_key: str | None) -> dict[str, str]:
    return JSON_TYPE | {IDEMPOTENCY_KEY: idempotency_key or str(uuid4())}
