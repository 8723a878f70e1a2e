"""Requests about webhook endpoints."""

from collections.abc import Mapping, Sequence
from typing import Any

from citewell.client._calls import JSON_TYPE, Call, Page, at, given, json_body, list_of, nothing_of, object_of, page_of
from citewell.wire import Delivery, WebhookEndpoint


def create(url: str, events: Sequence[str], options: Mapping[str, Any]) -> Call[WebhookEndpoint]:
    fields = given(url=url, events=list(events), **options)
    return Call("POST", at("webhooks"), object_of, headers=JSON_TYPE, body=json_body(fields))


def listed() -> Call[list[WebhookEndpoint]]:
    return Call("GET", at("webhooks"), list_of("webhooks"))


def read(endpoint_id: str) -> Call[WebhookEndpoint]:
    return Call("GET", at("webhooks", endpoint_id), object_of)


def update(endpoint_id: str, fields: Mapping[str, Any]) -> Call[WebhookEndpoint]:
    return Call("PATCH", at("webhooks", endpoint_id), object_of, headers=JSON_TYPE, body=json_body(fields))


def delete(endpoint_id: str) -> Call[None]:
    return Call("DELETE", at("webhooks", endpoint_id), nothing_of)


def deliveries(endpoint_id: str, limit: int, cursor: str | None) -> Call[Page[Delivery]]:
    path = at("webhooks", endpoint_id, "deliveries")
    return Call("GET", path, page_of("deliveries"), given(limit=limit, cursor=cursor))


def replay(delivery_id: str) -> Call[Delivery]:
    return Call("POST", at("deliveries", delivery_id, "replay"), object_of)
