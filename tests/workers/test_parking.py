"""Claims that end without an outcome: counted, handed back, parked."""

import asyncio
import threading
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from celery.app.task import Context
from celery.exceptions import Ignore
from sqlalchemy import text

from clients.llm.protocol import CallDeferred, CallRecord, Usage
from db.models import DEFAULT_TENANT, Query, QueryStatus
from db.queries.runs import model_calls, parking, queries, steps
from db.session import acting_for, reading, system_transaction, transaction
from domain.errors.service import DatabaseUnavailable
from services.core.context import StepContext, StepResult
from services.operations.administration import read_parked
from services.queries.results import read_history
from tests.factories import make_query
from tests.waiting import at_once
from tests.workers.executing import execute_step
from workers.execution.work import Body, Message, RetryLater, Step
from workers.pipeline import Run
from workers.processes.runtime import worker_prefix
from workers.tasks.questions import retrieve_task

pytestmark = pytest.mark.usefixtures("database")

FAILED = {"status": "not_checked", "verdict": None}


def execute(
    body: Body, run: Run, *items: str, failed: Mapping[str, Any] | None = FAILED, redelivered: bool = False
) -> None:
    message = Message(retrieve_task, Context(delivery_info={"redelivered": redelivered}))
    execute_step(Step("probe", "probing", body, failed=failed), run, items or ("",), message=message)


def done(context: StepContext) -> StepResult:
    return StepResult({item: {"status": "done"} for item in context.items})


def never(_: StepContext) -> StepResult:
    pytest.fail("must not run")


def break_worker(run: Run, *items: str, times: int = 1) -> None:
    """Claim like a worker that then dies, and let its lease expire."""
    for _ in range(times):
        with transaction() as session:
            claimed = steps.claim_items(session, run.query_id, 0, "probe", items, worker="dead", lease_s=-1, launch=1)
        assert set(claimed) == set(items)


def outcomes(run: Run) -> dict[str, dict[str, Any]]:
    with reading() as session:
        found = steps.list_outcomes(session, uuid.UUID(run.query_id)).get(0, {})
    return {item: value for (_, item), value in found.items()}


def tries_of(run: Run, item: str = "") -> tuple[int, str]:
    with system_transaction() as session:
        row = session.execute(
            text("SELECT tries, worker FROM step_outcomes WHERE query_id = :q AND item = :i"),
            {"q": run.query_id, "i": item},
        ).one()
    return row[0], row[1]


def test_what_broke_its_worker_three_times_is_parked_and_the_rest_is_done(run: Run) -> None:  # A5, N4
    break_worker(run, "1", times=3)
    seen: list[tuple[str, ...]] = []

    def body(context: StepContext) -> StepResult:
        seen.append(context.items)
        return done(context)

    execute(body, run, "1", "2")
    assert seen == [("2",)]
    reason = "parked: it broke its worker 3 times"
    assert outcomes(run) == {"1": {**FAILED, "reason": reason, "degraded": reason}, "2": {"status": "done"}}
    (parked,) = read_parked(10)
    assert (parked["query_id"], parked["step"], parked["item"], parked["worker"]) == (
        run.query_id,
        "probe",
        "1",
        "dead",
    )
    (told,) = read_history(uuid.UUID(run.query_id))["parked"]
    assert (told["item"], told["reason"], told["worker"]) == ("1", reason, "dead")


def test_a_step_that_must_not_fail_ends_its_query_and_is_named(run: Run) -> None:  # A5
    break_worker(run, "", times=3)
    with pytest.raises(Ignore):
        execute(never, run, failed=None)
    with reading() as session:
        query = session.get_one(Query, uuid.UUID(run.query_id))
    assert query.status == QueryStatus.FAILED
    assert query.error is not None
    assert query.error["code"] == "step_parked"
    assert "'probe'" in query.error["message"]
    assert [each["step"] for each in read_parked(10)] == ["probe"]


def test_before_the_last_try_a_batch_is_taken_apart(run: Run) -> None:  # A5
    break_worker(run, "1", "2", "3", times=2)
    seen: list[tuple[str, ...]] = []

    def body(context: StepContext) -> StepResult:
        seen.append(context.items)
        # While one of them is tried the others have not been claimed: they cannot be blamed for what it does.
        assert [tries_of(run, item)[0] for item in context.items] == [3]
        assert sum(tries_of(run, item)[0] == 3 and item not in outcomes(run) for item in "123") == 1
        return done(context)

    execute(body, run, "1", "2", "3")
    assert seen == [("1",), ("2",), ("3",)]
    assert len(outcomes(run)) == 3


def test_a_message_leaves_alone_what_somebody_works_on(run: Run) -> None:  # A5
    with transaction() as session:
        steps.claim_items(session, run.query_id, 0, "probe", ["1"], worker="busy", lease_s=10, launch=1)
    with pytest.raises(Ignore):
        execute(done, run, "1", "2")
    assert set(outcomes(run)) == {"2"}
    # One that came back to the queue looks again when the claim must have ended, one way or the other.
    with pytest.raises(RetryLater):
        execute(done, run, "1", "2", redelivered=True)
    with transaction() as session:
        session.execute(text("UPDATE step_outcomes SET lease_until = now() - interval '1 s' WHERE value IS NULL"))
    execute(done, run, "1", "2")
    assert set(outcomes(run)) == {"1", "2"}


def test_a_message_that_is_delivered_often_at_once_is_worked_on_once(run: Run) -> None:  # A5
    items, calls, lock = ("1", "2", "3", "4"), list[str](), threading.Lock()
    gate = threading.Barrier(6)

    async def body(context: StepContext) -> StepResult:
        with lock:
            calls.extend(context.items)
        return done(context)

    def deliver(_: int) -> None:
        gate.wait()
        with acting_for(DEFAULT_TENANT), suppress(Ignore):
            execute(body, run, *items)

    at_once(deliver, 6)
    assert sorted(calls) == list(items)
    assert outcomes(run) == {item: {"status": "done"} for item in items}


def test_a_claim_is_handed_back_when_postgres_goes_away_and_does_not_count(run: Run) -> None:  # A5
    def body(_: StepContext) -> StepResult:
        raise DatabaseUnavailable

    for _ in range(5):
        with pytest.raises(DatabaseUnavailable):
            execute(body, run)
        assert tries_of(run) == (0, "")
    execute(done, run)
    assert outcomes(run) == {"": {"status": "done"}}


def test_a_step_that_is_put_off_keeps_its_bill_and_its_tries(run: Run) -> None:  # A7, A4
    paid = CallRecord("groq", "openai/gpt-oss-20b", "rerank_chunk", "0" * 12, 1, 12.0, Usage(1000, 100))

    async def body(context: StepContext) -> StepResult:
        context.log.records.append(paid)
        raise CallDeferred(300.0, "the allowance is used up")

    for count in range(1, 5):
        with pytest.raises(RetryLater) as deferred:
            execute(body, run)
        # A long wait is split, and the lease covers it: the query is not taken for stalled.
        assert deferred.value.eta is not None
        assert 55 < (deferred.value.eta - datetime.now(UTC)).total_seconds() <= 60
        assert tries_of(run) == (0, "")
        with system_transaction() as session:
            assert queries.list_stalled(session, lease_s=1, stalled_s=1) == []
            assert model_calls.usage_of_query(session, uuid.UUID(run.query_id)).llm_calls == count
        # Whose clock is ahead brings the message early: it has to wait for the rest.
        with pytest.raises(RetryLater, match="put off") as early:
            execute(never, run)
        assert 50 < (early.value.countdown_s or 0) < 60
        with system_transaction() as session:
            session.execute(text("UPDATE step_outcomes SET lease_until = now()"))
    assert outcomes(run) == {}
    execute(done, run)
    assert outcomes(run) == {"": {"status": "done"}}


def test_calls_that_are_under_way_are_waited_for_before_a_step_is_put_off(run: Run) -> None:  # A4, A7
    async def body(context: StepContext) -> StepResult:
        call = asyncio.ensure_future(asyncio.sleep(0.2))
        context.log.wait_for(call)
        call.add_done_callback(lambda _: ended_calls.append(1))
        raise CallDeferred(1.0, "the allowance is used up")

    ended_calls: list[int] = []
    with pytest.raises(RetryLater):
        execute(body, run)
    assert ended_calls == [1]


def test_the_terms_of_the_calls_are_those_of_the_query(run: Run) -> None:  # A7
    def body(context: StepContext) -> StepResult:
        terms = context.log.terms
        assert (terms.scope, terms.is_batch, terms.patience_s) == (run.query_id, False, 2.0)
        assert terms.ends_at is not None
        assert 290 < terms.ends_at - time.monotonic() <= 300
        with reading() as session:
            assert terms.since == session.get_one(Query, context.query.id).created_at.timestamp()
        return done(context)

    execute(body, run, failed=None)


def test_a_persons_calls_take_the_turn_of_the_oldest_script_of_the_same_tenant(run: Run) -> None:  # F11
    hour, minute = timedelta(hours=1), timedelta(minutes=1)
    with transaction() as session:
        asked_at = session.get_one(Query, uuid.UUID(run.query_id)).created_at
        others: list[tuple[timedelta, dict[str, Any]]] = [
            (minute, {"is_scripted": True}),
            (hour, {"is_scripted": False}),
            (2 * hour, {"is_scripted": True, "status": "queued"}),
        ]
        for age, over in others:
            values: dict[str, Any] = {"status": "running", "created_at": asked_at - age, **over}
            make_query(session, **values)

    def body(context: StepContext) -> StepResult:
        before = (asked_at - minute).timestamp() - context.log.terms.since
        assert 0.04 < before <= 0.1
        return done(context)

    execute(body, run, failed=None)


def test_all_that_a_worker_holds_is_handed_back_at_once(run: Run) -> None:  # A5
    with transaction() as session:
        for item, worker in (("1", worker_prefix() + "1:a"), ("2", worker_prefix() + "2:b"), ("3", "other:1:a")):
            steps.claim_items(session, run.query_id, 0, "probe", [item], worker=worker, lease_s=10, launch=1)
    with system_transaction() as session:
        assert parking.hand_back_all(session, worker_prefix()) == 2
    assert [tries_of(run, item) for item in "123"] == [(0, ""), (0, ""), (1, "other:1:a")]


def test_a_claim_that_could_not_be_handed_back_at_once_is_when_postgres_is_there_again(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:  # A5
    give_back, calls = parking.hand_back, list[int]()

    def away_at_first(*args: Any) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise DatabaseUnavailable
        give_back(*args)

    def body(_: StepContext) -> StepResult:
        raise DatabaseUnavailable

    monkeypatch.setattr(parking, "hand_back", away_at_first)
    with pytest.raises(DatabaseUnavailable):
        execute(body, run)
    # The redelivered message finds no claim in its way, and no try counted.
    execute(done, run)
    assert outcomes(run) == {"": {"status": "done"}}
    assert tries_of(run)[0] == 1


def test_who_was_fenced_and_hands_back_late_takes_only_the_blame_away(run: Run) -> None:  # A5
    with transaction() as session:
        late = steps.claim_items(session, run.query_id, 0, "probe", [""], worker="late", lease_s=-1, launch=1)
    with transaction() as session:
        steps.claim_items(session, run.query_id, 0, "probe", [""], worker="successor", lease_s=10, launch=1)
    with transaction() as session:
        parking.hand_back(session, run.query_id, 0, "probe", late)
    assert tries_of(run) == (1, "successor")


def test_a_worker_that_is_late_but_alive_leaves_no_blame(run: Run) -> None:  # A5
    def body(context: StepContext) -> StepResult:
        with transaction() as session:
            steps.claim_items(session, run.query_id, 0, "probe", [""], worker="successor", lease_s=10, launch=2)
        return done(context)

    with pytest.raises(Ignore):
        execute(body, run)
    assert tries_of(run) == (1, "successor")
    assert outcomes(run) == {}
