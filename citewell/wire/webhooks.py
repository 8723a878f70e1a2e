"""Receivers of webhooks, and what was delivered to them."""

from typing import NotRequired, TypedDict


class WebhookEndpoint(TypedDict):
    """`secret` is told once, when the endpoint is made."""

    id: str
    url: str
    events: list[str]
    status: str
    description: NotRequired[str]
    disabled_reason: NotRequired[str | None]
    secret: NotRequired[str]
    created_at: str


class Delivery(TypedDict):
    id: str
    message_id: str
    type: NotRequired[str]
    status: str
    attempts: object
    error: NotRequired[str | None]
    created_at: str
    finished_at: NotRequired[str | None]
