"""For receivers of webhooks: whether a message is from Citewell (Standard Webhooks 1.0.0, symmetric signatures)."""

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from citewell.client.errors import WebhookInvalid
from clients.webhooks.signing import secret_key

__all__ = ["WebhookInvalid", "verify"]

_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")
_SECONDS = re.compile(r"[0-9]{1,12}")
_VERSION = b"v1,"


def verify(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    tolerance_s: float = 300,
    now: float | None = None,
) -> dict[str, Any]:
    """The JSON object in a message that is genuine and not older, or newer, than `tolerance_s`.

    `body` is the body as it was received, byte for byte. With several secrets one has to fit: the old and the new one
    while they change. `now` is Unix time, the clock's without it. Raises WebhookInvalid for the message,
    WebhookSecretInvalid and ValueError for the secrets. The header `webhook-id` is the same whenever a message is sent
    again: keep it to notice those that were handled before.
    """
    keys = [secret_key(one) for one in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise ValueError("a message cannot be verified without a secret")
    message_id, timestamp, signatures = _told(headers)
    _check_age(timestamp, tolerance_s, time.time() if now is None else now)
    signed = f"{message_id}.{timestamp}.".encode() + body
    if not _is_signed(signed, keys, signatures):
        raise WebhookInvalid("no signature fits: another secret, or the message was changed on its way")
    return _object(body)


def _told(headers: Mapping[str, str]) -> tuple[str, ...]:
    given = {name.lower(): value for name, value in headers.items()}
    if missing := [name for name in _HEADERS if not given.get(name)]:
        raise WebhookInvalid(f"the message has no {' and no '.join(missing)}")
    # A dot would let one message pass for another: it separates the parts of what is signed.
    if "." in given["webhook-id"]:
        raise WebhookInvalid("webhook-id has a dot in it")
    return tuple(given[name] for name in _HEADERS)


def _check_age(timestamp: str, tolerance_s: float, now: float) -> None:
    if not _SECONDS.fullmatch(timestamp):
        raise WebhookInvalid("webhook-timestamp is no Unix time in seconds")
    age = now - int(timestamp)
    if abs(age) > tolerance_s:
        when = "ago" if age > 0 else "in the future"
        raise WebhookInvalid(f"the message was signed {abs(age):.0f} s {when}, {tolerance_s:g} s are allowed")


def _is_signed(signed: bytes, keys: Sequence[bytes], signatures: str) -> bool:
    expected = [_VERSION + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in keys]
    received = signatures.encode(errors="replace").split(b" ")
    # All are compared: how long it takes must not tell which of them fits.
    fits = [hmac.compare_digest(one, other) for one in expected for other in received]
    return any(fits)


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise WebhookInvalid("the message is genuine, but its body is no JSON object")
    return cast("dict[str, Any]", found)
