"""The server as a process: over standard input and output as hosts start it, and over HTTP."""

import json
import os
import subprocess
import sys
import uuid
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from mcp import MCPError
from sqlalchemy import select

from db.models import Query, QueryStatus
from db.session import reading, transaction
from domain.keys import Scope
from tests.factories import make_document
from tests.keys import make_key
from tests.mcp.asked import WORK, status_after_leaving
from tests.mcp.hosting import PROGRAM, ROOT, acting, by_http, by_stdio, call, complaint, listening, told
from tests.sockets import connected_to
from tests.sockets import told as received
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("database")]


def store(tenant_text: str = "Refunds take 14 days.") -> str:
    with transaction() as session:
        return str(make_document(session, tenant_text, filename="policy.md").id)


def test_a_host_starts_it_and_calls_tools(api_url: str) -> None:  # N9
    document_id = store()
    server = by_stdio(CITEWELL_URL=api_url)

    async def both(client: Any) -> Any:
        listed = await client.call_tool("list_documents", {})
        failed = await client.call_tool("ask", {"question": "How long?", "workspace": "nowhere"})
        return listed, failed, await client.call_tool("read_source", {"document_id": document_id})

    listed, failed, read = acting(server, both)
    assert [each["id"] for each in told(listed)["documents"]] == [document_id]
    assert "There is no workspace" in complaint(failed)  # and it goes on
    assert told(read)["text"] == "Refunds take 14 days."


def test_it_sends_the_key_of_its_environment(api_url: str) -> None:  # N9, A8
    store()
    other = make_key(Scope.READ, tenant="theirs")
    assert told(call(by_stdio(CITEWELL_URL=api_url, CITEWELL_API_KEY=other), "list_documents"))["documents"] == []


def message(number: int | None, method: str, **params: Any) -> str:
    identity = {} if number is None else {"id": number}
    return json.dumps({"jsonrpc": "2.0", **identity, "method": method, "params": params}) + "\n"


def test_nothing_but_the_protocol_is_on_standard_output_and_a_host_that_leaves_pays_no_more(api_url: str) -> None:  # N9
    store()
    command, env = [sys.executable, *PROGRAM], {**os.environ, "CITEWELL_URL": api_url, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, text=True, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        info = {"name": "host", "version": "1"}
        process.stdin.write(
            message(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=info)
            + message(None, "notifications/initialized")
            + "this is no message\n"
            + message(2, "tools/call", name="ask", arguments={"question": " ", "workspace": "w"})
            + message(3, "tools/call", name="read_source", arguments={"document_id": 7})
            + message(4, "tools/call", name="ask", arguments={"question": "How long?", "workspace": "w"})
        )
        process.stdin.flush()
        answers: dict[Any, Any] = {}
        assert process.stdout is not None
        # A busy machine may store the last question before the first calls are answered.
        while not {1, 2, 3} <= answers.keys():
            answer = json.loads(process.stdout.readline())
            answers[answer.get("id")] = answer
        until(lambda: _statuses() != [], 60)
        out, _ = process.communicate(timeout=60)
    answers |= {told.get("id"): told for told in map(json.loads, out.splitlines())}
    assert answers[1]["result"]["serverInfo"]["name"] == "citewell"
    assert answers[2]["result"]["isError"] is True
    assert answers[3]["result"]["isError"] is True
    assert process.returncode == 0
    until(lambda: _statuses() == [QueryStatus.CANCELLED], 30)


def _statuses() -> list[str]:
    with reading() as session:
        return list(session.scalars(select(Query.status)))


def test_it_is_served_over_http(api_url: str) -> None:  # N9
    document_id = store()
    with listening(CITEWELL_URL=api_url) as url:
        (listed,) = told(call(by_http(url), "list_documents"))["documents"]
        assert listed["id"] == document_id
        assert len(acting(by_http(url), lambda client: client.list_tools(), "legacy").tools) == 6
        assert "ask with at least one word" in complaint(call(by_http(url), "ask", question=" ", workspace="w"))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_cancelling_works_over_every_transport(api_url: str, mode: str) -> None:  # N9
    store()
    with listening(CITEWELL_URL=api_url) as url:
        for server, work in zip((by_stdio(CITEWELL_URL=api_url), by_http(url)), WORK[:2], strict=True):
            left = acting(server, partial(status_after_leaving, tool=work[0], arguments=work[1]), mode)
            assert left == QueryStatus.CANCELLED


def test_over_http_a_caller_has_the_key_that_it_sends(api_url: str) -> None:  # A8
    store()
    own, other = make_key(Scope.READ), make_key(Scope.READ, tenant="theirs")
    with listening(CITEWELL_URL=api_url, CITEWELL_API_KEY=own) as url:
        for headers, count in (
            ({}, 1),
            ({"Authorization": f"Bearer {other}"}, 0),
            ({"X-API-Key": other}, 0),
            ({"Authorization": f"Bearer {own}"}, 1),
        ):
            assert len(told(call(by_http(url, **headers), "list_documents"))["documents"]) == count
        refused = call(by_http(url, Authorization="Bearer cw_nonsense"), "list_documents")
        assert "key_invalid" in complaint(refused)


def test_no_web_page_gets_in_through_a_browser(api_url: str) -> None:  # A8, F6
    body: dict[str, object] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    with listening(CITEWELL_URL=api_url) as url:
        address = urlsplit(url)
        # A page of another program on this machine is as foreign as any other.
        other_port = f"http://{address.hostname}:{(address.port or 0) + 1}"
        foreign = (
            {"Host": "evil.example"},
            *({"Origin": each} for each in ("https://evil.example", other_port, "null")),
        )
        for headers in foreign:
            refused = httpx.post(url, json=body, headers={**accept, **headers}, trust_env=False)
            assert refused.status_code in (403, 421), headers
        own = {"Origin": f"http://localhost:{address.port}"}
        assert httpx.post(url, json=body, headers={**accept, **own}, trust_env=False).status_code not in (403, 421)


def test_beyond_loopback_every_caller_needs_a_key(api_url: str) -> None:  # A8
    store()
    own = make_key(Scope.READ)
    with listening("--host", "0.0.0.0", CITEWELL_URL=api_url, CITEWELL_API_KEY=own) as told_url:  # noqa: S104
        url = told_url.replace("0.0.0.0", "127.0.0.1")  # noqa: S104
        assert "Send a key of Citewell" in complaint(call(by_http(url), "list_documents"))
        # To a Citewell on loopback this would be as good as no key, and it asks for none.
        assert "Send a key" in complaint(call(by_http(url, Authorization="Bearer not-needed"), "list_documents"))
        assert told(call(by_http(url, Authorization=f"Bearer {own}"), "list_documents"))["documents"] != []


def test_what_does_not_exist_is_an_error_of_the_protocol_and_no_end(api_url: str) -> None:  # N9
    async def wrong(client: Any) -> int:
        with pytest.raises(MCPError):
            await client.read_resource(f"citewell://{uuid.uuid4()}")
        return len((await client.list_tools()).tools)

    assert acting(by_stdio(CITEWELL_URL=api_url), wrong) == 6


def test_over_http_a_request_with_an_unclear_end_is_refused_and_what_follows_is_not_answered(
    api_url: str,
) -> None:
    with listening(CITEWELL_URL=api_url) as url, connected_to(url) as connection:
        begun = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        ends = b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        connection.sendall(begun + ends + begun + b"Connection: close\r\nContent-Length: 0\r\n\r\n")
        got = received(connection)
    assert got.startswith(b"HTTP/1.1 400 ")
    assert got.count(b"HTTP/1.1 ") == 1
    assert b"send only one of them" in got
