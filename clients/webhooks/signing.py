"""Signatures of Standard Webhooks 1.0.0, symmetric (v1): HMAC-SHA256 over `id.timestamp.body`."""

import base64
import binascii
import hashlib
import hmac
import re
import secrets as randomness
from collections.abc import Sequence

from domain.errors.requests import WebhookSecretInvalid

_PREFIX = "whsec_"
_KEY_BYTES = 32
_KEY_BYTES_ALLOWED = range(24, 65)
# A dot separates the signed parts, so one in an id would let one message pass for another.
_MESSAGE_ID = re.compile(r"[A-Za-z0-9_-]+")


def new_secret() -> str:
    """A secret for one endpoint: `whsec_` and 32 random bytes in base64."""
    return _PREFIX + base64.b64encode(randomness.token_bytes(_KEY_BYTES)).decode()


def signature_headers(message_id: str, timestamp: int, body: bytes, secrets: Sequence[str]) -> dict[str, str]:
    """The three headers of one attempt; `timestamp` is the attempt's own, in Unix seconds.

    There is one signature per secret, so that a receiver can change from an old secret to a new one. Raises
    WebhookSecretInvalid, and ValueError for an id with a dot or if there are no secrets.
    """
    if not _MESSAGE_ID.fullmatch(message_id):
        raise ValueError(f"a message id has letters, digits, _ and - only: {message_id!r}")
    if not secrets:
        raise ValueError("a message cannot be signed without a secret")
    signed = f"{message_id}.{timestamp}.".encode() + body
    digests = [hmac.digest(secret_key(secret), signed, hashlib.sha256) for secret in secrets]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests),
    }


def secret_key(secret: str) -> bytes:
    """The key in a secret. Raises WebhookSecretInvalid, which does not repeat the secret."""
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise WebhookSecretInvalid from None
    if not secret.startswith(_PREFIX) or len(key) not in _KEY_BYTES_ALLOWED:
        raise WebhookSecretInvalid
    return key
