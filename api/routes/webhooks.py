"""Webhooks: receivers, and the deliveries to them."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response

from api.http.accepted_requests import require_json
from api.http.paging import After, next_cursor
from api.schemas.operations.webhooks import (
    CallbackSecret,
    DeliveryList,
    DeliveryPage,
    DeliveryRead,
    DeliveryState,
    DeliveryWhole,
    RangeReplay,
    RangeReplayed,
    SecretRotate,
    WebhookChange,
    WebhookCreate,
    WebhookList,
    WebhookRead,
    WebhookSecretRead,
)
from config.settings import settings
from domain.webhooks.delivery import EventType
from services.webhooks import endpoints
from services.webhooks.endpoints import EndpointChange, NewEndpoint
from workers.starting.launch import launch_delivery, launcher

router = APIRouter(prefix="/v1", tags=["webhooks"])

_JSON = [Depends(require_json)]


@router.post("/webhooks", name="create_webhook", status_code=201, response_model=WebhookSecretRead, dependencies=_JSON)
def add_webhook(webhook: WebhookCreate, response: Response) -> object:
    """Register a receiver. Only this response shows its secret."""
    new = NewEndpoint(webhook.url, webhook.events, webhook.description, webhook.secret)
    added = endpoints.register(new, settings().webhooks)
    response.headers["Location"] = f"{router.prefix}/webhooks/{added['id']}"
    return added


@router.get("/webhooks", response_model=WebhookList)
def list_webhooks() -> object:
    """All registered receivers, newest first."""
    return {"webhooks": endpoints.read_endpoints(), "event_types": list(EventType)}


# Declared before the routes with an id in the same place, which would take the word for an id.
@router.get("/webhooks/callback-secret", response_model=CallbackSecret)
def get_callback_secret() -> object:
    """The secret that signs messages to the `callback_url` of requests."""
    return {"secret": endpoints.read_callback_secret()}


@router.post("/webhooks/callback-secret/rotate", response_model=CallbackSecret)
def rotate_callback_secret() -> object:
    """Replace that secret at once; waiting messages are signed with the new one."""
    return {"secret": endpoints.rotate_callback_secret()}


@router.get("/webhooks/{webhook_id}", response_model=WebhookRead)
def get_webhook(webhook_id: UUID) -> object:
    """One receiver, and whether deliveries to it succeed."""
    return endpoints.read_endpoint(webhook_id)


@router.patch("/webhooks/{webhook_id}", name="update_webhook", response_model=WebhookRead, dependencies=_JSON)
def change_webhook(webhook_id: UUID, webhook: WebhookChange) -> object:
    """Change a receiver, disable it or enable it again."""
    change = EndpointChange(webhook.url, webhook.events, webhook.description, webhook.status)
    return endpoints.change(webhook_id, change, settings().webhooks)


@router.delete("/webhooks/{webhook_id}", status_code=204)
def delete_webhook(webhook_id: UUID) -> None:
    """Delete a receiver and the record of its deliveries. It receives no more messages."""
    endpoints.remove(webhook_id)


@router.post("/webhooks/{webhook_id}/rotate-secret", name="rotate_webhook_secret", response_model=WebhookSecretRead)
def rotate_secret(webhook_id: UUID, rotation: SecretRotate | None = None) -> object:
    """Create a new secret. The previous one also signs until the next rotation."""
    return endpoints.rotate_secret(webhook_id, rotation.secret if rotation else None)


@router.post("/webhooks/{webhook_id}/test", status_code=202, response_model=DeliveryRead)
def test_webhook(webhook_id: UUID) -> object:
    """Send a message of type `webhook.test` now, regardless of the filters; its delivery shows the result."""
    delivery = endpoints.write_test(webhook_id)
    launcher().hint(launch_delivery, UUID(delivery["id"]))
    return delivery


@router.get("/webhooks/{webhook_id}/deliveries", name="list_webhook_deliveries", response_model=DeliveryPage)
def list_deliveries(
    webhook_id: UUID,
    after: After,
    status: Annotated[DeliveryState | None, Query(description="Only deliveries in this state.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> object:
    """The messages to a receiver, with every attempt, newest first."""
    deliveries = endpoints.read_deliveries(webhook_id, status, after=after, limit=limit)
    return {"deliveries": deliveries, "next_cursor": next_cursor(deliveries, limit)}


@router.post(
    "/webhooks/{webhook_id}/replay",
    name="replay_webhook_deliveries",
    status_code=202,
    response_model=RangeReplayed,
    dependencies=_JSON,
)
def replay_range(webhook_id: UUID, asked: RangeReplay) -> object:
    """Deliver the messages of a range of time once more, for example after the receiver was down."""
    new = endpoints.replay_range(webhook_id, asked.since, asked.until, asked.status)
    return {"replayed": len(new)}


@router.get("/queries/{query_id}/deliveries", response_model=DeliveryList)
def list_query_deliveries(query_id: UUID) -> object:
    """The receivers notified of a question's end, with every attempt, newest first."""
    return {"deliveries": endpoints.read_query_deliveries(query_id)}


@router.get("/deliveries/{delivery_id}", response_model=DeliveryWhole)
def get_delivery(delivery_id: UUID) -> object:
    """One delivery with every attempt and the exact body of its message."""
    return endpoints.read_delivery(delivery_id)


@router.post("/deliveries/{delivery_id}/replay", status_code=202, response_model=DeliveryRead)
def replay_delivery(delivery_id: UUID) -> object:
    """Deliver a message once more, under the same `webhook-id`."""
    delivery = endpoints.replay(delivery_id)
    launcher().hint(launch_delivery, UUID(delivery["id"]))
    return delivery
