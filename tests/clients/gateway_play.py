"""Shared by the gateway's tests: questions, and a way to run scenarios."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.judgements import CHECK_STATEMENT, GENERATE_ANSWER, StatementCheck
from clients.llm.gateway import ComposedText, ModelGateway
from clients.llm.protocol import CallLog
from config.models import ModelSettings
from domain.query.workspace_rules import PLAIN
from tests.clients.groq_questions import IDK, QUESTION, SOURCES, STATEMENT
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.server import KEY, GroqSimulator

T = TypeVar("T")
MAIN, FAST = "openai/gpt-oss-120b", "openai/gpt-oss-20b"
CHECK = {"sources": SOURCES, "statement": STATEMENT}
WRITE = {"sources": SOURCES, "question": QUESTION, "idk": IDK, "style": PLAIN}
PATIENT = ModelSettings(call_timeout_s=10, deadline_s=20, attempts=3)
ALONE = PATIENT.model_copy(update={"fallbacks": {}})
HURRIED = ModelSettings(call_timeout_s=2, deadline_s=20, attempts=3)


def play(
    stage: GroqStage,
    scenario: Callable[[ModelGateway], Awaitable[T]],
    settings: ModelSettings = PATIENT,
    *,
    url: str | None = None,
    key: str = KEY,
    **parts: Any,
) -> T:
    """Run a scenario with a new gateway for the client; `parts` are its limiter and its kept replies."""
    return stage.run(lambda model: scenario(ModelGateway(model, settings, backoff_s=0.01, **parts)), url=url, key=key)


def check(log: CallLog) -> Callable[[ModelGateway], Awaitable[StatementCheck | Failure]]:
    return lambda gateway: gateway.ask(CHECK_STATEMENT, CHECK, log=log, item="s1")


def write(log: CallLog) -> Callable[[ModelGateway], Awaitable[ComposedText | Failure]]:
    return lambda gateway: gateway.compose(GENERATE_ANSWER, WRITE, log=log)


def assert_books_agree(log: CallLog, sim: GroqSimulator) -> None:
    """One record per call that the provider saw, in its order, with equal token counts wherever the provider
    reported them."""
    for record, entry in zip(log.records, sim.ledger.entries, strict=True):
        usage = record.usage
        ours = (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens, usage.reasoning_tokens)
        theirs = (entry.prompt_tokens, entry.completion_tokens, entry.cached_tokens, entry.reasoning_tokens)
        assert ours == theirs or usage.estimated
        assert record.model == entry.model
        assert record.status in (None, entry.status)
        assert record.request_id in (None, entry.id)


def failed(outcome: object) -> Failure:
    """The outcome, which must be a failure."""
    assert isinstance(outcome, Failure)
    return outcome
