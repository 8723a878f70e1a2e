"""A model server chosen on the page is judged when it is dialled: its name may have moved to a private address."""

import asyncio
import socket

import httpx
import pytest

from clients.llm.completions.providers import CompatibleModel
from clients.llm.protocol import ModelRequest, ServerUnreachable
from clients.llm.server_addresses import judge_of_dialled
from clients.llm.servers import ask_server
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import GroqSimulator
from verify_material.rows import for_all_rows

ADDRESS = "https://models.example.com/v1"
MODEL = "openai/gpt-oss-20b"


@for_all_rows("ip", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "fe80::1%eth0", "::ffff:10.0.0.7"])
def test_a_name_that_leads_to_a_private_address_is_not_dialled(ip: str) -> None:
    judge = judge_of_dialled(ADDRESS, ["http://10.0.0.7:8000/v1"])
    assert judge is not None
    with pytest.raises(OSError, match="not public"):
        judge(ip, 443)


def test_a_public_one_is_dialled_and_those_of_the_operator_and_this_machine_are_not_judged() -> None:
    judge = judge_of_dialled(ADDRESS, [])
    assert judge is not None
    judge("8.8.8.8", 443)
    assert judge_of_dialled("http://127.0.0.1:11434/v1", []) is None
    assert judge_of_dialled(ADDRESS, ["https://models.example.com/other"]) is None


def test_nothing_is_sent_to_an_address_that_is_refused() -> None:
    async def ask(simulator: GroqSimulator) -> None:
        judge = judge_of_dialled(ADDRESS, [])
        model = CompatibleModel("", f"{simulator.base_url}/openai/v1", catalogue={}, may_dial=judge)
        fields = {"question": "Why?", "chunk": "Because."}
        try:
            await model.complete(ModelRequest("rerank_chunk", fields, MODEL, max_tokens=9, timeout_s=5))
        finally:
            await model.aclose()

    with GroqSimulator(accounts={"": Account("local")}) as simulator:
        with pytest.raises(ServerUnreachable):
            asyncio.run(ask(simulator))
        assert simulator.ledger.entries == []


def test_a_look_at_a_server_is_judged_as_its_calls_are() -> None:
    judge = judge_of_dialled(ADDRESS, [])
    with GroqSimulator(accounts={"": Account("local")}) as simulator:
        base = f"{simulator.base_url}/openai/v1".replace("127.0.0.1", "localhost")
        looked_at: list[str] = []
        assert ask_server(f"{base}/models", "", "", may_dial=lambda ip, _: looked_at.append(ip)).serves(MODEL)
        assert set(looked_at) <= {"127.0.0.1", "::1"}
        answer = ask_server(f"{base}/models", "", "", may_dial=judge)
        assert (answer.state, "not public" in answer.detail) == ("unreachable", True)


def test_a_name_keeps_its_certificate_while_its_address_is_dialled(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[httpx.Request] = []

    def send(_: httpx.Client, request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"data": []}, request=request)

    def resolve(*_: object, **__: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        return [(2, 1, 6, "", ("8.8.8.8", 443))]

    monkeypatch.setattr(httpx.Client, "send", send)
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert ask_server(f"{ADDRESS}/models", "", "", may_dial=judge_of_dialled(ADDRESS, [])).state == "ok"
    (request,) = seen
    assert (request.url.host, request.headers["host"]) == ("8.8.8.8", "models.example.com")
    assert request.extensions["sni_hostname"] == "models.example.com"
