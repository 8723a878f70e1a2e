"""Receivers accept messages signed by Citewell or by the reference library, and no others."""

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from citewell_client import WebhookInvalid, WebhookSecretInvalid, webhooks
from clients.webhooks.signing import new_secret, signature_headers
from verify_material.rows import for_all_rows

SECRET = new_secret()
DATA = {"type": "query.succeeded", "data": {"id": "1"}}
BODY = json.dumps(DATA).encode()
NOW = 1_790_000_000
Changes = dict[str, str]


def headers(body: bytes = BODY, at: int = NOW, secrets: list[str] | None = None) -> dict[str, str]:
    return signature_headers("msg_1", at, body, secrets or [SECRET])


# A6
@given(st.dictionaries(st.text(), st.integers() | st.text()))
def test_what_citewell_signs_is_accepted(data: dict[str, Any]) -> None:
    body = json.dumps(data).encode()
    assert webhooks.verify(body, headers(body), SECRET, now=NOW) == data


# A6
@given(st.dictionaries(st.text(), st.integers()), st.from_regex(r"[A-Za-z0-9_-]{1,40}", fullmatch=True))
def test_what_the_reference_library_signs_is_accepted(data: dict[str, Any], message_id: str) -> None:
    body, now = json.dumps(data), datetime.now(UTC)
    signed = {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(SECRET).sign(message_id, now, body),
    }
    assert webhooks.verify(body.encode(), signed, SECRET) == data


# A6
@given(
    part=st.sampled_from(["webhook-id", "webhook-timestamp", "webhook-signature", "body"]),
    place=st.integers(0, 200),
    character=st.sampled_from("0aZ+/=,v _-"),
)
def test_both_agree_about_every_change(part: str, place: int, character: str) -> None:
    signed = headers(at=int(time.time())) | {"body": BODY.decode()}
    was = signed[part]
    place %= len(was)
    signed[part] = was[:place] + character + was[place + 1 :]
    body = signed.pop("body").encode()
    if verdict(lambda: webhooks.verify(body, signed, SECRET)):
        assert verdict(lambda: Webhook(SECRET).verify(body, signed))
    else:
        assert {**signed, "body": body.decode()}[part] != was


def verdict(check: Any) -> bool:
    try:
        return bool(check())
    except (WebhookInvalid, WebhookVerificationError, ValueError):
        return False


# A6
def test_the_example_of_the_specification_is_accepted() -> None:
    signed = {
        "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "Webhook-Timestamp": "1614265330",
        "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    assert webhooks.verify(b'{"test": 2432232314}', signed, secret, now=1614265330) == {"test": 2432232314}


# A6
@for_all_rows(
    ("change", "reason"),
    [
        ({"webhook-id": "msg_2"}, "no signature fits"),
        ({"webhook-timestamp": str(NOW + 1)}, "no signature fits"),
        ({"webhook-timestamp": str(NOW - 301)}, "301 s ago, 300 s are allowed"),
        ({"webhook-timestamp": str(NOW + 301)}, "301 s in the future"),
        ({"webhook-timestamp": f"{NOW}.5"}, "no Unix time"),
        ({"webhook-timestamp": "٣"}, "no Unix time"),
        ({"webhook-timestamp": "9" * 5000}, "no Unix time"),
        ({"webhook-signature": "v1,"}, "no signature fits"),
        ({"webhook-signature": "v1a,ü \ud800"}, "no signature fits"),
        ({"webhook-signature": ""}, "has no webhook-signature"),
        ({"webhook-id": "", "webhook-timestamp": ""}, "no webhook-id and no webhook-timestamp"),
        ({"webhook-id": "msg.1"}, "a dot"),
    ],
)
def test_whatever_is_changed_is_refused_with_the_reason(change: Changes, reason: str) -> None:
    with pytest.raises(WebhookInvalid, match=reason) as caught:
        webhooks.verify(BODY, headers() | change, SECRET, now=NOW)
    assert SECRET not in str(caught.value)


# A6
def test_a_signature_of_another_version_or_secret_is_none() -> None:
    other = headers(secrets=[new_secret()])
    asymmetric = headers()["webhook-signature"].replace("v1,", "v1a,")
    for signature in (other["webhook-signature"], asymmetric):
        with pytest.raises(WebhookInvalid, match="no signature fits"):
            webhooks.verify(BODY, headers() | {"webhook-signature": signature}, SECRET, now=NOW)


# A6
def test_while_secrets_change_either_side_may_have_two() -> None:
    old, new = new_secret(), new_secret()
    for signing, accepting in (([old], [new, old]), ([new], [new, old]), ([new, old], old), ([new, old], new)):
        assert webhooks.verify(BODY, headers(secrets=signing), accepting, now=NOW) == DATA


def test_the_time_that_is_allowed_can_be_chosen() -> None:
    assert webhooks.verify(BODY, headers(at=NOW - 300), SECRET, now=NOW) == DATA
    assert webhooks.verify(BODY, headers(at=NOW - 900), SECRET, tolerance_s=1000, now=NOW) == DATA
    with pytest.raises(WebhookInvalid, match="signed"):
        webhooks.verify(BODY, headers(at=NOW), SECRET)


@for_all_rows("body", [b"", b"[]", b"no", b"\xff", b"[" * 100_000])
def test_a_genuine_message_that_is_no_object_is_told_apart(body: bytes) -> None:
    with pytest.raises(WebhookInvalid, match="genuine"):
        webhooks.verify(body, headers(body), SECRET, now=NOW)


def test_secrets_that_cannot_be_used_are_the_receivers_own_fault() -> None:
    with pytest.raises(WebhookSecretInvalid):
        webhooks.verify(BODY, headers(), "whsec_", now=NOW)
    with pytest.raises(ValueError, match="without a secret"):
        webhooks.verify(BODY, headers(), [], now=NOW)
