"""For receivers of webhooks: verifies that a message is from Citewell (Standard Webhooks 1.0.0, symmetric)."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from citewell_client.errors import WebhookInvalid, WebhookSecretInvalid

__all__ = ["WebhookInvalid", "WebhookSecretInvalid", "verify"]

_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")
_SECONDS = re.compile(r"[0-9]{1,12}")
_VERSION = b"v1,"
_PREFIX = "whsec_"
_KEY_BYTES = range(24, 65)


def verify(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    tolerance_s: float = 300,
    now: float | None = None,
) -> dict[str, Any]:
    """Return the JSON object of a message that is genuine and within `tolerance_s` of the current time.

    `body` is the body as received, byte for byte. With several secrets one has to match: the old and the new one during
    a rotation. `now` is Unix time, by default the clock's. Raises WebhookInvalid for the message, WebhookSecretInvalid
    and ValueError for the secrets. The header `webhook-id` is the same whenever a message is resent: store it to detect
    messages that were handled before.
    """
    keys = [_key(key) for key in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise ValueError("a message cannot be verified without a secret")
    message_id, timestamp, signatures = _signed_fields(headers)
    _check_age(timestamp, tolerance_s, time.time() if now is None else now)
    signed = f"{message_id}.{timestamp}.".encode() + body
    if not _is_signed(signed, keys, signatures):
        raise WebhookInvalid("no signature fits: another secret, or the message was changed on its way")
    return _object(body)


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise WebhookSecretInvalid from None
    if not secret.startswith(_PREFIX) or len(key) not in _KEY_BYTES:
        raise WebhookSecretInvalid
    return key


def _signed_fields(headers: Mapping[str, str]) -> tuple[str, ...]:
    given = {name.lower(): value for name, value in headers.items()}
    if missing := [name for name in _HEADERS if not given.get(name)]:
        raise WebhookInvalid(f"the message has no {' and no '.join(missing)}")
    # A dot separates the signed parts, so a dot in an id would let one message pass for another.
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
    # All signatures are compared, so that the time taken does not reveal which of them matches.
    fits = [hmac.compare_digest(computed, sent) for computed in expected for sent in received]
    return any(fits)


def _object(body: bytes) -> dict[str, Any]:
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise WebhookInvalid("the message is genuine, but its body is no JSON object")
    return cast("dict[str, Any]", event)
