"""Webhook endpoints: `client.webhooks` of both clients."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from citewell_client._calls import (
    JSON_TYPE,
    Call,
    Page,
    Pages,
    at,
    json_body,
    list_of,
    nothing_of,
    object_of,
    page_of,
    without_none,
)
from citewell_client._transport import AsyncTransport, Transport
from citewell_client.types import Delivery, WebhookEndpoint, WebhookEndpointCreated


def _create(url: str, events: Sequence[str], options: Mapping[str, Any]) -> Call[WebhookEndpointCreated]:
    fields = without_none(url=url, events=list(events), **options)
    return Call("POST", at("webhooks"), object_of, headers=JSON_TYPE, body=json_body(fields))


def _listed() -> Call[list[WebhookEndpoint]]:
    return Call("GET", at("webhooks"), list_of("webhooks"))


def _read(endpoint_id: str) -> Call[WebhookEndpoint]:
    return Call("GET", at("webhooks", endpoint_id), object_of)


def _update(endpoint_id: str, fields: Mapping[str, Any]) -> Call[WebhookEndpoint]:
    return Call("PATCH", at("webhooks", endpoint_id), object_of, headers=JSON_TYPE, body=json_body(fields))


def _delete(endpoint_id: str) -> Call[None]:
    return Call("DELETE", at("webhooks", endpoint_id), nothing_of)


def _deliveries(endpoint_id: str, limit: int, cursor: str | None) -> Call[Page[Delivery]]:
    path = at("webhooks", endpoint_id, "deliveries")
    return Call("GET", path, page_of("deliveries"), without_none(limit=limit, cursor=cursor))


def _test(endpoint_id: str) -> Call[Delivery]:
    return Call("POST", at("webhooks", endpoint_id, "test"), object_of)


def _replay(delivery_id: str) -> Call[Delivery]:
    return Call("POST", at("deliveries", delivery_id, "replay"), object_of)


class Webhooks:
    """The endpoints that the server sends its events to."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, url: str, events: Sequence[str], **options: Any) -> WebhookEndpointCreated:
        """Register an endpoint for events such as `query.*`; its `secret` is returned only here."""
        return self._transport.send(_create(url, events, options))

    def list(self) -> list[WebhookEndpoint]:
        """Return all endpoints."""
        return self._transport.send(_listed())

    def get(self, endpoint_id: str) -> WebhookEndpoint:
        """Return one endpoint."""
        return self._transport.send(_read(endpoint_id))

    def update(self, endpoint_id: str, **fields: Any) -> WebhookEndpoint:
        """Change an endpoint; omitted fields stay as they are."""
        return self._transport.send(_update(endpoint_id, fields))

    def delete(self, endpoint_id: str) -> None:
        """Delete an endpoint, which then receives no more messages."""
        self._transport.send(_delete(endpoint_id))

    def test(self, endpoint_id: str) -> Delivery:
        """Send a message of type `webhook.test`; `deliveries` shows the result."""
        return self._transport.send(_test(endpoint_id))

    def deliveries(self, endpoint_id: str, limit: int | None = None) -> Iterator[Delivery]:
        """Yield all deliveries to an endpoint, the newest first, or the first `limit`."""
        pages = Pages(partial(_deliveries, endpoint_id), limit)
        while not pages.over:
            yield from pages.take(self._transport.send(pages.next()))

    def replay(self, delivery_id: str) -> Delivery:
        """Send a message again."""
        return self._transport.send(_replay(delivery_id))


class AsyncWebhooks:
    """The endpoints that the server sends its events to."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, url: str, events: Sequence[str], **options: Any) -> WebhookEndpointCreated:
        """Register an endpoint for events such as `query.*`; its `secret` is returned only here."""
        return await self._transport.send(_create(url, events, options))

    async def list(self) -> list[WebhookEndpoint]:
        """Return all endpoints."""
        return await self._transport.send(_listed())

    async def get(self, endpoint_id: str) -> WebhookEndpoint:
        """Return one endpoint."""
        return await self._transport.send(_read(endpoint_id))

    async def update(self, endpoint_id: str, **fields: Any) -> WebhookEndpoint:
        """Change an endpoint; omitted fields stay as they are."""
        return await self._transport.send(_update(endpoint_id, fields))

    async def delete(self, endpoint_id: str) -> None:
        """Delete an endpoint, which then receives no more messages."""
        await self._transport.send(_delete(endpoint_id))

    async def test(self, endpoint_id: str) -> Delivery:
        """Send a message of type `webhook.test`; `deliveries` shows the result."""
        return await self._transport.send(_test(endpoint_id))

    async def deliveries(self, endpoint_id: str, limit: int | None = None) -> AsyncIterator[Delivery]:
        """Yield all deliveries to an endpoint, the newest first, or the first `limit`."""
        pages = Pages(partial(_deliveries, endpoint_id), limit)
        while not pages.over:
            for delivery in pages.take(await self._transport.send(pages.next())):
                yield delivery

    async def replay(self, delivery_id: str) -> Delivery:
        """Send a message again."""
        return await self._transport.send(_replay(delivery_id))
