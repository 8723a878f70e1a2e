"""The reference library of Standard Webhooks accepts what is signed here, and nothing else (A6)."""

import base64
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from clients.webhooks.signing import new_secret, secret_key, signature_headers
from domain.errors.requests import WebhookSecretInvalid
from verify_material.rows import for_all_rows

SECRET = new_secret()
BODY = b'{"type": "query.succeeded", "data": {"id": 1}}'
TOLERANCE_S = 300


def headers(body: bytes = BODY, *, age_s: int = 0, secrets: list[str] | None = None) -> dict[str, str]:
    return signature_headers("msg_2KWPBgLl", int(time.time()) - age_s, body, secrets or [SECRET])


# A6
@given(st.dictionaries(st.text(), st.integers() | st.text()))
def test_the_reference_library_accepts_it(data: dict[str, object]) -> None:
    body = repr(data).encode(errors="replace")
    assert Webhook(SECRET).verify(body, headers(body), json_parse=False) is None


# A6
def test_a_known_example_has_the_known_signature() -> None:
    """The example of the specification's own test vectors."""
    found = signature_headers(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}', ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
    )
    assert found == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


# A6
@pytest.mark.parametrize(
    ("body", "change"),
    [
        (BODY + b" ", {}),
        (BODY.replace(b"1", b"2"), {}),
        (BODY, {"webhook-id": "msg_other"}),
    ],
    ids=["longer body", "other body", "other id"],
)
def test_a_change_of_what_is_signed_is_noticed(body: bytes, change: dict[str, str]) -> None:
    with pytest.raises(WebhookVerificationError, match="No matching signature"):
        Webhook(SECRET).verify(body, headers() | change)


def test_a_change_of_the_time_is_noticed() -> None:
    with pytest.raises(WebhookVerificationError, match="No matching signature"):
        Webhook(SECRET).verify(BODY, headers(age_s=100) | {"webhook-timestamp": str(int(time.time()))})


def test_a_message_that_is_sent_again_later_is_refused() -> None:
    with pytest.raises(WebhookVerificationError, match="too old"):
        Webhook(SECRET).verify(BODY, headers(age_s=TOLERANCE_S + 60))


def test_another_secret_is_refused() -> None:
    with pytest.raises(WebhookVerificationError, match="No matching signature"):
        Webhook(new_secret()).verify(BODY, headers())


# A6
def test_while_secrets_change_the_old_and_the_new_one_are_accepted() -> None:
    old, new = new_secret(), new_secret()
    signed = headers(secrets=[new, old])
    assert signed["webhook-signature"].count("v1,") == 2
    for secret in (old, new):
        Webhook(secret).verify(BODY, signed)


def test_secrets_are_random_and_have_32_bytes() -> None:
    found = {new_secret() for _ in range(20)}
    assert len(found) == 20
    assert {len(secret_key(secret)) for secret in found} == {32}


@pytest.mark.parametrize("size", [24, 64])
def test_a_secret_from_elsewhere_may_have_24_to_64_bytes(size: int) -> None:
    secret = "whsec_" + base64.b64encode(bytes(size)).decode()
    Webhook(secret).verify(BODY, headers(secrets=[secret]))


@for_all_rows(
    "secret",
    [
        "",
        "whsec_",
        "whsec_c2hvcnQ=",
        "whsec_" + base64.b64encode(bytes(23)).decode(),
        "whsec_" + base64.b64encode(bytes(65)).decode(),
        base64.b64encode(bytes(32)).decode(),
        "whsk_" + base64.b64encode(bytes(32)).decode(),
        "whsec_" + "ü" * 44,
        "whsec_" + "!" + base64.b64encode(bytes(32)).decode(),
    ],
)
def test_a_secret_that_cannot_be_used_is_refused_and_not_repeated(secret: str) -> None:
    with pytest.raises(WebhookSecretInvalid) as refusal:
        headers(secrets=[SECRET, secret])
    assert "24 to 64 bytes" in refusal.value.message
    assert len(secret) < 8 or secret not in refusal.value.message


@for_all_rows("message_id", ["", "msg.1", "msg 1", "msg\n1", "msg_1\n", "msg_ü"])
def test_an_id_that_could_be_taken_for_another_is_refused(message_id: str) -> None:
    with pytest.raises(ValueError, match="message id"):
        signature_headers(message_id, 1, BODY, [SECRET])


def test_nothing_is_sent_without_a_secret() -> None:
    with pytest.raises(ValueError, match="without a secret"):
        signature_headers("msg_1", 1, BODY, [])
