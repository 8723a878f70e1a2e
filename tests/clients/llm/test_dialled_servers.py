"""A model server chosen on the page is judged when it is dialled: its name may have moved to a private address."""

import asyncio

import pytest

from clients.llm.completions.providers import CompatibleModel
from clients.llm.protocol import ModelRequest, ServerUnreachable
from clients.llm.server_addresses import judge_of_dialled
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import GroqSimulator

ADDRESS = "https://models.example.com/v1"
MODEL = "openai/gpt-oss-20b"


@pytest.mark.parametrize("ip", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "fe80::1%eth0", "::ffff:10.0.0.7"])
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
