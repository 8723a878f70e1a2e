"""The model's server is away for some seconds, and queries with time left get their answers."""

import time
from collections.abc import Generator

import pytest

from citewell.supervisor.servers.endpoints import free_port
from tests.e2e.stack import Stack, running_stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import KEY, GroqSimulator

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("outages")]

TEXT = "Returns must be made within 30 days of the purchase date. Refunds are paid within 10 business days."
QUESTION = "Within how many days must returns be made?"
AWAY_S = 5.0
MANY = 3


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def stack(port: int) -> Generator[Stack]:
    environment = {
        "GROQ_API_KEY": KEY,
        "GROQ_BASE_URL": f"http://127.0.0.1:{port}",
        "CITEWELL_GRAPH__EXTRACTOR": "local",
        "CITEWELL_MODELS__KEEP_REPLIES_S": "0",
        # The outages of these tests follow each other: a process without an answer between two takes them for one.
        "CITEWELL_MODELS__OUTAGE_S": "120",
    }
    with running_stack(**environment) as stack:
        stack.add_text("policy.md", TEXT, workspace="outages")
        yield stack


@pytest.fixture
def provider(port: int) -> Generator[GroqSimulator]:
    with GroqSimulator(port=port) as simulator:
        yield simulator


def assert_all_answered(stack: Stack, asked: list[str]) -> None:
    for query in map(stack.wait, asked):
        assert query["status"] == "succeeded", query["error"]
        assert "30 days" in query["answer"]
        assert {sentence["status"] for sentence in query["verification"]["sentences"]} == {"supported"}, query[
            "verification"
        ]


@pytest.mark.parametrize("kind", [FaultKind.UNAVAILABLE, FaultKind.RESET])
def test_queries_outlast_a_server_that_fails_for_some_seconds(
    stack: Stack, provider: GroqSimulator, kind: FaultKind
) -> None:  # A7, N4
    provider.fail(Fault(kind=kind, times=None))
    asked = [stack.submit(QUESTION, workspace="outages") for _ in range(MANY)]
    time.sleep(AWAY_S)
    provider.faults.faults.clear()
    assert_all_answered(stack, asked)


def test_queries_outlast_a_server_that_restarts(stack: Stack, port: int) -> None:  # A7, N4
    asked = [stack.submit(QUESTION, workspace="outages") for _ in range(MANY)]
    time.sleep(AWAY_S)
    with GroqSimulator(port=port):
        assert_all_answered(stack, asked)


def test_checks_outlast_a_judge_that_fails_for_some_seconds(stack: Stack, provider: GroqSimulator) -> None:  # N4
    checks = ("check_statement", "check_alignment", "check_answerability")
    provider.fail(*(Fault(kind=FaultKind.UNAVAILABLE, match=f"\n{check}\n", times=None) for check in checks))
    asked = [stack.submit(QUESTION, workspace="outages") for _ in range(2)]
    time.sleep(AWAY_S)
    provider.faults.faults.clear()
    assert_all_answered(stack, asked)


def test_a_server_that_stays_away_ends_the_query_in_time_with_its_last_failure_and_few_calls(
    stack: Stack, provider: GroqSimulator
) -> None:  # A7, N4
    provider.fail(Fault(kind=FaultKind.UNAVAILABLE, times=None))
    began = time.monotonic()
    query = stack.ask(QUESTION, workspace="outages", deadline_s=20)
    assert query["status"] == "failed"
    assert query["error"]["code"] == "model_unavailable"
    assert "HTTP 503: Service Unavailable" in query["error"]["message"]
    # It was tried for long, and rarely: two models, three times at once in each of two processes, then seldom.
    assert time.monotonic() - began > 8
    assert len(provider.ledger.of("generate_answer")) <= 20
