"""The task wrapper: claims, works once, stores everything together, launches what follows."""

import threading
import uuid
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from typing import Any

import pytest
from celery import Signature
from celery.exceptions import Ignore
from kombu.exceptions import OperationalError
from redis.exceptions import ConnectionError as RedisConnectionError
from sqlalchemy import text
from sqlalchemy.orm import Session

from clients.llm.protocol import CallRecord, Usage
from db.models import DEFAULT_TENANT, Query, QueryStatus
from db.queries.runs import events, model_calls, queries, steps
from db.session import reading, transaction
from domain.errors.state import EmbeddingMismatch
from services.core.context import StepContext, StepResult
from services.finishing.completion import finish
from tests.factories import finish_items, make_query
from tests.waiting import until
from tests.workers.executing import execute_step
from workers import pipeline
from workers.execution.work import Step
from workers.pipeline import Run

pytestmark = pytest.mark.usefixtures("database")

Body = Callable[[StepContext], StepResult]


@pytest.fixture
def query_id() -> uuid.UUID:
    with transaction() as session:
        created = make_query(session).id
    with transaction() as session:
        assert queries.mark_launched(session, created, 0) == 1
    return created


def a_call() -> CallRecord:
    return CallRecord(
        provider="groq",
        model="openai/gpt-oss-20b",
        prompt="rerank_chunk",
        prompt_version="0" * 12,
        attempt=1,
        duration_ms=12.0,
        usage=Usage(prompt_tokens=1000, completion_tokens=100, cached_tokens=600),
    )


def run(
    body: Body,
    query_id: uuid.UUID,
    *,
    launch: int = 1,
    failed: Mapping[str, Any] | None = None,
    items: tuple[str, ...] = ("",),
) -> None:
    """Execute `body` as step "probe" of the query, in this thread."""
    execute_step(Step("probe", "probing", body, failed=failed), Run(str(query_id), launch, 0, DEFAULT_TENANT), items)


def outcomes(query_id: uuid.UUID) -> dict[tuple[str, str], dict[str, Any]]:
    with reading() as session:
        return steps.list_outcomes(session, query_id).get(0, {})


def test_an_outcome_and_its_model_calls_are_stored_together(query_id: uuid.UUID) -> None:  # A4
    def body(context: StepContext) -> StepResult:
        context.log.records.append(a_call())
        return StepResult.single({"status": "done"})

    run(body, query_id)
    assert outcomes(query_id) == {("probe", ""): {"status": "done"}}
    with reading() as session:
        usage = model_calls.usage_of_query(session, query_id)
    assert (usage.llm_calls, usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (1, 1000, 600, 100)
    # What the provider's cache served costs half.
    assert float(usage.cost_usd) == pytest.approx((400 * 0.075 + 600 * 0.0375 + 100 * 0.30) / 1e6)


def test_a_second_delivery_works_on_nothing(query_id: uuid.UUID) -> None:  # A5
    seen: list[tuple[str, ...]] = []

    def body(context: StepContext) -> StepResult:
        seen.append(context.items)
        return StepResult({item: {"status": "done"} for item in context.items})

    run(body, query_id, items=("1", "2"))
    run(body, query_id, items=("2", "3"))
    run(body, query_id, items=("1", "2", "3"))
    assert seen == [("1", "2"), ("3",)]


def test_a_message_of_an_older_launch_does_nothing(query_id: uuid.UUID) -> None:  # A5
    # A chord must not count it as done.
    with pytest.raises(Ignore):
        run(lambda _: pytest.fail("must not run"), query_id, launch=0)
    assert outcomes(query_id) == {}


def test_a_broken_step_is_an_outcome_with_a_reason(query_id: uuid.UUID) -> None:  # N4
    def body(_: StepContext) -> StepResult:
        raise EmbeddingMismatch("other vectors")

    run(body, query_id, failed={"status": "not_checked", "verdict": None})
    assert outcomes(query_id)["probe", ""] == {"status": "not_checked", "verdict": None, "reason": "other vectors"}


def test_the_text_of_an_unforeseen_error_stays_in_the_log(query_id: uuid.UUID) -> None:  # A8
    def body(_: StepContext) -> StepResult:
        raise ValueError("text of a document")

    run(body, query_id, failed={"status": "not_checked"})
    assert outcomes(query_id)["probe", ""]["reason"] == "internal error (ValueError)"


def test_a_step_that_must_not_fail_ends_the_query(query_id: uuid.UUID) -> None:  # N4
    def body(context: StepContext) -> StepResult:
        context.log.records.append(a_call())
        raise ValueError("text of a document")

    with pytest.raises(ValueError, match="text of a document"):
        run(body, query_id)
    assert outcomes(query_id) == {}
    with reading() as session:
        query = queries.get_query(session, query_id)
        assert (query.status, (query.error or {})["code"]) == (QueryStatus.FAILED, "step_broke")
        assert "text of a document" not in str(query.error)
        assert model_calls.usage_of_query(session, query_id).llm_calls == 1
        assert [event.type for event in events.list_events(session, query_id)] == ["stage", "failed"]


def test_a_step_that_breaks_after_a_later_launch_ends_nothing(query_id: uuid.UUID) -> None:  # A5
    def body(_: StepContext) -> StepResult:
        with transaction() as session:
            session.get_one(Query, query_id).launch = 2
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        run(body, query_id)
    with reading() as session:
        assert queries.get_query(session, query_id).status == QueryStatus.RUNNING


@pytest.mark.parametrize("error", [OperationalError("away"), RedisConnectionError("away")])
def test_an_error_of_the_broker_hands_the_claim_back_and_ends_no_query(  # A5
    query_id: uuid.UUID, error: Exception
) -> None:
    def body(_: StepContext) -> StepResult:
        raise error

    with pytest.raises(type(error)):
        run(body, query_id)
    with reading() as session:
        assert queries.get_query(session, query_id).status == QueryStatus.RUNNING
    run(lambda _: StepResult.single({"status": "done"}), query_id)
    assert outcomes(query_id) == {("probe", ""): {"status": "done"}}


def test_a_fenced_step_stores_no_outcome_but_the_calls_that_were_paid(query_id: uuid.UUID) -> None:  # A5
    def body(context: StepContext) -> StepResult:
        context.log.records.append(a_call())
        with transaction() as session:
            steps.claim_items(session, str(query_id), 0, "probe", [""], worker="successor", lease_s=10, launch=2)
        return StepResult.single({"status": "done"}, lambda _: pytest.fail("must not be saved"))

    with pytest.raises(Ignore):
        run(body, query_id)
    assert outcomes(query_id) == {}
    with reading() as session:
        assert model_calls.usage_of_query(session, query_id).llm_calls == 1


def test_what_follows_is_launched_even_when_the_work_was_done_before(query_id: uuid.UUID, broker: Any) -> None:  # A5
    step = Step(
        "probe", "probing", lambda _: StepResult.single({}), follows=lambda run_, _: pipeline.conclude_canvas(run_)
    )
    execute_step(step, Run(str(query_id), 1, 0, DEFAULT_TENANT))
    execute_step(step, Run(str(query_id), 1, 0, DEFAULT_TENANT))
    assert broker.llen("verification") == 2


@contextmanager
def meanwhile(change: Callable[[Session], object]) -> Generator[None]:
    """What another transaction does before the block, and commits when somebody in the block waits for its rows."""
    is_made = threading.Event()

    def make() -> None:
        with transaction() as session:
            change(session)
            is_made.set()
            until(lambda: session.execute(_WAITING).scalar_one())

    context = copy_context()
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(context.run, make)
        assert is_made.wait(10)
        yield
        made.result(10)


_WAITING = text("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))")


def test_what_follows_sees_an_outcome_that_was_stored_while_the_claim_was_made(
    query_id: uuid.UUID, broker: Any
) -> None:  # A5
    with transaction() as session:
        attempts = steps.claim_items(session, str(query_id), 0, "probe", [""], worker="other", lease_s=-1)
    seen: list[Any] = []

    def follow(run_: Run, context: StepContext) -> Signature[Any]:
        seen.append(context.outcome("probe"))
        return pipeline.conclude_canvas(run_)

    body = Step("probe", "probing", lambda _: pytest.fail("must not run"), follows=follow)
    with meanwhile(lambda other: finish_items(other, query_id, 0, "probe", {"": {"status": "done"}}, attempts)):
        execute_step(body, Run(str(query_id), 1, 0, DEFAULT_TENANT))
    assert seen == [{"status": "done"}]
    assert broker.llen("verification") == 1


@pytest.mark.parametrize("saves", [True, False])
def test_nothing_is_stored_behind_a_cancel_that_comes_while_an_outcome_is_saved(
    query_id: uuid.UUID, *, saves: bool
) -> None:  # A3
    def never(_: Session) -> None:
        pytest.fail("must not be saved")

    result = StepResult.single({"status": "done"}, never if saves else None, [("told", {})])
    with ExitStack() as cancelling:

        def body(_: StepContext) -> StepResult:
            cancelling.enter_context(meanwhile(lambda other: finish(other, query_id, QueryStatus.CANCELLED)))
            return result

        with pytest.raises(Ignore):
            run(body, query_id)
    with reading() as session:
        assert [event.type for event in events.list_events(session, query_id)] == ["stage", "cancelled"]


def test_what_is_thought_after_a_cancel_is_not_stored(query_id: uuid.UUID) -> None:  # A3
    def body(_: StepContext) -> StepResult:
        with transaction() as session:
            finish(session, query_id, QueryStatus.CANCELLED)
        return StepResult.single({"status": "done"})

    with pytest.raises(Ignore):
        run(body, query_id)
    assert outcomes(query_id) == {}


def test_a_stage_is_announced_once(query_id: uuid.UUID) -> None:  # A4
    for item in ("1", "2", "3"):
        run(lambda context: StepResult({i: {} for i in context.items}), query_id, items=(item,))
    with reading() as session:
        assert [event.data for event in events.list_events(session, query_id)] == [{"stage": "probing"}]


def test_a_broker_that_is_away_when_a_step_has_ended_breaks_no_query(  # A5
    query_id: uuid.UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(Signature, "apply_async", away)
    step = Step("probe", "probing", lambda _: StepResult.single({"status": "done"}), follows=pipeline_end)
    execute_step(step, Run(str(query_id), 1, 0, DEFAULT_TENANT))
    with reading() as session:
        assert steps.find_outcome(session, query_id, 0, "probe") == {"status": "done"}
        assert queries.get_query(session, query_id).status == QueryStatus.RUNNING


def pipeline_end(run_: Run, _: StepContext) -> Signature[Any]:
    return pipeline.conclude_canvas(run_)
