"""A repeated request is refused to a key that may not send it, as if it were the first one (A3, A8)."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from db.models import Document, QueryStatus, StepOutcome
from db.session import transaction
from domain.keys import Scope
from services.finishing.completion import finish
from tests.api.operations import description
from tests.factories import make_chunk, make_document, make_query
from tests.keys import bearer, make_key
from tests.stored import store_answered_query
from verify_material.rows import for_all_rows

OWN, OTHER = "finance", "secret"
GIVEN = {"answer": "So it is [1].", "sources": [{"text": "So it is."}]}
LINE = json.dumps({**GIVEN, "workspace": OTHER})


@dataclass(frozen=True)
class Keys:
    """The headers of a key that opens only `OWN`, and of one that opens all; the ids of resources in `OTHER`."""

    within: dict[str, str]
    everywhere: dict[str, str]
    ids: dict[str, str]


@pytest.fixture
def keys(http: httpx.Client) -> Keys:
    with transaction() as session:
        make_query(session, workspace=OWN)
        answered = store_answered_query(session, workspace=OTHER)
        session.execute(update(StepOutcome).where(StepOutcome.step == "select").values(value={"selected": []}))
        make_chunk(session, session.scalars(select(Document)).one(), 0, 60)
        failed = make_query(session, workspace=OTHER, status=QueryStatus.FAILED)
        document = make_document(session, "So it is.", workspace=OTHER, number=7)
        ids = {"answered": str(answered.id), "failed": str(failed.id), "document": str(document.id)}
    everywhere = bearer(make_key(name="all"))
    begun = http.post("/v1/conversations", json={"workspace": OTHER}, headers=everywhere)
    given = http.post("/v1/verifications", json={**GIVEN, "workspace": OTHER}, headers=everywhere)
    assert http.delete(given.headers["location"], headers=everywhere).is_success
    verified = http.post("/v1/verifications", json={**GIVEN, "workspace": OTHER}, headers=everywhere)
    with transaction() as session:
        finish(session, uuid.UUID(verified.json()["id"]), QueryStatus.SUCCEEDED)
    alone = {"query_id": ids["answered"]}
    ids["thread"] = http.post("/v1/conversations", json=alone, headers=everywhere).json()["id"]
    ids |= {"conversation": begun.json()["id"], "cancelled": given.json()["id"], "verified": verified.json()["id"]}
    within = bearer(make_key(Scope.READ, Scope.ASK, name="limited", workspaces=[OWN]))
    return Keys(within, everywhere, ids)


# Of each operation that takes an Idempotency-Key: requests that a key for `OWN` may not send. "{}" is an id in `ids`.
REQUESTS: dict[str, list[tuple[str, Any]]] = {
    "/v1/queries": [
        ("", {"question": "What?", "workspace": OTHER}),
        ("", {"question": "What?", "workspaces": [OWN, OTHER]}),
        ("", {"question": "What?", "workspaces": [OTHER, OWN]}),
    ],
    "/v1/conversations": [("", {"workspace": OTHER}), ("answered", {"query_id": "{}"})],
    "/v1/conversations/turns": [("", {"question": "What?", "workspace": OTHER})],
    "/v1/verifications": [
        ("", {**GIVEN, "workspace": OTHER}),
        ("document", {"answer": "So it is [1].", "sources": [{"document_id": "{}"}], "workspace": OWN}),
    ],
    "/v1/verifications/batches": [
        ("", LINE),
        ("", "\n".join([json.dumps({**GIVEN, "workspace": OWN}), LINE])),
        ("document", '{{"answer": "So [1].", "sources": [{{"document_id": "{}"}}], "workspace": "finance"}}'),
    ],
    "/v1/queries/{query_id}/replay": [("failed", None)],
    "/v1/queries/{query_id}/reverify": [("answered", {})],
    "/v1/verifications/{verification_id}/replay": [("cancelled", None)],
    "/v1/verifications/{verification_id}/reverify": [("verified", {})],
    "/v1/conversations/{conversation_id}/branches": [("thread", {"turn": "{}"})],
    "/v1/conversations/{conversation_id}/turns": [("conversation", {"question": "What?"})],
}


REFUSED = {
    "workspace_forbidden",
    "conversation_not_found",
    "document_not_found",
    "query_not_found",
    "verification_not_found",
    "request_invalid",  # a line of a batch names a document that the key does not open
}


def repeatable() -> set[str]:
    return {
        path
        for path, methods in description()["paths"].items()
        for told in methods.values()
        if any(parameter["name"].lower() == "idempotency-key" for parameter in told.get("parameters", ()))
    }


def test_every_operation_that_takes_a_key_of_idempotency_is_tested_here() -> None:
    assert repeatable() == REQUESTS.keys()


def sent(http: httpx.Client, path: str, body: Any, headers: dict[str, str], key: str) -> httpx.Response:
    content = body if isinstance(body, str) else None if body is None else json.dumps(body)
    kind = "application/jsonl" if path.endswith("/batches") else "application/json"
    return http.post(path, content=content, headers={**headers, "Content-Type": kind, "Idempotency-Key": key})


@for_all_rows(("path", "name", "body"), [(path, *each) for path, some in REQUESTS.items() for each in some])
def test_a_key_that_may_not_send_a_request_gets_nothing_by_repeating_that_of_another_key(
    http: httpx.Client, keys: Keys, path: str, name: str, body: Any
) -> None:  # A8
    resource = keys.ids.get(name, "")
    path = path.partition("{")[0] + resource + path.rpartition("}")[2] if "{" in path else path
    if name == "document":
        body = body.format(resource) if isinstance(body, str) else {**body, "sources": [{"document_id": resource}]}
    if body and "query_id" in body:
        body = {"query_id": resource}
    if body and "turn" in body:
        body = {"turn": keys.ids["answered"]}
    used, fresh_key = uuid.uuid4().hex, uuid.uuid4().hex
    first = sent(http, path, body, keys.everywhere, used)
    assert first.is_success, first.text
    fresh, repeated = (sent(http, path, body, keys.within, key) for key in (fresh_key, used))
    assert fresh.json()["code"] in REFUSED, fresh.text
    assert (repeated.status_code, repeated.json()) == (fresh.status_code, fresh.json())
    assert "idempotent-replayed" not in repeated.headers
    # The key that sent it gets its first response again.
    again = sent(http, path, body, keys.everywhere, used)
    assert again.json()["id"] == first.json()["id"]
    assert again.headers["idempotent-replayed"] == "true"


def test_a_used_key_is_not_told_to_one_that_may_not_ask_there(http: httpx.Client, keys: Keys) -> None:  # A8
    asked = {"question": "What?", "workspace": OTHER}
    assert sent(http, "/v1/queries", asked, keys.everywhere, "one-key").status_code == 202
    refused = sent(http, "/v1/queries", {**asked, "question": "Who?"}, keys.within, "one-key")
    assert (refused.status_code, refused.json()["code"]) == (403, "workspace_forbidden")


def test_two_keys_that_open_a_workspace_share_a_repetition(http: httpx.Client, keys: Keys) -> None:  # A3
    asked = {"question": "What?", "workspace": OWN}
    first = sent(http, "/v1/queries", asked, keys.everywhere, "one-key")
    repeated = sent(http, "/v1/queries", asked, keys.within, "one-key")
    assert (repeated.status_code, repeated.json()["id"]) == (202, first.json()["id"])
    line = json.dumps({**GIVEN, "workspace": OWN})
    batch = sent(http, "/v1/verifications/batches", line, keys.within, "batch-key")
    again = sent(http, "/v1/verifications/batches", line, keys.within, "batch-key")
    assert (again.status_code, again.json()["id"]) == (202, batch.json()["id"])
