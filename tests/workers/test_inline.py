"""A message that carries several steps, and one that goes on with what follows in place."""

import asyncio
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from typing import Any

import pytest
from celery import Signature, chain, chord
from celery.exceptions import Ignore, Reject
from sqlalchemy import text
from sqlalchemy.orm import Session

import services.core.context
from clients.llm.protocol import CallDeferred, CallRecord, Usage
from db.models import DEFAULT_TENANT, QueryStatus
from db.queries.runs import events, model_calls, queries, step_io, steps
from db.queries.verifications import batches
from db.session import acting_for, reading, system_transaction, transaction
from domain.errors.service import DatabaseUnavailable
from domain.query.outcomes import Closed
from services.core.context import QuerySnapshot, StepContext, StepResult
from services.finishing.completion import finish
from tests.factories import make_chunk, make_document, make_options, make_query
from tests.workers.executing import execute_work
from workers import pipeline
from workers.celery_app import app
from workers.execution import claims, executor
from workers.execution import work as work_module
from workers.execution.claims import Acquired, acquire
from workers.execution.work import Continuation, Next, Part, RetryLater, Step, Work, register, work_for
from workers.pipeline import Run
from workers.processes.runtime import tools
from workers.queues import Queue

FAILED = {"status": "not_checked"}

pytestmark = pytest.mark.usefixtures("broker")


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process serves the verification queue, and its tasks of these tests are forgotten afterwards."""
    monkeypatch.setattr(work_module, "_served", frozenset({"verification"}))
    monkeypatch.setattr(work_module, "_steps", {})


class Play:
    """Steps that note when they were done; each may be told what to do instead."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.errors: dict[str, list[Exception]] = {}

    def step(self, name: str, *, failed: Mapping[str, Any] | None = None, then: Next | None = None) -> Step:
        async def body(context: StepContext) -> StepResult:
            self.seen.append(name)
            context.log.records.append(CallRecord("groq", "m", name, "0" * 12, 1, 1.0, Usage(1, 1)))
            if self.errors.get(name):
                raise self.errors[name].pop()
            return StepResult({item: {"by": name} for item in context.items})

        return Step(name, name, body, failed=failed, follows=then)

    def work(self, run: Run, *names: str) -> Work:
        return Work(run, tuple(Part(self.step(name, failed=FAILED), ("",)) for name in names))


@pytest.fixture
def play() -> Play:
    return Play()


def outcomes(run: Run) -> dict[str, dict[str, Any]]:
    with reading() as session:
        found = steps.list_outcomes(session, uuid.UUID(run.query_id)).get(run.round, {})
    return {step: value for (step, _), value in found.items()}


def calls(run: Run) -> list[tuple[str, str]]:
    with reading() as session:
        return [(call.step, call.prompt) for call in model_calls.list_model_calls(session, uuid.UUID(run.query_id))]


def stages(run: Run) -> list[str]:
    with reading() as session:
        found = events.list_events(session, uuid.UUID(run.query_id))
    return [event.data["stage"] for event in found if event.type == "stage"]


def link(name: str, run: Run, queue: str = "verification") -> Signature[Any]:
    return app.signature(f"query.{name}", args=run, immutable=True, queue=queue)


def carried(*links: Signature[Any]) -> Sequence[Any]:
    """A message's own chain, as Celery gives it to a task."""
    return [dict(each) for each in reversed(links)]


def always(canvas: Signature[Any]) -> Next:
    return lambda _, __: canvas


def free(run: Run) -> None:
    """Let the time pass for which claims are put off."""
    with system_transaction() as session:
        session.execute(text("UPDATE step_outcomes SET lease_until = now() WHERE value IS NULL"))


def test_the_steps_of_one_message_are_outcomes_and_bills_of_their_own(run: Run, play: Play) -> None:  # A4
    execute_work(play.work(run, "a", "b"), Continuation())
    assert outcomes(run) == {"a": {"by": "a"}, "b": {"by": "b"}}
    assert sorted(calls(run)) == [("a", "a"), ("b", "b")]


def test_a_broken_step_of_several_is_a_value_and_the_others_are_kept(run: Run, play: Play) -> None:  # N4
    play.errors = {"a": [ValueError("broken")]}
    execute_work(play.work(run, "a", "b"), Continuation())
    assert outcomes(run) == {"a": {**FAILED, "reason": "internal error (ValueError)"}, "b": {"by": "b"}}


def test_only_what_had_to_wait_comes_again(run: Run, play: Play) -> None:  # A7, A5
    play.errors = {"a": [CallDeferred(1.0, "the allowance is used up")]}
    work = play.work(run, "a", "b", "c")
    with pytest.raises(RetryLater):
        execute_work(work, Continuation())
    assert outcomes(run) == {"b": {"by": "b"}, "c": {"by": "c"}}
    free(run)
    execute_work(work, Continuation())
    assert sorted(play.seen) == ["a", "a", "b", "c"]
    assert set(outcomes(run)) == {"a", "b", "c"}
    assert sorted(step for step, _ in calls(run)) == ["a", "a", "b", "c"]


def test_all_come_again_when_postgres_was_away_and_nothing_is_billed_twice(run: Run, play: Play) -> None:  # A5, A4
    play.errors = {"a": [DatabaseUnavailable()]}
    work = play.work(run, "a", "b")
    with pytest.raises(DatabaseUnavailable):
        execute_work(work, Continuation())
    assert outcomes(run) == {}
    assert sorted(step for step, _ in calls(run)) == ["a", "b"]
    execute_work(work, Continuation())
    assert set(outcomes(run)) == {"a", "b"}
    with system_transaction() as session:
        assert set(session.scalars(text("SELECT tries FROM step_outcomes"))) == {1}


def test_what_another_message_did_is_not_done_again(run: Run, play: Play) -> None:  # A5
    execute_work(play.work(run, "a"), Continuation())
    execute_work(play.work(run, "a", "b"), Continuation())
    assert play.seen == ["a", "b"]


@pytest.mark.usefixtures("serving")
def test_what_is_built_behind_a_step_is_done_in_place(run: Run, play: Play, broker: Any) -> None:
    for name in ("b", "c"):
        register(f"query.{name}", [play.step(name)])
    first = play.step("a", then=lambda run_, _: chain(link("b", run_), link("c", run_)))
    execute_work(Work.single(first, run), Continuation())
    assert play.seen == ["a", "b", "c"]
    assert set(outcomes(run)) == {"a", "b", "c"}
    assert stages(run) == ["a", "b", "c"]
    assert broker.llen("verification") == 0


def test_every_chain_of_the_workflow_can_be_done_in_place(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    app.loader.import_default_modules()
    monkeypatch.setattr(work_module, "_served", frozenset(queue.value for queue in Queue))
    chains = {
        "score_chunks": pipeline.scoring_canvas(run, [["1", "2"]]),
        "select": pipeline.scoring_canvas(run, []),
        "conclude": pipeline.conclude_canvas(run),
        "assess": pipeline.single(run, "assess"),
        "repair_statements": pipeline.repair_canvas(run, [["s0"]]),
        "check_answer": pipeline.checking_canvas(run, []),
        "plan_queries": pipeline.start_canvas(run._replace(round=1), make_options()),
    }
    query = QuerySnapshot(uuid.UUID(run.query_id), 1, "?", "m", "p", make_options())
    context = StepContext(query, 0, (), {}, tools())
    for name, canvas in chains.items():
        before = Step("before", "before", lambda _: StepResult({}), follows=always(canvas))
        continuation = Continuation()
        continuation.build(Work.single(before, run), context)
        following = continuation.next()
        assert following is not None
        assert following.parts == work_for(f"query.{name}", following.run, following.parts[0].items).parts


@pytest.mark.parametrize("batches", [[["1"], ["2"]], [["1", "2"], ["3"]]])
@pytest.mark.usefixtures("serving")
def test_what_runs_side_by_side_is_launched(run: Run, play: Play, broker: Any, batches: list[list[str]]) -> None:
    execute_work(
        Work.single(play.step("a", then=lambda run_, _: pipeline.repair_canvas(run_, batches)), run), Continuation()
    )
    assert play.seen == ["a"]
    assert broker.llen("verification") == 2


@pytest.mark.usefixtures("serving")
def test_what_belongs_to_another_queue_is_launched(run: Run, play: Play, broker: Any) -> None:
    for name in ("b", "c"):
        register(f"query.{name}", [play.step(name)])
    first = play.step("a", then=lambda run_, _: chain(link("b", run_), link("c", run_, "retrieval")))
    execute_work(Work.single(first, run), Continuation())
    assert play.seen == ["a", "b"]
    assert (broker.llen("verification"), broker.llen("retrieval")) == (0, 1)


def test_a_process_that_serves_nothing_launches_the_canvas_as_it_is(run: Run, play: Play, broker: Any) -> None:
    execute_work(Work.single(play.step("a", then=lambda run_, _: pipeline.conclude_canvas(run_)), run), Continuation())
    assert play.seen == ["a"]
    assert broker.llen("verification") == 1


def test_what_follows_is_never_built_on_the_loop(run: Run, play: Play) -> None:  # A2
    threads: list[str] = []

    def then(_: Run, __: StepContext) -> None:
        threads.append(threading.current_thread().name)

    for _ in range(2):  # a message that comes again finds the step done
        execute_work(Work.single(play.step("a", then=then), run), Continuation())
    assert threads
    assert "loop" not in threads


@pytest.mark.usefixtures("serving")
def test_what_is_not_done_of_the_messages_own_chain_is_launched(run: Run, play: Play, broker: Any) -> None:
    register("query.b", [play.step("b")])
    execute_work(play.work(run, "a"), Continuation(carried(link("b", run), link("c", run, "retrieval"))))
    assert play.seen == ["a", "b"]
    assert broker.llen("retrieval") == 1


@pytest.mark.usefixtures("serving")
def test_a_step_in_place_that_has_to_wait_brings_its_message_again(run: Run, play: Play) -> None:  # A7
    register("query.b", [play.step("b")])
    play.errors = {"b": [CallDeferred(1.0, "the allowance is used up")]}
    for _ in range(2):
        follows = Continuation(carried(link("b", run)))
        if play.errors["b"]:
            with pytest.raises(RetryLater):
                execute_work(play.work(run, "a"), follows)
            assert outcomes(run) == {"a": {"by": "a"}}
            free(run)
        else:
            execute_work(play.work(run, "a"), follows)
    assert play.seen == ["a", "b", "b"]
    assert outcomes(run)["b"] == {"by": "b"}
    with system_transaction() as session:
        assert set(session.scalars(text("SELECT tries FROM step_outcomes"))) == {1}


@pytest.mark.usefixtures("serving")
def test_what_another_worker_holds_is_left_to_it(run: Run, play: Play) -> None:  # A5
    register("query.b", [play.step("b")])
    with transaction() as session:
        steps.claim_items(session, run.query_id, 0, "b", [""], worker="another", lease_s=10, launch=1)
    with pytest.raises(Ignore):
        execute_work(play.work(run, "a"), Continuation(carried(link("b", run))))
    assert play.seen == ["a"]
    assert set(outcomes(run)) == {"a"}


@pytest.mark.usefixtures("serving")
def test_what_is_partly_held_is_not_kept_from_others(run: Run, play: Play) -> None:  # A5
    register("query.both", [play.step("b"), play.step("c")])
    with transaction() as session:
        steps.claim_items(session, run.query_id, 0, "b", [""], worker="another", lease_s=10, launch=1)
    with pytest.raises(Ignore):
        execute_work(play.work(run, "a"), Continuation(carried(link("both", run))))
    assert play.seen == ["a", "c"]
    assert set(outcomes(run)) == {"a", "c"}


@pytest.mark.usefixtures("serving")
def test_nothing_follows_in_place_when_the_query_was_started_again(run: Run, play: Play) -> None:  # A5
    def launched_meanwhile(run_: Run, _: StepContext) -> Signature[Any]:
        with transaction() as session:
            queries.mark_launched(session, uuid.UUID(run_.query_id), run_.launch)
        return link("b", run_)

    register("query.b", [play.step("b")])
    with pytest.raises(Ignore):
        execute_work(Work.single(play.step("a", then=launched_meanwhile), run), Continuation())
    assert play.seen == ["a"]
    with system_transaction() as session:
        assert session.scalars(text("SELECT step FROM step_outcomes")).all() == ["a"]


@pytest.mark.usefixtures("serving")
def test_nothing_follows_in_place_when_the_query_has_ended(run: Run, play: Play) -> None:  # A3
    def cancelled_meanwhile(run_: Run, _: StepContext) -> Signature[Any]:
        with transaction() as session:
            finish(session, uuid.UUID(run_.query_id), QueryStatus.CANCELLED)
        return link("b", run_)

    register("query.b", [play.step("b")])
    with pytest.raises(Ignore):
        execute_work(Work.single(play.step("a", then=cancelled_meanwhile), run), Continuation())
    assert (play.seen, outcomes(run)) == (["a"], {})
    assert calls(run) == [("a", "a")]


@pytest.mark.usefixtures("serving")
def test_what_follows_sees_what_was_done_and_its_own_budget(run: Run, play: Play) -> None:  # A7
    seen: list[Any] = []

    def look(context: StepContext) -> StepResult:
        seen.extend([context.outcome("a"), context.outcome("b"), context.budget.left_s, context.items])
        return StepResult.single({"by": "look"})

    register("query.look", [Step("look", "looking", look)])
    follows = Continuation(carried(link("look", run)))
    execute_work(play.work(run, "a", "b"), follows)
    assert seen[:2] == [{"by": "a"}, {"by": "b"}]
    assert 290 < seen[2] <= 300
    assert seen[3] == ("",)


@pytest.mark.usefixtures("serving")
def test_a_process_whose_time_is_over_begins_nothing_in_place(
    run: Run, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:  # A5
    def ends(run_: Run, _: StepContext) -> Signature[Any]:
        # What follows may be claimed already when the time is over: then the claim must not wait for its lease.
        monkeypatch.setattr(claims, "_over", over)
        return link("b", run_)

    over = threading.Event()
    over.set()
    register("query.b", [play.step("b")])
    first = Work.single(play.step("a", then=ends), run)
    with pytest.raises(Reject) as rejected:
        execute_work(first, Continuation())
    assert vars(rejected.value)["requeue"] is True
    assert play.seen == ["a"]
    assert set(outcomes(run)) == {"a"}
    # Another process does it, from the message that was put back.
    monkeypatch.setattr(claims, "_over", threading.Event())
    execute_work(Work.single(play.step("a", then=always(link("b", run))), run), Continuation())
    assert play.seen == ["a", "b"]
    with system_transaction() as session:
        assert set(session.scalars(text("SELECT tries FROM step_outcomes"))) == {1}


def test_a_message_that_finds_its_work_done_takes_no_stage_back(run: Run, play: Play) -> None:  # A4
    before, after = play.work(run, "a"), play.work(run, "b")
    for work in (before, after, before):
        execute_work(work, Continuation())
    assert play.seen == ["a", "b"]
    assert stages(run) == ["a", "b"]
    with reading() as session:
        assert queries.get_query(session, uuid.UUID(run.query_id)).stage == "b"


def test_a_step_that_is_claimed_when_the_time_is_over_is_never_begun(
    run: Run, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:  # A5
    over = threading.Event()

    async def acquire_late(work: Work) -> Acquired | None:
        acquired = await acquire(work)
        # Too late for the look that stops all others.
        over.set()
        return acquired

    monkeypatch.setattr(executor, "acquire", acquire_late)
    monkeypatch.setattr(claims, "_over", over)
    with pytest.raises(Reject):
        execute_work(play.work(run, "a"), Continuation())
    assert (play.seen, outcomes(run)) == ([], {})


def test_calls_of_a_step_that_has_to_wait_are_billed_when_nobody_needs_it_any_more(run: Run, play: Play) -> None:  # A4
    play.errors = {"a": [CallDeferred(1.0, "the allowance is used up")]}

    def cancelling(_: StepContext) -> StepResult:
        with transaction() as session:
            finish(session, uuid.UUID(run.query_id), QueryStatus.CANCELLED)
        return StepResult.single({})

    waiting, other = Part(play.step("a", failed=FAILED), ("",)), Part(Step("b", "b", cancelling, failed=FAILED), ("",))
    with pytest.raises(Ignore):
        execute_work(Work(run, (waiting, other)), Continuation())
    assert calls(run) == [("a", "a")]


def items_of(run: Run, name: str, *items: str, queue: str = "verification") -> Signature[Any]:
    return app.signature(f"query.{name}", args=(*run, list(items)), immutable=True, queue=queue)


def then_all(name: str, *batches: Sequence[str], queue: str = "verification", follows: str = "end") -> Next:
    """A chord over these items, and what waits for all of them."""

    def build(run: Run, _: StepContext) -> Signature[Any]:
        return chord([items_of(run, name, *batch, queue=queue) for batch in batches], link(follows, run))

    return build


def stored_items(run: Run) -> list[tuple[str, str]]:
    with reading() as session:
        found = steps.list_outcomes(session, uuid.UUID(run.query_id)).get(run.round, {})
    return sorted(found)


@pytest.mark.usefixtures("serving")
def test_the_header_of_a_chord_is_one_work_in_place(run: Run, play: Play, broker: Any) -> None:  # A2
    register("query.b", [play.step("b")])
    register("query.end", [play.step("end")])
    execute_work(Work.single(play.step("a", then=then_all("b", ["1"], ["2", "3"])), run), Continuation())
    assert play.seen == ["a", "b", "end"]
    assert stored_items(run) == [("a", ""), ("b", "1"), ("b", "2"), ("b", "3"), ("end", "")]
    assert broker.llen("verification") == 0


@pytest.mark.parametrize(
    ("batches", "queue"), [([[str(n) for n in range(20)], [str(n) for n in range(20, 40)]], "verification"),
                           ([["1"], ["2"]], "reranking")],
)  # fmt: skip
@pytest.mark.usefixtures("serving")
def test_a_chord_that_is_wide_or_belongs_elsewhere_is_published(
    run: Run, play: Play, broker: Any, batches: list[list[str]], queue: str
) -> None:  # A1
    register("query.b", [play.step("b")])
    register("query.end", [play.step("end")])
    execute_work(Work.single(play.step("a", then=then_all("b", *batches, queue=queue)), run), Continuation())
    assert play.seen == ["a"]
    assert broker.llen(queue) == 2


@pytest.mark.usefixtures("serving")
def test_what_a_step_hands_on_in_place_is_waited_for_and_seen(run: Run, play: Play, broker: Any) -> None:  # N1
    seen: list[Any] = []
    both = threading.Barrier(2, timeout=20)

    def writing(context: StepContext) -> StepResult:
        assert context.dispatch([("draft", {"start": 0, "text": "So."})], "b1", Closed(sentences=[]))
        # It is at work while this one still is.
        both.wait()
        return StepResult.single({"status": "complete"})

    def checking(context: StepContext) -> StepResult:
        both.wait()
        return StepResult({item: {"checked": True} for item in context.items})

    def ending(context: StepContext) -> StepResult:
        seen.append({key for key in context.outcomes if key[0] in ("early", "rest")})
        return StepResult.single({"status": "done"})

    register("query.early", [Step("early", None, checking, failed=FAILED)])
    register("query.rest", [play.step("rest")])
    register("query.side", [play.step("side")])
    register("query.end", [Step("end", "ending", ending)])
    writer = Step(
        "write",
        "writing",
        writing,
        adds=lambda run_, _: [items_of(run_, "rest", "r1"), items_of(run_, "rest", "r2")],
        spreads=lambda run_, item: items_of(run_, "early", item),
    )
    register("query.write", [writer])

    def drafting(run_: Run, _: StepContext) -> Signature[Any]:
        return chord([link("write", run_), link("side", run_)], link("end", run_))

    execute_work(Work.single(play.step("a", then=drafting), run), Continuation())
    assert play.seen == ["a", "side", "rest"]
    assert seen == [{("early", "b1"), ("rest", "r1"), ("rest", "r2")}]
    assert broker.llen("verification") == 0


class Drafting:
    """Behind "a" comes a chord of "write" and "side", and then "end". "write" adds "rest", which ends before "side"."""

    def __init__(self, play: Play, broken: Exception | None = None) -> None:
        self.seen_at_end: list[set[tuple[str, str]]] = []
        self.ended: list[str] = []
        self.is_begun = threading.Event()
        self._broken = [broken] if broken else []
        register("query.write", [replace(play.step("write"), adds=self._added)])
        register("query.side", [Step("side", None, self._side, failed=FAILED)])
        register("query.rest", [Step("rest", "resting", self._rest, failed=FAILED)])
        register("query.end", [Step("end", "ending", self._end)])
        self._first = play.step(
            "a", then=lambda run, _: chord([link("write", run), link("side", run)], link("end", run))
        )

    def work(self, run: Run) -> Work:
        return Work.single(self._first, run)

    def _added(self, run: Run, _: StepContext) -> Sequence[Signature[Any]]:
        return [items_of(run, "rest", "r1", "r2")]

    async def _side(self, context: StepContext) -> StepResult:
        context.log.records.append(CallRecord("groq", "m", "side", "0" * 12, 1, 1.0, Usage(1, 1)))
        assert await asyncio.to_thread(self.is_begun.wait, 20)
        # What was added is done by now, were it not for what is to be done with it.
        await asyncio.sleep(0.2)
        self.ended.append("side")
        if self._broken:
            raise self._broken.pop()
        return StepResult.single({"by": "side"})

    async def _rest(self, context: StepContext) -> StepResult:
        self.is_begun.set()
        return StepResult({item: {"by": "rest"} for item in context.items})

    def _end(self, context: StepContext) -> StepResult:
        self.seen_at_end.append(set(context.outcomes))
        return StepResult.single({"status": "done"})


@pytest.fixture
def completions(monkeypatch: pytest.MonkeyPatch) -> list[step_io.Completion]:
    """What is stored, a transaction each."""
    stored: list[step_io.Completion] = []
    complete_steps = step_io.complete_steps

    async def note(
        completion: step_io.Completion, following: step_io.ClaimRequest | None = None
    ) -> step_io.CompletionResult:
        stored.append(completion)
        return await complete_steps(completion, following)

    monkeypatch.setattr(step_io, "complete_steps", note)
    return stored


ALL_DRAFTED = [("a", ""), ("end", ""), ("rest", "r1"), ("rest", "r2"), ("side", ""), ("write", "")]


@pytest.mark.usefixtures("serving")
def test_what_a_step_adds_does_not_wait_for_those_beside_it(  # A2
    run: Run, play: Play, completions: list[step_io.Completion]
) -> None:
    drafting = Drafting(play)
    execute_work(drafting.work(run), Continuation())
    # No transaction more than when all of them end together.
    stored = [sorted({step for step, _ in each.values}) for each in completions]
    assert stored == [["a"], ["write"], ["rest", "side"], ["end"]]
    assert drafting.seen_at_end == [set(ALL_DRAFTED) - {("end", "")}]
    assert stored_items(run) == ALL_DRAFTED
    assert sorted(calls(run)) == [("a", "a"), ("side", "side"), ("write", "write")]


@pytest.mark.usefixtures("serving")
def test_what_is_beside_and_has_to_wait_comes_again_alone(run: Run, play: Play) -> None:  # A5, A7
    drafting = Drafting(play, CallDeferred(1.0, "the allowance is used up"))
    with pytest.raises(RetryLater):
        execute_work(drafting.work(run), Continuation())
    assert stored_items(run) == [each for each in ALL_DRAFTED if each[0] not in ("side", "end")]
    free(run)
    execute_work(drafting.work(run), Continuation())
    assert stored_items(run) == ALL_DRAFTED
    assert play.seen == ["a", "write"]
    with system_transaction() as session:
        assert set(session.scalars(text("SELECT tries FROM step_outcomes"))) == {1}


@pytest.mark.usefixtures("serving")
def test_all_beside_comes_again_when_postgres_was_away(run: Run, play: Play) -> None:  # A5, A4
    drafting = Drafting(play, DatabaseUnavailable())
    with pytest.raises(DatabaseUnavailable):
        execute_work(drafting.work(run), Continuation())
    assert stored_items(run) == [("a", ""), ("write", "")]
    execute_work(drafting.work(run), Continuation())
    # What "write" added was not done, and is not added again: here nobody plans what is left.
    assert stored_items(run) == [("a", ""), ("end", ""), ("side", ""), ("write", "")]
    assert sorted(calls(run)) == [("a", "a"), ("side", "side"), ("side", "side"), ("write", "write")]


@pytest.mark.usefixtures("serving")
def test_what_is_beside_asks_to_its_end_when_postgres_goes_away(  # A4
    run: Run, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafting, complete_steps = Drafting(play), step_io.complete_steps

    async def away(
        completion: step_io.Completion, following: step_io.ClaimRequest | None = None
    ) -> step_io.CompletionResult:
        if ("write", "") in completion.values:
            drafting.is_begun.set()
            raise DatabaseUnavailable
        return await complete_steps(completion, following)

    monkeypatch.setattr(step_io, "complete_steps", away)
    with pytest.raises(DatabaseUnavailable):
        execute_work(drafting.work(run), Continuation())
    assert drafting.ended == ["side"]
    assert sorted(calls(run)) == [("a", "a"), ("side", "side"), ("write", "write")]
    monkeypatch.setattr(step_io, "complete_steps", complete_steps)
    execute_work(drafting.work(run), Continuation())
    assert stored_items(run) == ALL_DRAFTED


@pytest.mark.usefixtures("serving")
def test_what_is_beside_is_kept_when_another_worker_has_what_was_added(run: Run, play: Play) -> None:  # A5
    with transaction() as session:
        steps.claim_items(session, run.query_id, 0, "rest", ["r2"], worker="another", lease_s=10, launch=1)
    with pytest.raises(Ignore):
        execute_work(Drafting(play).work(run), Continuation())
    assert stored_items(run) == [("a", ""), ("rest", "r1"), ("side", ""), ("write", "")]


@pytest.mark.parametrize("is_cancelled", [True, False])
@pytest.mark.usefixtures("serving")
def test_what_is_beside_is_stopped_and_billed_when_nobody_needs_it(  # A3, A4
    run: Run, play: Play, monkeypatch: pytest.MonkeyPatch, *, is_cancelled: bool
) -> None:
    """The query is cancelled, or started again, as what was written is stored."""
    drafting, complete_steps = Drafting(play), step_io.complete_steps

    async def too_late(
        completion: step_io.Completion, following: step_io.ClaimRequest | None = None
    ) -> step_io.CompletionResult:
        if ("write", "") in completion.values:
            with transaction() as session:
                if is_cancelled:
                    finish(session, uuid.UUID(run.query_id), QueryStatus.CANCELLED)
                else:
                    queries.mark_launched(session, uuid.UUID(run.query_id), run.launch)
        return await complete_steps(completion, following)

    monkeypatch.setattr(step_io, "complete_steps", too_late)
    began = time.monotonic()
    with pytest.raises(Ignore):
        execute_work(drafting.work(run), Continuation())
    assert time.monotonic() - began < 10  # "side" would have waited for what is never begun
    assert drafting.ended == []
    assert sorted(calls(run)) == [("a", "a"), ("side", "side"), ("write", "write")]


class Waiting:
    """Behind "a" comes a chord of three items of "b" and of one step beside them, all of which wait for ever."""

    def __init__(self, play: Play) -> None:
        self._begun = threading.Semaphore(0)
        for name in ("b", "side"):
            register(f"query.{name}", [Step(name, name, self._wait, failed=FAILED)])
        register("query.end", [play.step("end")])
        self._first = play.step("a", then=self._header)

    def _header(self, run: Run, _: StepContext) -> Signature[Any]:
        return chord([items_of(run, "b", "1", "2"), items_of(run, "b", "3"), link("side", run)], link("end", run))

    async def _wait(self, context: StepContext) -> StepResult:
        context.log.records.append(CallRecord("groq", "m", context.items[0], "0" * 12, 1, 1.0, Usage(1, 1)))
        self._begun.release()
        await asyncio.sleep(60)
        raise AssertionError

    def interrupted(self, run: Run, interrupt: Callable[[], object]) -> None:
        """Execute until all are at work, and then `interrupt`."""

        def interrupt_it() -> None:
            for _ in range(2):
                assert self._begun.acquire(timeout=20)
            interrupt()

        with acting_for(run.tenant):
            thread = threading.Thread(target=copy_context().run, args=(interrupt_it,))
            thread.start()
            try:
                execute_work(Work.single(self._first, run), Continuation())
            finally:
                thread.join()


@pytest.mark.usefixtures("serving")
def test_a_cancel_stops_all_that_runs_side_by_side_and_what_it_cost_is_booked(run: Run, play: Play) -> None:  # A3, A4
    def cancel() -> None:
        with transaction() as session:
            finish(session, uuid.UUID(run.query_id), QueryStatus.CANCELLED)
        claims.held_claims().renew()

    began = time.monotonic()
    with pytest.raises(Ignore):
        Waiting(play).interrupted(run, cancel)
    assert time.monotonic() - began < 30
    assert stored_items(run) == [("a", "")]
    assert sorted(step for step, _ in calls(run)) == ["a", "b", "side"]


@pytest.mark.usefixtures("serving")
def test_a_process_that_drains_hands_back_all_that_runs_side_by_side(  # A5
    run: Run, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "_over", threading.Event())
    with pytest.raises(Reject):
        Waiting(play).interrupted(run, lambda: claims.start_draining(wait=False))
    assert stored_items(run) == [("a", "")]
    assert sorted(step for step, _ in calls(run)) == ["a", "b", "side"]
    with system_transaction() as session:
        held = session.execute(text("SELECT step, tries, worker FROM step_outcomes WHERE value IS NULL")).all()
    assert sorted(held) == [("b", 0, "")] * 3 + [("side", 0, "")]


@pytest.mark.usefixtures("serving")
def test_an_error_of_what_was_added_waits_for_what_is_beside_and_ends_the_query(run: Run, play: Play) -> None:  # N4
    drafting = Drafting(play)

    async def broken(_: StepContext) -> StepResult:
        drafting.is_begun.set()
        raise ValueError("broken")

    register("query.rest", [Step("rest", "resting", broken)])
    with pytest.raises(ValueError, match="broken"):
        execute_work(drafting.work(run), Continuation())
    assert drafting.ended == ["side"]
    assert sorted(calls(run)) == [("a", "a"), ("side", "side"), ("write", "write")]
    with reading() as session:
        assert queries.get_query(session, uuid.UUID(run.query_id)).status == QueryStatus.FAILED


@pytest.mark.usefixtures("serving")
def test_what_was_handed_on_and_has_ended_is_not_read_again(  # A2
    run: Run, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[tuple[str, str]]] = []
    claimed: list[list[str]] = []
    claim_steps = step_io.claim_steps

    async def note(query_id: str, request: step_io.ClaimRequest) -> step_io.ClaimedSteps | None:
        claimed.append([step for step, _ in request.keys])
        return await claim_steps(query_id, request)

    def writing(context: StepContext) -> StepResult:
        assert context.dispatch([("draft", {"start": 0, "text": "So."})], "b1", Closed(sentences=[]))
        return StepResult.single({"status": "complete"})

    async def checking_the_rest(context: StepContext) -> StepResult:
        while ("early", "b1") not in await asyncio.to_thread(stored_items, run):
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.2)
        return StepResult({item: {"by": "rest"} for item in context.items})

    def ending(context: StepContext) -> StepResult:
        seen.append({key for key in context.outcomes if key[0] in ("early", "sentences", "rest")})
        return StepResult.single({"status": "done"})

    register("query.early", [play.step("early")])
    register("query.rest", [Step("rest", "resting", checking_the_rest)])
    register("query.end", [Step("end", "ending", ending)])
    writer = Step(
        "write",
        "writing",
        writing,
        adds=lambda run_, _: [items_of(run_, "rest", "r1")],
        spreads=lambda run_, item: items_of(run_, "early", item),
    )
    register("query.write", [writer])
    register("query.side", [play.step("side")])
    drafting = always(chord([link("write", run), link("side", run)], link("end", run)))
    monkeypatch.setattr(step_io, "claim_steps", note)
    execute_work(Work.single(play.step("a", then=drafting), run), Continuation())
    assert sorted(claimed) == [["a"], ["early"]]
    assert seen == [{("early", "b1"), ("sentences", "b1"), ("rest", "r1")}]


@pytest.mark.usefixtures("serving")
def test_what_is_handed_on_and_breaks_leaves_the_rest_as_it_is(run: Run, play: Play) -> None:  # N1, N4
    def writing(context: StepContext) -> StepResult:
        assert context.dispatch([("draft", {"start": 0, "text": "So."})], "b1", Closed(sentences=[]))
        return StepResult.single({"status": "complete"})

    play.errors = {"early": [ValueError("broken")]}
    register("query.early", [play.step("early")])
    register("query.end", [play.step("end")])
    register("query.side", [play.step("side")])
    spreads = Step("write", "writing", writing, spreads=lambda run_, item: items_of(run_, "early", item))
    register("query.write", [spreads])
    drafting = always(chord([link("write", run), link("side", run)], link("end", run)))
    execute_work(Work.single(play.step("a", then=drafting), run), Continuation())
    assert stored_items(run) == [("a", ""), ("end", ""), ("sentences", "b1"), ("side", ""), ("write", "")]


@pytest.mark.usefixtures("serving")
def test_what_follows_in_place_has_the_passages_that_were_loaded_unless_it_looks_anew(run: Run) -> None:  # N3
    seen: dict[str, object] = {}

    def step(name: str, *, fresh: bool = False) -> Step:
        def look(context: StepContext) -> StepResult:
            seen[name] = context.passage_cache
            return StepResult.single({"by": name})

        return Step(name, name, look, fresh=fresh)

    for each in (step("b"), step("c", fresh=True), step("d")):
        register(f"query.{each.name}", [each])
    execute_work(Work.single(step("a"), run), Continuation(carried(*(link(name, run) for name in "bcd"))))
    assert seen["a"] is seen["b"]
    assert seen["b"] is not seen["c"]
    assert seen["c"] is seen["d"]


def deriving(run: Run, play: Play, *, error: Exception | None = None) -> Continuation:
    """Behind "a" comes "b", which is derived from it, and then "c"."""
    play.errors = {"b": [error]} if error else {}
    register("query.b", [replace(play.step("b"), derived=True)])
    register("query.c", [play.step("c")])
    return Continuation(carried(link("b", run), link("c", run)))


@pytest.mark.usefixtures("serving")
def test_what_is_derived_is_stored_with_what_it_is_derived_from(  # A4
    run: Run, play: Play, completions: list[step_io.Completion]
) -> None:
    execute_work(play.work(run, "a"), deriving(run, play))
    assert play.seen == ["a", "b", "c"]
    stored = [[*(step for step, _ in each.values), *each.also] for each in completions]
    assert stored == [["a", "b"], ["c"]]
    assert outcomes(run) == {"a": {"by": "a"}, "b": {"by": "b"}, "c": {"by": "c"}}
    assert sorted(calls(run)) == [("a", "a"), ("b", "b"), ("c", "c")]
    # Nobody is ever within what is derived.
    assert stages(run) == ["a", "c"]


@pytest.mark.usefixtures("serving")
def test_without_what_is_derived_nothing_is_stored_and_all_of_it_is_done_again(run: Run, play: Play) -> None:  # A5
    with pytest.raises(DatabaseUnavailable):
        execute_work(play.work(run, "a"), deriving(run, play, error=DatabaseUnavailable()))
    assert outcomes(run) == {}
    execute_work(play.work(run, "a"), deriving(run, play))
    assert set(outcomes(run)) == {"a", "b", "c"}


@pytest.mark.usefixtures("serving")
def test_what_is_derived_is_fenced_with_what_it_is_derived_from(run: Run, play: Play) -> None:  # A5
    def taken_over(_: StepContext) -> StepResult:
        with transaction() as session:
            steps.claim_items(session, run.query_id, 0, "a", [""], worker="successor", lease_s=10, launch=2)
        return StepResult.single({"by": "late"})

    register("query.b", [Step("b", "b", taken_over, derived=True)])
    with pytest.raises(Ignore):
        execute_work(play.work(run, "a"), Continuation(carried(link("b", run))))
    assert outcomes(run) == {}


@pytest.mark.usefixtures("serving")
def test_the_stage_of_what_is_derived_is_entered_with_what_follows_in_it(run: Run, play: Play) -> None:  # A4
    register("query.b", [replace(play.step("b"), shown="late", derived=True)])
    register("query.c", [replace(play.step("c"), shown="late")])
    execute_work(play.work(run, "a"), Continuation(carried(link("b", run), link("c", run))))
    assert stages(run) == ["a", "late"]
    with reading() as session:
        assert queries.get_query(session, uuid.UUID(run.query_id)).stage == "late"


@pytest.mark.usefixtures("serving", "database")
def test_an_item_of_a_batch_that_ends_and_a_batch_that_is_cancelled_never_wait_for_each_other() -> None:  # A3
    """Whoever ends an item takes the batch's lock first, also where the end is derived from the step before it."""
    batch = uuid.uuid4()
    with transaction() as session:
        batches.add_batch(session, batch, 1, None)
        query_id = make_query(session, batch_id=batch).id
    with transaction() as session:
        assert queries.mark_launched(session, query_id, 0) == 1
    run = Run(str(query_id), 1, 0, DEFAULT_TENANT)
    held, ending, ends = threading.Event(), threading.Event(), list[bool]()

    def cancel() -> None:
        with acting_for(DEFAULT_TENANT), transaction() as session:
            batches.lock_batch(session, batch)
            held.set()
            # Long enough for the other one to take what it takes first.
            ending.wait(1)
            ends.append(finish(session, query_id, QueryStatus.CANCELLED))

    canceller = threading.Thread(target=cancel)

    def conclude(_: StepContext) -> StepResult:
        return StepResult.single({"by": "conclude"}, lambda _: None, [("sentence.kept", {})])

    def publish(_: StepContext) -> StepResult:
        canceller.start()
        assert held.wait(60)

        def save(session: Session) -> None:
            ending.set()
            ends.append(finish(session, query_id, QueryStatus.SUCCEEDED))

        return StepResult.single({"by": "publish"}, save)

    register("query.publish", [Step("publish", "publishing", publish, ends=True, derived=True)])
    with suppress(Ignore):
        execute_work(
            Work.single(Step("conclude", "concluding", conclude), run), Continuation(carried(link("publish", run)))
        )
    canceller.join()
    assert ends == [True]


@pytest.mark.usefixtures("serving")
def test_what_follows_has_the_passages_that_it_reads_with_its_claim(run: Run, play: Play) -> None:  # A4
    """And sees them as they are then, if it is `fresh`."""
    found: list[list[str]] = []
    with transaction() as session:
        key = make_chunk(session, make_document(session, "Tokens expire."), 0, 14).id

    def read(context: StepContext) -> StepResult:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(services.core.context, "reading", lambda: pytest.fail("it was loaded with the claim"))
            found.append([passage.text for passage in context.passages([key])])
        return StepResult.single({})

    def reads(_: StepContext) -> list[int]:
        return [key]

    for fresh in (False, True):
        register("query.b", [Step("b", "b", read, reads=reads, fresh=fresh)])
        register("query.c", [Step("c", "c", read, reads=reads)])
        execute_work(play.work(run, "a"), Continuation(carried(link("b", run), link("c", run))))
        forget(run)
    assert found == [["Tokens expire."]] * 4


def forget(run: Run) -> None:
    """Have all of it done again."""
    with transaction() as session:
        session.execute(text("DELETE FROM step_outcomes WHERE query_id = :q"), {"q": run.query_id})
