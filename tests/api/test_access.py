"""Access to the API: keys, scopes, revocation, the exception for loopback (A8)."""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime

import httpx
import pytest
import structlog
from sqlalchemy import text

from config.logging import masked
from config.settings import settings
from db.session import system_transaction, transaction
from domain.keys import Scope, build_key, parse_key
from services.operations import api_keys
from services.operations.api_keys import revoke_key_of_any
from tests.api.operations import Operation, operations
from tests.api.problems import assert_problem
from tests.api.test_request_log import lines_of
from tests.factories import make_query
from tests.keys import bearer, change_key, make_key, row_of
from tests.waiting import until

NO_IDS: dict[str, str] = defaultdict(lambda: "0")
# Operations that need a scope other than `read` for GET and `ask` for everything else, by the start of their path.
SCOPES = {
    "/v1/documents": ("read", "documents"),
    "/v1/imports": ("read", "documents"),
    "/v1/sources": ("read", "documents"),
    "/v1/reingestions": ("read", "documents"),
    "/v1/workspaces": ("read", "documents"),
    "/v1/quality": ("read", "read"),
    "/v1/search": ("read", "read"),
    "/v1/webhooks": ("webhooks", "webhooks"),
    "/v1/deliveries": ("webhooks", "webhooks"),
    "/v1/queries/{query_id}/deliveries": ("webhooks", "webhooks"),
    "/v1/keys": ("admin", "admin"),
    "/v1/members": ("admin", "admin"),
    "/v1/me": ("read", "read"),
    "/v1/people": ("admin", "admin"),
    "/v1/deeds": ("admin", "admin"),
    "/v1/model-servers": ("admin", "admin"),
    "/metrics": ("admin", "admin"),
}


def configure(monkeypatch: pytest.MonkeyPatch, **variables: str) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"CITEWELL_{name}", value)
    settings.cache_clear()


@pytest.fixture
def required(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Client]:
    """The API as it is when it listens beyond loopback, and models may be chosen."""
    with monkeypatch.context() as changed:
        configure(changed, API_HOST="0.0.0.0", MODELS__FROM_PAGE="allowed")  # noqa: S104 - told, not bound
        changed.setattr(api_keys, "TRUST_FOR_S", 0.2)
        yield http
    settings.cache_clear()


def guarded() -> list[Operation]:
    """The operations that need a key."""
    return [operation for operation in operations() if operation.scope]


def expected_scope(operation: Operation) -> str:
    look, do = next((both for start, both in SCOPES.items() if operation.path.startswith(start)), ("read", "ask"))
    return look if operation.method == "GET" else do


# What a workspace's rules sent to a reviewer needs their scope beside that of its router.
REVIEWERS_ALONE = {"GET /v1/feedback/{feedback_id}/answer"}


def test_only_health_and_shared_answers_are_open_and_every_operation_says_its_scope() -> None:  # A8
    open_ = {"GET /healthz", "GET /readyz", "GET /shared/{token}"}
    assert {str(operation) for operation in operations() if not operation.scope} == open_
    assert {str(operation): operation.scope for operation in guarded()} == {
        str(operation): expected_scope(operation) for operation in guarded()
    }


def test_every_operation_needs_a_key(required: httpx.Client) -> None:  # A8
    for operation in guarded():
        refused = operation.call(required, NO_IDS, {})
        assert "citewell keys create" in assert_problem(refused, 401, "key_required")["detail"]
        assert refused.headers["www-authenticate"] == "Bearer"


@pytest.mark.slow
def test_every_operation_needs_its_scope_or_admin(required: httpx.Client) -> None:  # A8
    single = {scope.value: bearer(make_key(scope)) for scope in Scope}
    all_but = {scope.value: bearer(make_key(*(set(Scope) - {scope, Scope.ADMIN}))) for scope in Scope}
    for operation in guarded():
        assert operation.scope
        told = assert_problem(operation.call(required, NO_IDS, all_but[operation.scope]), 403, "scope_missing")
        assert repr(operation.scope) in told["detail"]
        beside = [Scope.REVIEW] if str(operation) in REVIEWERS_ALONE else []
        for scope in (operation.scope, "admin"):
            sent = bearer(make_key(Scope(scope), *beside)) if beside else single[scope]
            assert operation.call(required, NO_IDS, sent).status_code not in (401, 403), operation


def test_health_needs_no_key(required: httpx.Client) -> None:  # A9
    assert required.get("/healthz").status_code == 200
    assert required.get("/readyz").json()["keys"] == "required"


def test_a_key_is_taken_from_either_header(required: httpx.Client) -> None:  # A8
    key = make_key(Scope.READ)
    for headers in (bearer(key), {"Authorization": f"bearer {key}"}, {"X-API-Key": key}):
        assert required.get("/v1/queries", headers=headers).status_code == 200
    assert_problem(required.get("/v1/queries", headers={"Authorization": f"Basic {key}"}), 401, "key_required")


def test_a_key_that_is_wrong_in_any_way_is_refused(required: httpx.Client) -> None:  # A8
    key, expired, revoked, other = make_key(), make_key(expires_in_days=1), make_key(), make_key()
    unknown, forged = build_key(bytes(9), bytes(24)), build_key(b"123456789", bytes(24))
    change_key(expired, "expires_at = now()")
    change_key(revoked, "revoked_at = now()", "expires_at = now()")
    change_key(other, f"id = '{parse_key(forged).id}'")
    for sent, code in (
        (key[:-1], "key_invalid"),
        ("nonsense", "key_invalid"),
        (unknown, "key_invalid"),
        (forged, "key_invalid"),
        (expired, "key_expired"),
        (revoked, "key_revoked"),
    ):
        for _ in range(2):  # the second time it is known
            refused = required.get("/v1/queries", headers=bearer(sent))
            assert_problem(refused, 401, code)
            assert refused.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    assert [row_of(unused)["last_used_at"] for unused in (key, expired, revoked, forged)] == [None] * 4


def test_the_last_use_is_written_once_a_minute(required: httpx.Client) -> None:  # A8
    key = make_key()
    seen: list[datetime] = []
    for change in ("name = name", "name = name", "last_used_at = now() - interval '61 s'"):
        change_key(key, change)
        time.sleep(0.25)  # until it is looked up again
        assert required.get("/v1/queries", headers=bearer(key)).status_code == 200
        seen.append(row_of(key)["last_used_at"])
    first, second, third = seen
    assert first == second < third


def test_a_revocation_holds_also_where_the_key_was_just_used(required: httpx.Client) -> None:  # A8
    key = make_key()
    assert required.get("/v1/queries", headers=bearer(key)).status_code == 200
    revoke_key_of_any(parse_key(key).id)  # as another process does: nothing here hears of it
    trusted_until = time.monotonic() + api_keys.TRUST_FOR_S
    # Only the beginning of a request counts; a busy machine may take long over it.
    began = time.monotonic()
    while required.get("/v1/queries", headers=bearer(key)).status_code == 200:
        assert began <= trusted_until
        began = time.monotonic()
    assert_problem(required.get("/v1/queries", headers=bearer(key)), 401, "key_revoked")


@pytest.mark.parametrize("path", ["/v1/queries/{}?wait=30", "/v1/queries/{}/events"])
def test_a_revocation_ends_requests_that_last(required: httpx.Client, path: str) -> None:  # A8
    with transaction() as session:
        query_id = make_query(session).id
    key, kept = make_key(Scope.READ), make_key(Scope.READ)
    ended: list[httpx.Response] = []

    def last() -> None:
        ended.append(required.get(path.format(query_id), headers=bearer(key)))

    thread = threading.Thread(target=last)
    thread.start()
    until(lambda: row_of(key)["last_used_at"] is not None, seconds=30)  # it was let in
    time.sleep(0.5)
    assert ended == []
    revoke_key_of_any(parse_key(key).id)
    thread.join(timeout=25)
    (response,) = ended
    assert response.status_code == (401 if "wait" in path else 200)
    assert required.get(f"/v1/queries/{query_id}", headers=bearer(kept)).json()["status"] == "queued"


LOOPBACK_HOSTS = ["localhost", "LOCALHOST:80", "127.0.0.1:8000", "127.1.2.3", "[::1]", "[::1]:8000"]
OTHER_HOSTS = [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "evil.example:127",
    "192.168.0.2",
    "[",
]


def test_without_keys_this_machine_is_served(http: httpx.Client) -> None:  # A8
    for host in LOOPBACK_HOSTS:
        assert http.get("/v1/queries", headers={"Host": host}).status_code == 200, host
        own = {"Host": host, "Origin": f"http://{host}"}
        assert http.get("/v1/queries", headers=own).status_code == 200, host


def test_without_keys_no_web_page_gets_in(http: httpx.Client) -> None:  # A8
    key = bearer(make_key(Scope.READ))
    names = [header for host in OTHER_HOSTS for header in ({"Host": host}, {"Origin": f"https://{host}"})]
    for headers in (*names, {"Origin": "null"}):
        for operation in (("GET", "/v1/queries"), ("POST", "/v1/keys"), ("POST", "/v1/documents")):
            refused = http.request(*operation, headers=headers)
            assert "citewell keys create" in assert_problem(refused, 403, "key_required_here")["detail"]
        # A key says who it is, wherever it comes from.
        assert http.get("/v1/queries", headers={**headers, **key}).status_code == 200


def test_without_keys_nobody_behind_a_proxy_is_served(http: httpx.Client) -> None:  # A8
    # The server takes the peer's address from a proxy on this machine.
    refused = http.get("/v1/queries", headers={"X-Forwarded-For": "203.0.113.9"})
    assert_problem(refused, 403, "key_required_here")


def test_a_key_that_is_sent_counts_also_where_none_is_needed(http: httpx.Client) -> None:  # A8
    assert_problem(http.get("/v1/queries", headers=bearer("cw_nonsense")), 401, "key_invalid")
    # Clients of OpenAI's interface cannot be without one.
    assert http.get("/v1/queries", headers=bearer("not-needed")).status_code == 200
    assert_problem(http.get("/v1/keys", headers=bearer(make_key(Scope.READ))), 403, "scope_missing")
    theirs = http.get("/v1/keys", headers=bearer(make_key(tenant="theirs"))).json()["keys"]
    assert [key["tenant"] for key in theirs] == ["theirs"]


def test_keys_are_required_as_configured_and_off_loopback(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:  # A8
    for name, value in (("ACCESS__KEYS", "required"), *(("API_HOST", host) for host in ("192.0.2.1", "::", ""))):
        with monkeypatch.context() as changed:
            configure(changed, **{name: value})
            assert_problem(http.get("/v1/queries"), 401, "key_required")
    settings.cache_clear()
    assert http.get("/v1/queries").status_code == 200


def test_keys_are_made_listed_and_revoked_over_http(required: httpx.Client) -> None:  # A8
    admin = bearer(make_key(Scope.ADMIN, name="first"))
    wanted = {"name": " ci ", "scopes": ["ask", "read", "ask"], "expires_in_days": 90, "requests_per_minute": 7}
    made = required.post("/v1/keys", json=wanted, headers=admin)
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    key, key_id = made.json()["key"], made.json()["id"]
    assert required.get("/v1/queries", headers=bearer(key)).status_code == 200
    newest, first = required.get("/v1/keys", headers=admin).json()["keys"]
    assert (newest["name"], newest["scopes"], newest["requests_per_minute"]) == ("ci", ["read", "ask"], 7)
    assert newest["last_used_at"] is not None
    assert (first["name"], first["expires_at"], first["revoked_at"]) == ("first", None, None)
    for _ in range(2):
        assert required.delete(f"/v1/keys/{key_id}", headers=admin).status_code == 204
    assert_problem(required.get("/v1/queries", headers=bearer(key)), 401, "key_revoked")
    listed = required.get("/v1/keys", headers=admin)
    assert listed.json()["keys"][0]["revoked_at"] is not None
    assert key not in listed.text
    assert row_of(key)["digest"] not in listed.text + made.text


def test_a_key_that_cannot_be_made_is_refused(http: httpx.Client) -> None:  # A8
    refusals: list[tuple[dict[str, object], str]] = [
        ({"name": " "}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["everything"]}, "scopes.0"),
        ({"expires_in_days": 0}, "expires_in_days"),
        ({"expires_in_days": 10**6}, "expires_in_days"),
        ({"requests_per_minute": 0}, "requests_per_minute"),
        ({"tenant": "another"}, "tenant"),
    ]
    for change, field in refusals:
        refused = http.post("/v1/keys", json={"name": "ci", "scopes": ["read"], **change})
        assert assert_problem(refused, 422, "request_invalid")["errors"][0]["field"] == field


def test_what_is_no_id_of_a_key_is_refused(http: httpx.Client) -> None:  # A8
    for key_id in ("short", "a" * 13, "%00" * 12, "a-b-c-d-e-f-"):
        assert_problem(http.delete(f"/v1/keys/{key_id}"), 422, "request_invalid")


def test_keys_are_in_no_log_and_not_in_the_database(required: httpx.Client) -> None:  # A8
    key, scopeless, mistyped = make_key(), make_key(Scope.WEBHOOKS), make_key()[:-1] + "!"
    with structlog.testing.capture_logs([structlog.contextvars.merge_contextvars, masked]) as lines:
        responses: list[httpx.Response] = []
        for sent in (key, scopeless, mistyped):
            for headers in (bearer(sent), {"X-API-Key": sent}):
                responses.append(required.get("/v1/queries", params={"workspace": sent}, headers=headers))
            responses.append(required.delete(f"/v1/keys/{sent}", headers=bearer(sent)))
            asked = {"question": sent, "workspace": sent}
            responses.append(required.post("/v1/queries", json=asked, headers=bearer(sent)))
            responses.append(required.get(f"/{sent}"))
        told = lines_of(lines, *responses)
    assert sum(line["event"] == "request" for line in told) == len(responses) == 15
    assert any(line.get("key_id") == parse_key(key).id for line in lines)
    for sent in (key, scopeless, mistyped):
        assert sent.split("_")[2] not in str(lines)
    with system_transaction() as session:
        stored = str(session.execute(text("SELECT api_keys::text, tenants::text FROM api_keys, tenants")).all())
    assert not [sent for sent in (key, scopeless, mistyped) if sent.split("_")[2] in stored]


def test_a_large_upload_without_a_key_is_told_why(required: httpx.Client) -> None:  # A8
    for _ in range(3):
        refused = required.post("/v1/documents", files={"file": ("a.txt", b"x" * 20_000_000)})
        assert_problem(refused, 401, "key_required")
