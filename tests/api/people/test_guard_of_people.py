"""The guard keeps its checks where its caller may write, and lets nothing pass for want of such a place (issue 44)."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from config.settings import settings
from db.models import Query, Workspace
from db.queries.access.workspaces import get_or_add_workspace
from db.session import system_transaction, transaction
from domain.keys import Scope
from tests.api.people.browsers import SHELF
from tests.api.people.provider import Provider
from tests.api.people.test_rights import People, own_key
from tests.api.problems import assert_problem
from tests.keys import make_key

GATEWAY, PROXY = "/v1/guard/beta/litellm_basic_guardrail_api", "/v1/guard/chat/completions"
TOOL = {"role": "tool", "tool_call_id": "t", "content": "Returns take 30 days."}


@pytest.fixture
def people(provider: Provider, api_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[People]:
    # Nobody checks here: what matters is where the checks are kept. No model is behind the proxy.
    for name, value in (("WAIT_S", "1"), ("ON_UNCHECKED", "pass"), ("UPSTREAM_URL", "http://127.0.0.1:9/v1")):
        monkeypatch.setenv(f"CITEWELL_GUARD__{name}", value)
    settings.cache_clear()
    with transaction() as session:
        for workspace in ("default", "elsewhere"):
            get_or_add_workspace(session, workspace)
    with ExitStack() as opened:
        yield People(api_url, provider, opened)


def judged(client: httpx.Client, input_type: str = "response", **named: Any) -> httpx.Response:
    body = {"input_type": input_type, "structured_messages": [TOOL], "texts": ["Returns take 60 days."]}
    return client.post(GATEWAY, json={**body, "additional_provider_specific_params": named})


def kept_in() -> list[str]:
    with system_transaction() as session:
        return list(session.scalars(select(Workspace.name).join(Query, Query.workspace_id == Workspace.id)))


@pytest.mark.slow
def test_checks_are_kept_in_the_only_workspace_that_is_open(people: People) -> None:  # 44
    ada = people.signed_in("ada", "readers")
    limited = people.with_key(make_key(Scope.READ, Scope.ASK, workspaces=["elsewhere"]))
    everywhere = people.with_key(make_key(Scope.READ, Scope.ASK))
    for client in (ada, people.with_key(own_key(ada)), limited, everywhere):
        assert judged(client, "request").json() == {"action": "NONE"}
        # Here the policy has a say: it could have been checked.
        assert judged(client).json()["action"] == "NONE"
    assert sorted(kept_in()) == sorted([SHELF, SHELF, "elsewhere", "default"])


def test_without_such_a_place_nothing_passes_whatever_the_policy(people: People) -> None:  # 44
    ada, both = people.signed_in("ada", "readers"), people.signed_in("bob", "readers", "elsewhere")
    limited = people.with_key(make_key(Scope.READ, Scope.ASK, workspaces=[SHELF]))
    asked = {"model": "m", "messages": [TOOL]}
    refused = [
        *(judged(both, phase) for phase in ("request", "response")),
        *(judged(client, phase, workspace="default") for client in (ada, limited) for phase in ("request", "response")),
        both.post(PROXY, json=asked),
        *(client.post(PROXY, json={**asked, "citewell": {"workspace": "default"}}) for client in (ada, limited)),
    ]
    for response in refused:
        assert SHELF in assert_problem(response, 403, "workspace_forbidden")["detail"]
    helper = people.signed_in("hal", "helpers")
    assert_problem(judged(helper, workspace="new"), 404, "workspace_not_found")
    assert kept_in() == []
