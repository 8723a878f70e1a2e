"""Paid replies are not paid for twice (A5, S4.7)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import pytest

from citewell_verify.prompting.judgements import CHECK_STATEMENT, GENERATE_ANSWER, Judgement, StatementCheck
from clients.llm.calling.reply_cache import Begun, CachedReply, Task, reply_key
from clients.llm.gateway import ComposedText, ModelGateway
from clients.llm.offline import OfflineModel
from clients.llm.protocol import CallDeferred, CallLog, PromptText, Terms, Usage
from tests.clients.gateway_play import CHECK, FAST, MAIN, PATIENT, WRITE, check, failed, play, write
from tests.clients.groq_questions import ANSWER
from tests.clients.groq_stage import GroqStage
from tests.clients.limiting import Doorkeeper
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator


def key_of(scope: str, task: Task, model: str, fields: Mapping[str, object]) -> bytes:
    """The key under which a reply to the question is kept."""
    return reply_key(scope, task, model, PromptText(task.name, fields))


class Drawer:
    """A ReplyStore in memory; it stores nothing before it is `open`."""

    def __init__(self) -> None:
        self.kept: dict[bytes, CachedReply] = {}
        self.open = asyncio.Event()
        self.open.set()

    async def get(self, keys: Sequence[bytes], begun: Begun = None) -> Mapping[bytes, CachedReply]:
        return {key: self.kept[key] for key in keys if key in self.kept}

    async def put(self, key: bytes, reply: CachedReply) -> None:
        await self.open.wait()
        self.kept.setdefault(key, reply)


@pytest.fixture
def drawer() -> Drawer:
    return Drawer()


Ask = Callable[[CallLog], Callable[[ModelGateway], Awaitable[object]]]


def twice(ask: Ask, first: CallLog, second: CallLog) -> Callable[[ModelGateway], Awaitable[tuple[object, object]]]:
    """Ask twice, each time with its own log."""

    async def scenario(gateway: ModelGateway) -> tuple[object, object]:
        reply = await ask(first)(gateway)
        await first.settled()
        return reply, await ask(second)(gateway)

    return scenario


def test_the_same_judgement_is_bought_once(stage: GroqStage, log: CallLog, drawer: Drawer) -> None:  # A5, S4.7
    again = CallLog()
    first, second = play(stage, twice(check, log, again), replies=drawer)
    assert isinstance(first, StatementCheck)
    assert first == second
    assert len(stage.sim.ledger.entries) == 1
    (bought,), (kept,) = log.records, again.records
    assert (bought.kept, kept.kept) == (False, True)
    assert (kept.usage, kept.error, kept.request_id) == (Usage(), None, None)
    assert (kept.model, kept.prompt, kept.item, kept.reply_text) == (
        FAST,
        "check_statement",
        "s1",
        bought.reply_text,
    )


@pytest.mark.parametrize(
    ("first", "second", "shared", "calls"),
    [("q1", "q1", False, 1), ("q1", "q2", False, 2), ("q1", "q2", True, 1), ("", "", False, 2), ("", "q", True, 1)],
)
def test_without_sharing_a_reply_serves_its_own_query_alone(
    stage: GroqStage, drawer: Drawer, first: str, second: str, shared: bool, calls: int
) -> None:  # A5
    settings = PATIENT.model_copy(update={"share_replies": shared})
    logs = CallLog(terms=Terms(scope=first)), CallLog(terms=Terms(scope=second))
    play(stage, twice(check, *logs), settings, replies=drawer)
    assert len(stage.sim.ledger.entries) == calls


@pytest.mark.parametrize(("shared", "calls"), [(False, 2), (True, 1)])
def test_what_a_model_writes_serves_other_queries_only_if_wanted(
    stage: GroqStage, drawer: Drawer, shared: bool, calls: int
) -> None:  # S4.7
    settings = PATIENT.model_copy(update={"share_answers": shared})
    logs = CallLog(terms=Terms(scope="q1")), CallLog(terms=Terms(scope="q2"))
    outcomes = play(stage, twice(write, *logs), settings, replies=drawer)
    assert outcomes == (ComposedText(ANSWER, MAIN, "stop"),) * 2
    assert len(stage.sim.ledger.entries) == calls


def test_a_kept_text_is_told_to_who_watches(stage: GroqStage, drawer: Drawer) -> None:
    seen: list[str] = []
    terms = Terms(scope="q")

    def watched(log: CallLog) -> Callable[[ModelGateway], Awaitable[object]]:
        on_text = seen.append if log is again else None
        return lambda gateway: gateway.compose(GENERATE_ANSWER, WRITE, log=log, on_text=on_text)

    again = CallLog(terms=terms)
    play(stage, twice(watched, CallLog(terms=terms), again), replies=drawer)
    assert seen == [ANSWER]


@pytest.mark.parametrize("fault", [FaultKind.WRONG_SCHEMA, FaultKind.UNAVAILABLE, FaultKind.FORBIDDEN])
def test_only_replies_that_fit_are_kept(stage: GroqStage, log: CallLog, drawer: Drawer, fault: FaultKind) -> None:  # N4
    stage.sim.fail(Fault(kind=fault, times=None))
    failed(play(stage, check(log), replies=drawer))
    assert drawer.kept == {}


def test_a_kept_reply_that_does_not_fit_is_bought_anew(stage: GroqStage, log: CallLog, drawer: Drawer) -> None:  # N4
    key = key_of("", CHECK_STATEMENT, FAST, CHECK)
    drawer.kept[key] = CachedReply('{"verdict": "fine"}', FAST)
    assert isinstance(play(stage, check(log), replies=drawer), StatementCheck)
    assert [record.kept for record in log.records] == [False]


def test_what_a_fallback_said_is_found_by_who_wants_the_first_model(log: CallLog, drawer: Drawer) -> None:  # S4.1
    again = CallLog()
    with GroqStage() as stage, GroqSimulator(gone=[FAST]) as sim:
        play(stage, twice(check, log, again), replies=drawer, url=sim.base_url)
        assert len(sim.ledger.billed) == 1
    assert [(record.model, record.kept) for record in again.records] == [(MAIN, True)]


async def test_nothing_is_kept_of_a_model_that_costs_nothing(drawer: Drawer) -> None:
    log = CallLog(terms=Terms(scope="q"))
    await check(log)(ModelGateway(OfflineModel(), PATIENT, replies=drawer))
    await log.settled()
    assert drawer.kept == {}


def test_an_answer_does_not_wait_until_it_is_kept_but_the_log_does(stage: GroqStage, log: CallLog) -> None:  # A5
    slow = Drawer()
    slow.open.clear()

    async def scenario(gateway: ModelGateway) -> tuple[int, int]:
        await check(log)(gateway)
        before = len(slow.kept)
        slow.open.set()
        await log.settled()
        return before, len(slow.kept)

    assert play(stage, scenario, replies=slow) == (0, 1)


def test_a_log_settles_when_the_calls_that_a_deferred_step_left_behind_are_over(
    stage: GroqStage, log: CallLog, drawer: Drawer
) -> None:  # A5
    # The first has its place and is slow; the second is refused, and gather then does not wait for the first.
    stage.sim.fail(Fault(kind=FaultKind.RESET))
    log.terms = Terms(patience_s=0.0)

    async def step(gateway: ModelGateway) -> None:
        with pytest.raises(CallDeferred):
            await asyncio.gather(check(log)(gateway), gateway.ask(OTHER, CHECK, log=log))
        assert log.records == []
        await log.settled()

    play(stage, step, limiter=Doorkeeper(0.0, 9.0, 0.0), replies=drawer)
    assert [record.error is None for record in log.records] == [False, True]
    assert len(drawer.kept) == 1


OTHER = Judgement(CHECK_STATEMENT.name, "fast", StatementCheck, max_tokens=601)


def test_another_question_has_another_key() -> None:
    keys = {
        key_of("", CHECK_STATEMENT, FAST, CHECK),
        key_of("q", CHECK_STATEMENT, FAST, CHECK),
        key_of("", CHECK_STATEMENT, MAIN, CHECK),
        key_of("", CHECK_STATEMENT, FAST, {**CHECK, "statement": "Something else."}),
        key_of("", OTHER, FAST, CHECK),
        key_of("", GENERATE_ANSWER, FAST, WRITE),
    }
    assert len(keys) == 6
    assert {len(key) for key in keys} == {32}
    assert key_of("", CHECK_STATEMENT, FAST, dict(reversed(CHECK.items()))) in keys
