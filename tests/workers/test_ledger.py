"""Every call to a model is in the ledger: also those of a process that was killed, and of a step that broke (A4)."""

import asyncio
import threading
import uuid
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any

import pytest
from celery.exceptions import Ignore
from sqlalchemy import text
from sqlalchemy.orm import Session

from citewell_verify.prompting.judgements import RERANK_CHUNK
from clients.llm.calling.request import begun_record
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallDeferred, CallLog, CallRecord, ModelRequest, Usage
from config.models import ModelSettings
from config.settings import settings
from db.models import ModelCall
from db.queries.runs import model_calls, replies, step_io, steps
from db.queries.runs.steps import Key
from db.round_trips import call
from db.session import reading, system_transaction, transaction
from domain.errors.service import DatabaseUnavailable
from services.core.call_ledger import begun_rows, ended_rows, model_call_rows
from services.core.context import QuerySnapshot, StepContext, StepResult
from services.core.reply_store import StoredReplies
from services.queries.cancel_and_retry import cancel_query
from services.queries.results import read_history, read_query
from tests.clients.groq_stage import GroqStage
from tests.factories import make_options
from tests.workers.executing import execute_step
from workers.background.reconciler import write_off
from workers.execution.claims import Claim
from workers.execution.work import RetryLater, Step
from workers.pipeline import Run
from workers.processes.runtime import run as on_loop
from workers.processes.runtime import tools

pytestmark = pytest.mark.usefixtures("database")

MODEL = "openai/gpt-oss-20b"
KEY = b"k" * 32
PAID = CallRecord("groq", MODEL, "rerank_chunk", "0" * 12, 1, 12.0, Usage(1000, 100))


def begin(context: StepContext, count: int = 1) -> None:
    """What the look for kept replies does when there are none."""
    request = ModelRequest("rerank_chunk", {"question": "How?", "chunk": "So."}, MODEL, 500, 0.0)
    assert context.log.begun_as is not None
    context.log.has_begun = True
    rows = [context.log.begun_as(begun_record(request, "groq", str(number), 700)) for number in range(count)]
    begun = {bytes([number]) * 32: row for number, row in enumerate(rows)}
    assert on_loop(replies.find_replies(begun, keep_s=60)) == {}


def ended_call(item: str, sha256: str | None = "a") -> CallRecord:
    return replace(PAID, item=item, request_id=f"req_{item}", prompt_sha256=sha256)


@dataclass(frozen=True)
class Calls:
    """Two calls of an execution of a step: what its process notes of each at its end, and how it books them."""

    ended: Callable[[CallRecord], Mapping[str, Any]]
    book: Callable[[], None]


def calls_of(worker: str, run: Run, token: uuid.UUID) -> Calls:
    query = QuerySnapshot(uuid.UUID(run.query_id), 1, "How?", "balanced", "groq", make_options())
    context, catalogue = StepContext(query, 0, (), {}, tools()), settings().models.catalogue
    row = begun_rows(context, "probe", token, worker, catalogue)
    rows = {bytes([at]) * 32: row(replace(ended_call(str(at)), request_id=None, error="killed")) for at in range(2)}
    assert on_loop(replies.find_replies(rows, keep_s=60)) == {}

    def book() -> None:
        known = model_call_rows([ended_call("0"), ended_call("1")], context, "probe", catalogue, token)
        with transaction() as session:
            model_calls.add_model_calls(session, known, [model_calls.SettledCalls(query.id, token)])

    return Calls(ended_rows(context, "probe", token, catalogue), book)


def execute(body: Callable[[StepContext], StepResult], run: Run, items: tuple[str, ...] = ("",)) -> None:
    execute_step(Step("probe", "probing", body), run, items)


def begun() -> int:
    with system_transaction() as session:
        return session.execute(text("SELECT count(*) FROM begun_calls")).scalar_one()


def ledger(run: Run) -> list[ModelCall]:
    with reading() as session:
        return model_calls.list_model_calls(session, uuid.UUID(run.query_id))


def pass_time() -> None:
    with system_transaction() as session:
        session.execute(text("UPDATE begun_calls SET begun_at = begun_at - interval '1 hour'"))


def lose_claims() -> None:
    with system_transaction() as session:
        session.execute(text("UPDATE step_outcomes SET lease_until = now() - interval '1 hour'"))


def test_calls_of_a_step_that_ends_are_struck_out_with_its_rows(run: Run) -> None:  # F10
    def body(context: StepContext) -> StepResult:
        begin(context, 3)
        assert begun() == 3
        context.log.records.append(PAID)
        return StepResult.single({"status": "done"})

    execute(body, run)
    assert begun() == 0
    assert [(call.prompt, call.unknown) for call in ledger(run)] == [("rerank_chunk", False)]


def test_calls_of_a_step_that_is_put_off_without_having_made_any_were_none(run: Run) -> None:  # F10
    def body(context: StepContext) -> StepResult:
        begin(context)
        raise CallDeferred(30.0, "the allowance is used up")

    with pytest.raises(RetryLater):
        execute(body, run)
    assert (begun(), ledger(run)) == (0, [])


def test_calls_of_a_process_that_is_gone_are_entered_as_unknown_and_no_others(run: Run) -> None:  # F10
    def body(context: StepContext) -> StepResult:
        begin(context, 2)
        pass_time()
        # It lives, however long it takes.
        write_off(settings().recovery)
        assert begun() == 2
        lose_claims()
        write_off(settings().recovery)
        assert begun() == 0
        raise Ignore

    with pytest.raises(Ignore):
        execute(body, run)
    found = ledger(run)
    assert sorted((call.item, call.unknown, call.estimated, call.reply_text) for call in found) == [
        (item, True, True, None) for item in "01"
    ]
    # At most: 200 tokens of prompt and the 500 that it was allowed to write.
    assert [(call.prompt_tokens, call.completion_tokens) for call in found] == [(200, 500)] * 2
    assert [float(call.cost_usd) for call in found] == [pytest.approx((200 * 0.075 + 500 * 0.30) / 1e6)] * 2
    with reading() as session:
        usage = model_calls.usage_of_query(session, uuid.UUID(run.query_id))
    assert (usage.llm_calls, usage.unknown_calls) == (2, 2)
    assert read_query(uuid.UUID(run.query_id))["usage"]["unknown_calls"] == 2
    told = read_history(uuid.UUID(run.query_id))["model_calls"]
    assert [(call["unknown"], "not known" in call["error"]) for call in told] == [(True, True)] * 2


def test_what_had_ended_when_its_process_was_killed_is_entered_with_its_reply_and_once(run: Run) -> None:  # A4, F10
    token = uuid.uuid4()
    take_over(run, "killed")
    calls = calls_of("killed", run, token)
    assert begun() == 2
    on_loop(replies.add_replies({KEY: replies.Reply("so", MODEL, calls.ended(ended_call("0")))}, keep_s=60))
    assert ledger(run) == []
    pass_time()
    lose_claims()
    write_off(settings().recovery)
    assert begun() == 0
    known, unknown = sorted(ledger(run), key=lambda call: call.item)
    assert (known.unknown, known.request_id, known.reply_text, known.error) == (False, "req_0", "so", None)
    assert (known.prompt_tokens, known.completion_tokens, known.execution) == (1000, 100, token)
    assert (unknown.unknown, unknown.item, unknown.request_id) == (True, "1", None)
    # It was not dead but late, and books what it knows.
    calls.book()
    assert {call.request_id for call in ledger(run) if not call.unknown} == {"req_0", "req_1"}
    assert len(ledger(run)) == 3


def test_what_had_ended_counts_as_soon_as_another_process_goes_on_with_its_step(run: Run) -> None:  # A4, F10
    seen: list[list[str | None]] = []
    take_over(run, "killed")
    calls = calls_of("killed", run, uuid.uuid4())
    on_loop(replies.add_replies({KEY: replies.Reply("so", MODEL, calls.ended(ended_call("0")))}, keep_s=60))

    def body(_: StepContext) -> StepResult:
        seen.append([call.request_id for call in ledger(run)])
        return StepResult.single({"status": "done"})

    execute(body, run)
    assert (seen, begun()) == ([["req_0"]], 1)
    calls.book()
    assert (sorted(call.request_id or "" for call in ledger(run)), begun()) == (["req_0", "req_1"], 0)


def test_a_call_is_entered_once_when_its_step_ends_as_usual(run: Run) -> None:  # A4
    def body(context: StepContext) -> StepResult:
        begin(context)
        assert context.log.ended_as is not None
        paid = ended_call("0", sha256=None)
        on_loop(replies.add_replies({KEY: replies.Reply("so", MODEL, context.log.ended_as(paid))}, keep_s=60))
        context.log.records.append(paid)
        return StepResult.single({"status": "done"})

    execute(body, run)
    assert ([call.request_id for call in ledger(run)], begun()) == (["req_0"], 0)


def test_a_look_for_kept_replies_writes_all_calls_of_a_fan_out_down_by_one_statement(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:  # F10
    written: list[int] = []

    async def note(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        if "find_replies" in statement:
            written.append(values["looked_up"].count(",") + 1)
        return await call(statement, values)

    async def ask(gateway: ModelGateway, log: CallLog) -> None:
        fields = [{"question": f"How {number}?", "chunk": "So."} for number in range(12)]
        await asyncio.gather(*(gateway.ask(RERANK_CHUNK, each, log=log, item=each["question"]) for each in fields))
        await log.settled()

    def body(context: StepContext) -> StepResult:
        models = ModelSettings(call_timeout_s=10, deadline_s=20)
        with GroqStage(unlimited=True) as stage:
            for expected in (12, 12):
                store = StoredReplies(models.keep_replies_s)
                stage.run(lambda model: ask(ModelGateway(model, models, replies=store), context.log))  # noqa: B023
                # What is kept already is no call.
                assert begun() == expected
            assert len(stage.sim.ledger.entries) == 12
        return StepResult.single({"status": "done"})

    monkeypatch.setattr(replies, "call", note)
    execute(body, run)
    # Written down with the first look; there was nothing to write with the second.
    assert written == [12, 12]
    assert begun() == 0
    assert sorted((call.kept, call.unknown) for call in ledger(run)) == [(False, False)] * 12 + [(True, False)] * 12


def test_a_call_of_a_step_that_has_ended_meanwhile_is_not_begun(run: Run) -> None:  # F10
    """The look for kept replies may be slower than the step that did not wait for it."""
    contexts: list[StepContext] = []

    def body(context: StepContext) -> StepResult:
        contexts.append(context)
        return StepResult.single({"status": "done"})

    execute(body, run)
    begin(contexts[0])
    assert begun() == 0


@pytest.mark.parametrize("reply", ["good", "NUL \x00, half a pair \ud83d"])
def test_an_error_while_a_step_is_stored_loses_no_paid_call(run: Run, reply: str) -> None:
    paid = CallRecord("groq", MODEL, "rerank_chunk", "0" * 12, 1, 12.0, Usage(1000, 100), reply_text=reply)

    def broken(_: object) -> None:
        raise ValueError("what the step wants done breaks")

    def body(context: StepContext) -> StepResult:
        begin(context)
        context.log.records.append(paid)
        return StepResult.single({"status": "done"}, broken)

    with pytest.raises(ValueError, match="breaks"):
        execute(body, run)
    assert [call.prompt for call in ledger(run)] == ["rerank_chunk"]
    assert begun() == 0
    with reading() as session:
        assert steps.find_outcome(session, uuid.UUID(run.query_id), 0, "probe") is None


def test_an_error_of_a_step_that_must_not_fail_loses_no_paid_call(run: Run) -> None:
    def body(context: StepContext) -> StepResult:
        context.log.records.append(PAID)
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        execute(body, run)
    assert [call.prompt for call in ledger(run)] == ["rerank_chunk"]


def test_an_error_beside_calls_that_are_under_way_loses_none_of_them(run: Run) -> None:
    async def body(context: StepContext) -> StepResult:
        async def call() -> None:
            with context.log.call_in_flight():
                await asyncio.sleep(0.3)
                context.log.records.append(PAID)

        calls.append(asyncio.ensure_future(call()))
        await asyncio.sleep(0)
        raise ValueError("broken")

    calls: list[asyncio.Future[None]] = []
    with pytest.raises(ValueError, match="broken"):
        execute_step(Step("probe", "probing", body), run)
    assert [call.prompt for call in ledger(run)] == ["rerank_chunk"]


def test_a_call_is_booked_once_when_the_connection_breaks_behind_the_end_of_its_query(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:  # A4, F10
    """The step is not kept, its calls are, and nobody hears of it: they are paid for again with the claim's return."""

    async def breaking(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        rows = await call(statement, values)
        if "leave_steps" in statement:
            raise DatabaseUnavailable
        return rows

    def body(context: StepContext) -> StepResult:
        begin(context)
        context.log.records.extend([PAID, PAID])
        cancel_query(context.query.id)
        return StepResult.single({"status": "done"})

    monkeypatch.setattr(step_io, "call", breaking)
    with pytest.raises(DatabaseUnavailable):
        execute(body, run)
    assert [call.prompt for call in ledger(run)] == ["rerank_chunk"] * 2
    assert begun() == 0


def test_a_call_is_booked_once_when_it_is_booked_again_before_the_first_time_is_committed(run: Run) -> None:  # A4, F10
    """The connection broke, and the server had not noticed: claims are handed back, and paid for, meanwhile."""
    query_id, execution = uuid.UUID(run.query_id), uuid.uuid4()
    attempts = [take_over(run, worker) for worker in ("one", "other")]
    query = QuerySnapshot(query_id, 1, "How?", "balanced", "groq", make_options())
    rows = model_call_rows(
        [PAID], StepContext(query, 0, (), {}, tools()), "probe", settings().models.catalogue, execution
    )
    claim = Claim(run, attempts[0])

    def pay(session: Session) -> None:
        model_calls.add_model_calls(session, rows)

    handing_back = threading.Thread(target=copy_context().run, args=(claim.hand_back_soon, pay))
    completion = step_io.Completion(run.query_id, 0, {("probe", ""): {"status": "done"}}, claim.attempts, calls=rows)
    with transaction() as session:
        assert not step_io.complete_steps_within(session, completion).kept
        handing_back.start()
        handing_back.join(0.3)
        assert handing_back.is_alive()
    handing_back.join(60)
    assert len(ledger(run)) == 1


def take_over(run: Run, worker: str) -> dict[Key, int]:
    """Claim with a lease that has run out."""
    with transaction() as session:
        claimed = steps.claim_items(session, run.query_id, 0, "probe", [""], worker=worker, lease_s=-1, launch=1)
    return {("probe", item): attempt for item, attempt in claimed.items()}


def test_calls_of_a_claim_that_a_crash_undid_are_booked(run: Run) -> None:  # A4, A5
    """The claim was committed, and lost before it was on the disk; Postgres is away as the step ends."""

    def body(context: StepContext) -> StepResult:
        context.log.records.append(PAID)
        undo_claims()
        raise DatabaseUnavailable

    with pytest.raises(DatabaseUnavailable):
        execute(body, run)
    assert [call.prompt for call in ledger(run)] == ["rerank_chunk"]


def undo_claims() -> None:
    with system_transaction() as session:
        session.execute(text("DELETE FROM step_outcomes"))
