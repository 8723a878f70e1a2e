"""What administrators set up: keys of the API, and webhook endpoints with their deliveries."""

from typing import Literal, NotRequired, TypedDict


class WebhookEndpoint(TypedDict):
    """`secret` is returned only when the endpoint is created."""

    id: str
    url: str
    events: list[str]
    description: str
    status: Literal["active", "disabled"]
    disabled_reason: str | None
    failing_since: str | None
    created_at: str
    secret: NotRequired[str]


class DeliveryAttempt(TypedDict):
    number: int
    time: str
    status_code: int | None
    error: str | None
    duration_ms: float
    response_excerpt: str | None


class Delivery(TypedDict):
    id: str
    message_id: str
    type: str
    webhook_id: str | None
    query_id: str | None
    url: str
    status: Literal["pending", "delivered", "failed", "cancelled"]
    error: str | None
    next_attempt_at: str | None
    created_at: str
    finished_at: str | None
    attempts: list[DeliveryAttempt]


class Key(TypedDict):
    """`key` is the whole key, returned only when it is created; `id` is its public part."""

    id: str
    tenant: str
    name: str
    scopes: list[str]
    workspaces: list[str] | None
    requests_per_minute: int | None
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None
    created_at: str
    key: NotRequired[str]
