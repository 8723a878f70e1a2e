"""Webhooks as JSON: registered receivers, the messages that were sent to them, and every attempt."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field

from api.schemas.texts import Input, PlainText, WebhookUrl
from domain.webhooks.delivery import EventType

EndpointState = Literal["active", "disabled"]
DeliveryState = Literal["pending", "delivered", "failed", "cancelled"]
ReplayState = Literal["delivered", "failed", "cancelled", "missed"]

MAX_FILTERS = 50
_EVENTS = "Which events are sent: types such as `query.succeeded`, families such as `query.*`, or `*` for all."
_OWN = "A secret of your own: `whsec_` and 24 to 64 random bytes in base64. Left out, one is made."
_SHOWN_ONCE = "Signs every message; it is shown here and never again."
_EXAMPLE_SECRET = "whsec_" + "A" * 43 + "="


class WebhookCreate(Input):
    """A receiver to register."""

    url: WebhookUrl = Field(
        description="The address that messages are POSTed to: https, a public address, port 80 or 443 unless "
        "configured otherwise.",
        examples=["https://example.com/hooks/citewell"],
    )
    events: list[PlainText] = Field(
        description=_EVENTS, max_length=MAX_FILTERS, examples=[["query.*", "document.failed"]]
    )
    description: PlainText = Field(
        default="", max_length=500, description="A description for people.", examples=["The support desk's bot"]
    )
    secret: PlainText | None = Field(default=None, max_length=200, description=_OWN)


class WebhookChange(Input):
    """The fields to change; omitted ones stay as they are."""

    url: WebhookUrl | None = Field(
        default=None, description="The new address; waiting messages are sent to it as well."
    )
    events: list[PlainText] | None = Field(default=None, description=_EVENTS, max_length=MAX_FILTERS)
    description: PlainText | None = Field(default=None, max_length=500, description="For people.")
    status: EndpointState | None = Field(
        default=None,
        description="`disabled` cancels waiting messages; `active` starts again and forgets earlier failures.",
    )


class SecretRotate(Input):
    """The new secret, if you supply your own."""

    secret: PlainText | None = Field(default=None, max_length=200, description=_OWN)


class WebhookRead(BaseModel):
    """A registered receiver."""

    id: UUID
    url: str = Field(examples=["https://example.com/hooks/citewell"])
    events: list[str] = Field(description=_EVENTS, examples=[["query.*"]])
    description: str
    status: EndpointState = Field(description="A disabled webhook receives no messages.")
    disabled_reason: str | None = Field(
        description="Why the webhook is disabled.", examples=["The receiver answered 410 Gone."]
    )
    failing_since: datetime | None = Field(
        description="The first failure since the last success; null when there was none."
    )
    created_at: datetime


class WebhookSecretRead(WebhookRead):
    """A receiver with its new secret."""

    secret: str = Field(description=_SHOWN_ONCE, examples=[_EXAMPLE_SECRET])


class WebhookList(BaseModel):
    """All receivers, newest first."""

    webhooks: list[WebhookRead]
    event_types: list[EventType] = Field(description="All event types that the filter `events` may contain.")


class CallbackSecret(BaseModel):
    """The secret that signs messages to all callback URLs."""

    secret: str = Field(
        description="The key that signs messages to the `callback_url` of requests.", examples=[_EXAMPLE_SECRET]
    )


class AttemptRead(BaseModel):
    """One attempt to deliver a message."""

    number: int = Field(description="The number of the attempt, from 1.")
    time: datetime = Field(description="When the attempt began; also the `webhook-timestamp` that was sent.")
    status_code: int | None = Field(
        description="The status of the receiver's answer; null when it did not answer.", examples=[503]
    )
    error: str | None = Field(description="Why the receiver did not answer.", examples=["no answer within 15 seconds"])
    duration_ms: float
    response_excerpt: str | None = Field(description="The first 2 KB of the answer's body.")


class DeliveryRead(BaseModel):
    """One message on its way to one receiver."""

    id: UUID
    message_id: str = Field(
        description="The `webhook-id` of every attempt and replay.", examples=["msg_2Lh9KRb0pzN4LePd3XiA4v12"]
    )
    type: str = Field(examples=["query.succeeded"])
    webhook_id: UUID | None = Field(description="Null for the callback URL of a request.")
    query_id: UUID | None
    url: str
    status: DeliveryState = Field(description="Every status but `pending` is final.")
    error: str | None = Field(description="The error of the last attempt that failed.", examples=["HTTP 503"])
    next_attempt_at: datetime | None = Field(description="The time of the next attempt; null when there is none.")
    created_at: datetime
    finished_at: datetime | None
    attempts: list[AttemptRead] = Field(description="The attempts in their order.")


class DeliveryWhole(DeliveryRead):
    """A delivery with the body of its message."""

    payload: str = Field(
        description="The exact body of the message; the signature covers these bytes.", examples=["{…}"]
    )


class DeliveryList(BaseModel):
    """Deliveries, newest first."""

    deliveries: list[DeliveryRead]


class DeliveryPage(DeliveryList):
    """A page of deliveries, newest first."""

    next_cursor: str | None = Field(description="Send it as `cursor` for the next page; null on the last one.")


class RangeReplay(Input):
    """A request to deliver messages once more: those created from `since` until before `until`, selected by how their
    delivery ended."""

    since: AwareDatetime = Field(
        strict=False, description="The start of the range, with a time zone.", examples=["2026-11-20T00:00:00Z"]
    )
    until: AwareDatetime | None = Field(
        default=None,
        strict=False,
        description="The end of the range; now if omitted.",
        examples=["2026-11-22T00:00:00Z"],
    )
    status: list[ReplayState] = Field(
        default=["failed", "cancelled", "missed"],
        min_length=1,
        max_length=4,
        description="The result of a message's newest delivery; `missed` selects messages that were never sent, "
        "because the webhook was disabled or did not exist yet.",
    )


class RangeReplayed(BaseModel):
    """The number of messages delivered once more."""

    replayed: int = Field(
        description="10,000 at most, the oldest first; send the request again for the rest.", examples=[17]
    )
