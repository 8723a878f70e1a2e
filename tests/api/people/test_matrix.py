"""Every operation with every kind of caller: what they see and may change (issue 43, Show 1).

The operations come from OpenAPI. `NEEDS` says for each, by hand, which role a person needs: a new operation without an
entry fails, and so does one that lets in more or fewer than its entry says.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from sqlalchemy import text, update

from db.models import DEFAULT_TENANT, Chunk, Document, Workspace
from db.queries.access.people import list_people
from db.queries.access.workspaces import get_or_add_workspace
from db.session import reading, system_transaction, transaction
from domain.keys import Scope, parse_key
from domain.people import Role
from services.people.members import set_member
from tests.api.operations import Operation, operations
from tests.api.people.browsers import SHELF, browser, sign_in
from tests.api.people.provider import Provider
from tests.api.test_foreign_ids import BODIES, IDS, MARK
from tests.api.test_limited_keys import ASKED
from tests.keys import bearer, make_key

OPEN, KNOWN, READER, CONTRIBUTOR, OWNER, ADMIN = "open", "none", "reader", "contributor", "owner", "admin"
RANKS = (OPEN, KNOWN, READER, CONTRIBUTOR, OWNER, ADMIN)
NEEDS: dict[str, str] = {
    **dict.fromkeys(("GET /healthz", "GET /readyz", "GET /shared/{token}"), OPEN),
    **dict.fromkeys(
        ("GET /v1/me", "GET /v1/me/keys", "POST /v1/me/keys", "DELETE /v1/me/keys/{key_id}"),
        KNOWN,
    ),
    **dict.fromkeys(
        (
            "GET /v1/workspaces",
            "GET /v1/workspaces/{workspace}",
            "GET /v1/documents",
            "GET /v1/documents/{document_id}",
            "GET /v1/documents/{document_id}/versions",
            "GET /v1/documents/{document_id}/text",
            "GET /v1/documents/{document_id}/original",
            "GET /v1/documents/{document_id}/passages",
            "GET /v1/documents/{document_id}/layout",
            "GET /v1/documents/{document_id}/chunks",
            "GET /v1/documents/{document_id}/edits",
            "GET /v1/documents/{document_id}/pages/{number}/image",
            "GET /v1/documents/{document_id}/boxes",
            "GET /v1/documents/{document_id}/blocks",
            "GET /v1/imports",
            "GET /v1/imports/{import_id}",
            "GET /v1/reingestions/{reingestion_id}",
            "GET /v1/sources",
            "GET /v1/sources/{source_id}",
            "GET /v1/sources/{source_id}/items",
            "GET /v1/queries",
            "GET /v1/queries/{query_id}",
            "GET /v1/queries/{query_id}/events",
            "GET /v1/queries/{query_id}/export",
            "GET /v1/queries/{query_id}/verifications",
            "GET /v1/queries/{query_id}/audit",
            "GET /v1/queries/{query_id}/audit/check",
            "GET /v1/queries/{query_id}/feedback",
            "GET /v1/queries/{query_id}/share",
            "GET /v1/conversations",
            "GET /v1/conversations/{conversation_id}",
            "GET /v1/conversations/{conversation_id}/turns",
            "GET /v1/conversations/{conversation_id}/export",
            "GET /v1/threads",
            "GET /v1/threads/{thread_id}",
            "GET /v1/verifications",
            "GET /v1/verifications/{verification_id}",
            "GET /v1/verifications/{verification_id}/events",
            "GET /v1/verifications/{verification_id}/history",
            "GET /v1/verifications/{verification_id}/sources/{number}/text",
            "GET /v1/verifications/{verification_id}/audit",
            "GET /v1/verifications/{verification_id}/audit/check",
            "GET /v1/verifications/batches/{batch_id}",
            "GET /v1/verifications/batches/{batch_id}/results",
            "GET /v1/feedback",
            "GET /v1/feedback/{feedback_id}",
            "GET /v1/quality",
            "GET /v1/quality/series",
            "GET /v1/history",
            "GET /v1/models",
            "GET /v1/models/{model}",
            "POST /v1/quality",
            "POST /v1/search",
            "POST /v1/search/explain",
            "POST /v1/queries",
            "POST /v1/queries/{query_id}/reverify",
            "POST /v1/queries/{query_id}/feedback",
            "POST /v1/conversations",
            "POST /v1/conversations/turns",
            "POST /v1/verifications",
            "POST /v1/verifications/batches",
            "POST /v1/verifications/{verification_id}/reverify",
            "POST /v1/feedback",
            "POST /v1/conversations/{conversation_id}/branches",
            "POST /v1/chat/completions",
            "POST /v1/responses",
            "GET /v1/responses/{response_id}",
            "POST /v1/guard/chat/completions",
            "GET /v1/guard/models",
            "POST /v1/guard/beta/litellm_basic_guardrail_api",
            "POST /query",
            "POST /chat",
            "POST /agent/chat",
            "POST /agentic/chat",
            "POST /multiagent/chat",
            "POST /query/verified",
            "POST /api/query",
            "POST /api/verify-citation",
        ),
        READER,
    ),
    **dict.fromkeys(
        (
            "POST /v1/documents",
            "DELETE /v1/documents/{document_id}",
            "POST /v1/documents/{document_id}/retry",
            "PATCH /v1/documents/{document_id}/chunks/{chunk_index}",
            "POST /v1/documents/{document_id}/chunks/{chunk_index}/corrections",
            "POST /v1/imports",
            "POST /v1/reingestions",
            "POST /v1/sources/{source_id}/run",
            "POST /v1/queries/{query_id}/replay",
            "DELETE /v1/queries/{query_id}",
            "POST /v1/conversations/{conversation_id}/turns",
            "PATCH /v1/conversations/{conversation_id}",
            "DELETE /v1/conversations/{conversation_id}",
            "POST /v1/verifications/{verification_id}/replay",
            "DELETE /v1/verifications/{verification_id}",
            "DELETE /v1/verifications/batches/{batch_id}",
            "POST /v1/responses/{response_id}/cancel",
            "DELETE /v1/responses/{response_id}",
            "GET /v1/feedback/{feedback_id}/answer",
            "PATCH /v1/feedback/{feedback_id}",
            "DELETE /v1/feedback/{feedback_id}",
            "POST /v1/queries/{query_id}/share",
            "DELETE /v1/queries/{query_id}/share/{share_id}",
        ),
        CONTRIBUTOR,
    ),
    **dict.fromkeys(
        (
            "PATCH /v1/workspaces/{workspace}",
            "DELETE /v1/workspaces/{workspace}",
            "POST /v1/sources",
            "PATCH /v1/sources/{source_id}",
            "DELETE /v1/sources/{source_id}",
            "GET /v1/people",
            "GET /v1/members",
            "POST /v1/members",
            "DELETE /v1/members/{member_id}",
        ),
        OWNER,
    ),
    **dict.fromkeys(
        (
            "GET /metrics",
            "POST /v1/workspaces",
            "GET /v1/webhooks",
            "GET /v1/webhooks/callback-secret",
            "GET /v1/webhooks/{webhook_id}",
            "GET /v1/webhooks/{webhook_id}/deliveries",
            "GET /v1/queries/{query_id}/deliveries",
            "GET /v1/deliveries/{delivery_id}",
            "POST /v1/webhooks",
            "POST /v1/webhooks/callback-secret/rotate",
            "PATCH /v1/webhooks/{webhook_id}",
            "DELETE /v1/webhooks/{webhook_id}",
            "POST /v1/webhooks/{webhook_id}/rotate-secret",
            "POST /v1/webhooks/{webhook_id}/test",
            "POST /v1/webhooks/{webhook_id}/replay",
            "POST /v1/deliveries/{delivery_id}/replay",
            "GET /v1/keys",
            "POST /v1/keys",
            "DELETE /v1/keys/{key_id}",
            "GET /v1/model-servers",
            "GET /v1/model-servers/current",
            "PUT /v1/model-servers/current",
            "DELETE /v1/model-servers/current",
            "POST /v1/model-servers/models",
            "POST /v1/model-servers/trials",
            "GET /v1/model-servers/trials/{trial_id}",
            "PATCH /v1/people/{person_id}",
            "GET /v1/deeds",
        ),
        ADMIN,
    ),
}
MORE_BODIES: dict[str, Any] = {
    **{f"POST {path}": {**body, "workspace": MARK} for path, body in ASKED.items()},
    "POST /v1/chat/completions": {"messages": [{"role": "user", "content": "What?"}], "model": MARK},
    "POST /v1/responses": {"input": "What?", "model": MARK},
    # What a request of a gateway brings along names no workspace.
    "POST /v1/guard/beta/litellm_basic_guardrail_api": {"input_type": "request"},
    "POST /v1/guard/chat/completions": {"messages": [{"role": "user", "content": "What?"}], "model": "any"},
    "POST /v1/quality": {"workspace": MARK},
    "POST /v1/me/keys": {"name": "own", "scopes": ["read"]},
    "POST /v1/workspaces": {"name": "new"},
    "PATCH /v1/people/{person_id}": {"revoked": False},
}
REFUSED = (401, 403, 404)
# Its folder is none that may be read here, which is found out after the role.
AFTER_THE_ROLE = {
    "POST /v1/sources": "place_forbidden",
    **dict.fromkeys(("POST /v1/guard/chat/completions", "GET /v1/guard/models"), "no_upstream"),
}
# They wait for an answer, which no worker writes here: who waits has been let in.
WAITING = {
    "POST /v1/chat/completions",
    "POST /v1/responses",
    *(f"POST {path}" for path in ASKED if not path.startswith("/v1/")),
}
# What a person has whatever their role, or nobody has: their own keys.
OWN_KEYS = {operation for operation in NEEDS if "/v1/me" in operation}
OUTSIDE = ("nobody", "elsewhere", "other tenant", "key elsewhere", "share link")
INSIDE = (READER, CONTRIBUTOR, OWNER)


def one_is_quick(callers: tuple[str, ...]) -> list[Any]:
    """The callers, of whom `make test` tries the first: each takes seconds."""
    return [callers[0], *(pytest.param(caller, marks=pytest.mark.slow) for caller in callers[1:])]


TABLES = (
    "documents chunks imports sources reingestions queries conversations feedback shared_answers workspaces members"
)


class Place(NamedTuple):
    """The shelf with something of every kind on it: ids by the name of a parameter, and a link's token."""

    ids: dict[str, str]
    token: str

    def shown_by(self, response: httpx.Response) -> list[str]:
        """What a response shows of the shelf, without what was sent."""
        texts = {MARK, *(made for name, made in self.ids.items() if name not in ("number", "chunk_index"))}
        sent = str(response.request.url)
        # What is sent as a file is streamed, and names the workspace only.
        is_json = response.request.headers.get("content-type") == "application/json"
        sent += response.request.content.decode() if is_json else MARK
        # The people of a tenant are known to all who may choose members.
        known = {self.ids["person_id"]} if response.request.url.path == "/v1/people" else set[str]()
        return sorted(text for text in texts - known if text in response.text and text not in sent)


@pytest.fixture
def place(provider: Provider, api_url: str) -> Place:
    with browser(api_url) as client:
        sign_in(client, provider, "grace", "readers")
    ids = {name: make() for name, make in IDS.items() if name not in ("person_id", "member_id")}
    with transaction() as session:
        shelf = get_or_add_workspace(session, SHELF).id
        for table in (Document, Chunk):
            session.execute(update(table).values(workspace_id=shelf))
        session.execute(update(Workspace).where(Workspace.id == shelf).values(next_document_number=100))
    ids["key_id"] = parse_key(make_key(name=f"key-{MARK}")).id
    with reading() as session:
        (person,) = list_people(session)
    member = set_member(SHELF, person.id, Role.READER, None)
    with browser(api_url) as client:
        link = client.post(f"/v1/queries/{ids['query_id']}/share", json={"hours": 1}, headers=bearer(make_key()))
    assert link.status_code == 201, link.text
    more = {"person_id": str(person.id), "member_id": member["id"]}
    return Place({**ids, **more}, link.json()["url"].rpartition("/")[2])


@pytest.fixture
def shelf_of(place: Place, provider: Provider, api_url: str) -> Iterator[Any]:
    """A client as one kind of caller, by its name."""
    clients: list[httpx.Client] = []

    def made(caller: str) -> httpx.Client:
        client = httpx.Client(base_url=api_url, timeout=30, headers={"Sec-Fetch-Site": "same-origin"})
        clients.append(client)
        groups = {
            "elsewhere": "elsewhere",
            "other tenant": "others",
            ADMIN: "admins",
            **{role: f"{role}s" for role in INSIDE},
        }
        if caller in groups:
            sign_in(client, provider, caller.replace(" ", "-"), groups[caller])
        elif caller == "key elsewhere":
            with transaction() as session:
                get_or_add_workspace(session, "elsewhere")
            key = make_key(Scope.READ, Scope.ASK, Scope.DOCUMENTS, name="limited", workspaces=["elsewhere"])
            client.headers.update(bearer(key))
        elif caller == "share link":
            client.headers.update(bearer(place.token))
        return client

    yield made
    for client in clients:
        client.close()


def send(client: httpx.Client, operation: Operation, place: Place, *, patience_s: float = 30) -> int | httpx.Response:
    """The response, or 0 when none came in `patience_s`: the caller was let in and waits for an answer."""
    name = str(operation)
    ids = {**place.ids, "token": place.token}
    if name == "POST /v1/imports":
        return client.post(
            "/v1/imports", files={"file": ("a.zip", b"PK\x05\x06" + bytes(18))}, data={"workspace": MARK}
        )
    if name == "POST /v1/verifications/batches":
        line = json.dumps({**ASKED["/v1/verifications"], "workspace": MARK})
        return client.post(operation.path, content=line, headers={"Content-Type": "application/jsonl"})
    body = BODIES.get(name) or MORE_BODIES.get(name) or bodies_with(ids).get(name)
    params = {"confirm": MARK} if name == "DELETE /v1/workspaces/{workspace}" else None
    json_body = (body or {}) if operation.method in ("POST", "PUT", "PATCH") else None
    path = operation.path.format_map(ids)
    try:
        return client.request(operation.method, path, json=json_body, params=params, timeout=patience_s)
    except httpx.ReadTimeout:
        return 0


def bodies_with(ids: dict[str, str]) -> dict[str, Any]:
    cited = {
        "document_id": ids["document_id"],
        "chunk_index": int(ids["chunk_index"]),
        "claim_text": "x",
        "expected_text_span": "x",
    }
    return {
        "POST /api/verify-citation": cited,
        "POST /v1/feedback": {"query_id": ids["query_id"], "rating": "up"},
        "POST /v1/members": {"workspace": MARK, "person_id": ids["person_id"], "role": "reader"},
    }


def stored() -> list[Any]:
    """All that is on the shelf, as the database has it."""
    own = f"WHERE tenant_id = {DEFAULT_TENANT}"
    rows = "SELECT string_agg({0}::text, '|' ORDER BY {0}::text) FROM {0}"
    with system_transaction() as session:
        return [session.scalar(text(f"{rows.format(table)} {own}")) for table in TABLES.split()]


def in_order() -> list[Operation]:
    """Readings first, then additions and changes; what deletes a thing comes before what contains it is deleted."""
    kinds = ("GET", "POST", "PATCH", "PUT", "DELETE")
    whole = ("DELETE /v1/workspaces/{workspace}", "DELETE /v1/documents/{document_id}", "DELETE /v1/queries/{query_id}")
    return sorted(operations(), key=lambda known: (kinds.index(known.method), str(known) in whole, str(known)))


def test_every_operation_has_its_role_here() -> None:  # 43
    assert {str(operation) for operation in operations()} == NEEDS.keys(), "say in NEEDS which role a new one needs"


@pytest.mark.parametrize("caller", one_is_quick(OUTSIDE))
def test_who_is_outside_sees_and_changes_nothing(place: Place, shelf_of: Any, caller: str) -> None:  # 43
    client = shelf_of(caller)
    before, leaks, let_in = stored(), dict[str, str](), dict[str, int]()
    for operation in in_order():
        name = str(operation)
        is_theirs = caller == "other tenant" and name in MAKES
        if NEEDS[name] == OPEN or name in OWN_KEYS or is_theirs:
            continue
        response = send(client, operation, place)
        if isinstance(response, int):
            let_in[name] = 0
            continue
        if shown := place.shown_by(response):
            leaks[name] = f"{response.status_code} {shown}"
        reads_a_list = operation.method == "GET" and not operation.parameters
        if response.status_code not in REFUSED and not reads_a_list:
            let_in[name] = response.status_code
    assert leaks == {}
    # An administrator of another tenant works there: nothing of this one is in it.
    assert {name: status for name, status in let_in.items() if name not in OF_NO_WORKSPACE[caller]} == {}
    assert stored() == before
    assert client.get(f"/shared/{place.token}").status_code == 200


# What names no workspace or id of the shelf, for those who are somebody elsewhere.
_OF_A_TENANT = {
    "POST /v1/workspaces",
    "POST /v1/webhooks",
    "POST /v1/webhooks/callback-secret/rotate",
    "POST /v1/keys",
    "PUT /v1/model-servers/current",
    "DELETE /v1/model-servers/current",
    "POST /v1/model-servers/models",
    "POST /v1/model-servers/trials",
}
_GATEWAY = "POST /v1/guard/beta/litellm_basic_guardrail_api"
OF_NO_WORKSPACE: dict[str, set[str]] = {
    "nobody": set(),
    "share link": set(),
    "elsewhere": {"POST /v1/quality", _GATEWAY},
    "key elsewhere": {"POST /v1/quality", _GATEWAY},
    "other tenant": {*_OF_A_TENANT, "POST /v1/quality", _GATEWAY},
}
# What these name comes into being in the tenant of an administrator (tests.api.test_foreign_ids): there it is theirs.
MAKES = {
    *("POST /v1/documents", "POST /v1/imports", "POST /v1/verifications", "POST /v1/verifications/batches"),
    "POST /v1/sources",
}


@pytest.mark.parametrize("role", one_is_quick(INSIDE))
def test_who_is_inside_may_do_what_their_role_says(place: Place, shelf_of: Any, role: str) -> None:  # 43
    client = shelf_of(role)
    beyond = [operation for operation in in_order() if RANKS.index(NEEDS[str(operation)]) > RANKS.index(role)]
    within = [operation for operation in in_order() if operation not in beyond]
    before = stored()
    answers = {str(operation): send(client, operation, place) for operation in beyond}
    statuses = {name: answer if isinstance(answer, int) else answer.status_code for name, answer in answers.items()}
    assert {name: status for name, status in statuses.items() if status not in (403, 404)} == {}
    assert stored() == before
    refused, kept = dict[str, str](), list[str]()
    for operation in within:
        answer = send(client, operation, place, patience_s=0.2 if str(operation) in WAITING else 30)
        if (
            not isinstance(answer, int)
            and answer.status_code in (401, 403, 404, 422)
            and str(operation) not in OWN_KEYS
        ):
            refused[str(operation)] = answer.json()["code"]
        is_personal = NEEDS[str(operation)] != OPEN
        if is_personal and not isinstance(answer, int) and answer.headers.get("cache-control") != "no-store":
            kept.append(str(operation))
    assert refused.items() <= AFTER_THE_ROLE.items()
    assert kept == [], "a browser keeps what a person was shown"
    assert stored() != before
