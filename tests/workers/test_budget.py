"""Deadlines and cost ceilings where steps are claimed, and abandoned queries whose deadline has passed."""

import time
import uuid
from typing import Any

import pytest
from sqlalchemy import text

from config.settings import RecoverySettings
from db.models import DEFAULT_TENANT, ModelCall, Query, QueryStatus
from db.queries.runs import events, queries, steps
from db.queries.runs.parking import list_degraded
from db.queries.verifications.batches import add_batch
from db.session import reading, system_transaction, transaction
from domain.query.budget import NO_CALL, NO_REPAIR
from services.core.context import StepContext, StepResult
from services.queries.results import read_query
from tests.factories import make_options, make_query
from tests.workers.executing import execute_step
from workers.background.reconciler import reconcile
from workers.execution.work import Step
from workers.pipeline import Run

pytestmark = pytest.mark.usefixtures("database")

FAILED = {"status": "not_checked", "verdict": None}
LATE = {**FAILED, "reason": "the query's deadline passed", "degraded": "the query's deadline passed"}


def started(age_s: float, *, launched: bool = True, **over: Any) -> Run:
    """A query that was accepted `age_s` seconds ago, with a deadline of 100 s."""
    values = {"deadline_s": 100.0, **over}
    with transaction() as session:
        query_id = make_query(session, options=make_options(**values).model_dump(mode="json")).id
    with transaction() as session:
        if launched:
            assert queries.mark_launched(session, query_id, 0) == 1
    grow_older(query_id, age_s)
    return Run(str(query_id), 1, 0, DEFAULT_TENANT)


def grow_older(query_id: uuid.UUID, seconds: float) -> None:
    back = "make_interval(secs => :s)"
    changed = ", ".join(f"{name} = {name} - {back}" for name in ("created_at", "started_at", "progress_at"))
    with system_transaction() as session:
        session.execute(text(f"UPDATE queries SET {changed} WHERE id = :q"), {"s": seconds, "q": query_id})


def outcome_of(run: Run, *, until: float = NO_CALL, failed: dict[str, Any] | None = FAILED) -> dict[str, Any]:
    def body(_: StepContext) -> StepResult:
        return StepResult.single({"status": "done"})

    execute_step(Step("probe", "probing", body, failed=failed, until=until), run)
    with reading() as session:
        return steps.list_outcomes(session, uuid.UUID(run.query_id))[0]["probe", ""]


@pytest.mark.parametrize("skew_s", [-300.0, 0.0, 300.0])
@pytest.mark.parametrize("age_s", [10.0, 90.0, 101.0])
def test_only_the_databases_clock_says_how_late_it_is(
    age_s: float, skew_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:  # A7
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + skew_s)
    run = started(age_s)
    assert outcome_of(run) == ({**LATE, "code": "deadline_exceeded"} if age_s > 100 else {"status": "done"})


def test_what_is_left_out_is_told() -> None:  # A7, N4
    run = started(101)
    outcome_of(run)
    told = read_query(uuid.UUID(run.query_id))
    assert told["degraded"] == [{"step": "probe", "reason": "the query's deadline passed"}]


def test_what_a_model_failed_at_is_told_as_left_out() -> None:  # S1.2, issue 37
    run, cut = started(1), "the server cut the prompt at 300 tokens"
    body = StepResult.single({"status": "not_checked", "verdict": None, "reason": cut})
    execute_step(Step("probe", "probing", lambda _: body), run)
    told = [{"step": "probe", "reason": cut}]
    with reading() as session:
        assert list_degraded(session, uuid.UUID(run.query_id)) == told
    assert read_query(uuid.UUID(run.query_id))["degraded"] == told


def test_repairs_are_left_out_before_checks_are() -> None:  # A7
    # Of 1,000 s, so that the percents do not move while a busy machine gets here.
    assert outcome_of(started(900, deadline_s=1_000.0), until=NO_CALL) == {"status": "done"}
    reason = "90% of the query's time was used"
    late = outcome_of(started(900, deadline_s=1_000.0), until=NO_REPAIR)
    assert late == {**FAILED, "reason": reason, "degraded": reason}


def test_what_asks_no_model_is_done_behind_the_deadline_too() -> None:  # A7
    assert outcome_of(started(1000), failed=None) == {"status": "done"}


@pytest.mark.parametrize(("ceiling", "is_left_out"), [(None, False), (0.01, False), (0.005, True), (0.001, True)])
def test_what_was_spent_is_held_against_the_ceiling(ceiling: float | None, is_left_out: bool) -> None:  # A7
    run = started(1, max_cost_usd=ceiling)
    spend(run, 0.005)
    outcome = outcome_of(run)
    assert outcome.get("code") == ("cost_ceiling" if is_left_out else None)
    assert outcome["status"] == ("not_checked" if is_left_out else "done")


def spend(run: Run, usd: float) -> None:
    tokens = dict.fromkeys(("prompt_tokens", "cached_tokens", "completion_tokens", "reasoning_tokens"), 0)
    names = dict.fromkeys(("step", "item", "provider", "model", "prompt", "prompt_version"), "x")
    call = ModelCall(
        query_id=uuid.UUID(run.query_id),
        round=0,
        attempt=1,
        estimated=False,
        cost_usd=usd,
        duration_ms=1.0,
        **tokens,
        **names,
    )
    with transaction() as session:
        session.add(call)


def look(run: Run) -> tuple[str, str | None]:
    reconcile(RecoverySettings(lease_s=10, stalled_s=60))
    with reading() as session:
        query = session.get_one(Query, uuid.UUID(run.query_id))
        return query.status, (query.error or {}).get("code")


@pytest.mark.usefixtures("broker")
@pytest.mark.parametrize("launched", [True, False])
def test_a_query_on_which_nobody_works_fails_behind_its_deadline(launched: bool) -> None:  # A7
    assert look(started(131, launched=launched)) == (QueryStatus.FAILED, "deadline_exceeded")


@pytest.mark.usefixtures("broker")
def test_work_that_goes_on_is_not_ended() -> None:  # A7
    working, within = started(131), started(120)
    with transaction() as session:
        steps.claim_items(session, working.query_id, 0, "probe", [""], worker="w", lease_s=10, launch=1)
    assert look(working) == look(within) == (QueryStatus.RUNNING, None)
    progressing = started(131)
    with transaction() as session:
        assert events.record_progress(session, uuid.UUID(progressing.query_id), "verifying")
    assert look(progressing) == (QueryStatus.RUNNING, None)


@pytest.mark.usefixtures("broker")
def test_the_time_of_an_item_of_a_batch_begins_with_its_turn() -> None:  # A7, N2
    waiting = started(1000, launched=False)
    with transaction() as session:
        add_batch(session, batch_id := uuid.uuid4(), 1, None)
        queries.get_query(session, uuid.UUID(waiting.query_id)).batch_id = batch_id
    assert look(waiting)[0] in (QueryStatus.QUEUED, QueryStatus.RUNNING)
    with reading() as session:
        launch = queries.get_query(session, uuid.UUID(waiting.query_id)).launch
    with transaction() as session:
        if not launch:
            launch = queries.mark_launched(session, uuid.UUID(waiting.query_id), 0) or 0
    assert outcome_of(waiting._replace(launch=launch)) == {"status": "done"}


@pytest.mark.parametrize("step", ["probe", "earlier"])
def test_a_deadline_names_the_last_failure_of_the_model_that_was_waited_for(step: str) -> None:
    run = started(101)
    with transaction() as session:
        for error, name in ((None, "earlier"), ("HTTP 503: Loading model", step)):
            call = dict.fromkeys(("prompt_tokens", "cached_tokens", "completion_tokens", "reasoning_tokens"), 0)
            call |= {"provider": "p", "model": "m", "prompt": "x", "prompt_version": "1", "attempt": 1, "item": ""}
            call |= {"estimated": False, "cost_usd": 0, "duration_ms": 1, "kept": False, "hedged": False}
            session.add(ModelCall(query_id=uuid.UUID(run.query_id), round=0, step=name, error=error, **call))
    reason = outcome_of(run)["reason"]
    assert reason == "the query's deadline passed; the last try of m failed: HTTP 503: Loading model"
