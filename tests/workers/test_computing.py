"""Steps over long texts in a child: the same results, and ended when they are no longer needed."""

import asyncio
import re
import time
import uuid
from collections.abc import Generator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from clients.llm.gateway import ModelGateway
from clients.llm.offline import OfflineModel
from clients.llm.protocol import CallDeferred, CallLog, Terms
from config.models import ModelSettings
from config.settings import settings
from db.models import DEFAULT_TENANT, QueryStatus
from db.queries.runs import queries
from db.session import reading, transaction
from domain.query.budget import Budget
from services.core.context import Outcome, StepContext, StepResult
from services.finishing.completion import finish
from tests.services.given_story import GivenStory
from tests.services.story import Body, Story
from tests.workers import long_work
from workers.execution import step_run
from workers.execution.claims import held_claims
from workers.execution.step_run import OutOfTime, StepRun, children, is_large, run_in_child
from workers.execution.work import Step
from workers.pipeline import Run
from workers.processes import children as pool
from workers.processes.children import Children, TooMuchMemory
from workers.processes.runtime import run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("database")]

_SOURCE = (
    "Refund policy. All returns must be made within 30 days of the purchase date. A receipt is required for every "
    "return. Refunds are paid to the original payment method within 10 business days."
)
_ANSWER = (
    "Returns must be made within 30 days [1]. Refunds take 90 days [1]. A receipt is required for every return [1]. "
    "The chief executive is Ann Moe [2]. Returns must be made within 30 days and a receipt is required."
)
_NOT_CHECKED: Outcome = {"status": "not_checked", "verdict": None}


@pytest.fixture(autouse=True)
def _no_child_of_another_test() -> Generator[None]:
    _kill_children()
    yield
    _kill_children()


def _children() -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for each in psutil.Process().children():
        with suppress(psutil.Error):
            found += [each] if "workers.processes.child" in " ".join(each.cmdline()) else []
    return found


def _expect_no_child() -> None:
    # A killed process may take a moment to disappear.
    _, alive = psutil.wait_procs(_children(), timeout=30)
    assert alive == []


def _kill_children() -> list[int]:
    found = _children()
    for each in found:
        each.kill()
    psutil.wait_procs(found, timeout=10)
    return [each.pid for each in found]


class _Elsewhere(GivenStory):
    """Runs each step in a child."""

    def run(self, step: str, body: Body, *items: str) -> Outcome:
        if step == "publish":
            return super().run(step, body, *items)
        work: Any = body
        return super().run(step, lambda context: run(run_in_child(Step(step, "verifying", work), context)), *items)


def _context(*, left_s: float = 60.0, question: str = "How long?") -> StepContext:
    story = Story(question)
    gateway = ModelGateway(OfflineModel(None), ModelSettings())
    log = CallLog(terms=Terms(ends_at=time.monotonic() + left_s))
    return replace(story.context(gateway, ("",)), log=log, budget=Budget(deadline_s=left_s))


def _status(query_id: uuid.UUID) -> tuple[str, dict[str, Any] | None]:
    with reading() as session:
        query = queries.get_query(session, query_id)
        return query.status, query.error


def test_a_child_finds_what_is_found_here() -> None:  # F1
    def without_ids(found: dict[Any, Any]) -> dict[Any, str]:
        return {key: re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", repr(value)) for key, value in found.items()}

    found: list[tuple[dict[Any, str], list[str]]] = []
    for kind in (GivenStory, _Elsewhere):
        story = kind(_ANSWER, _SOURCE, "Nothing is said here of anybody.", question="When must returns be made?")
        told = story.verified()
        checks = {key: value for key, value in story.rounds[0].items() if key[0] not in ("select", "publish")}
        published = {"answer": told["answer"], "verification": told["verification"]}
        found.append((without_ids({**checks, **published}), [record.prompt for record in story.log.records]))
    (here, asked), (there, asked_there) = found
    # One at a time: where they differ, the difference can be read.
    for key, value in here.items():
        assert there[key] == value, key
    assert asked_there == asked
    assert len([key for key, value in here.items() if key[0] == "check_statements" and "'checked'" in value]) == 5


def test_a_child_has_its_parent_ask_the_models(monkeypatch: pytest.MonkeyPatch) -> None:  # F1
    # With another provider than its own.
    monkeypatch.setenv("CITEWELL_MODELS__PROVIDER", "groq")
    monkeypatch.setenv("GROQ_API_KEY", "gsk_none")
    settings.cache_clear()
    context = _context()

    async def work() -> StepResult:
        return await Children().work(long_work.ask, context)

    outcome = run(work()).values[""]
    assert outcome["told"] == "supports"
    assert outcome["pid"] in _kill_children()
    assert [record.prompt for record in context.log.records] == ["check_statement"]


def test_a_step_that_computes_beyond_its_time_is_cut_off() -> None:  # F1
    context, began = _context(left_s=3.0), time.monotonic()
    with pytest.raises(OutOfTime):
        run(run_in_child(Step("check_alignment", "verifying", long_work.hang, failed=_NOT_CHECKED), context))
    assert time.monotonic() - began < 20
    _expect_no_child()
    # A step without a fallback ends its query.
    context = replace(context, log=CallLog(terms=Terms(ends_at=time.monotonic())))
    assert run(run_in_child(Step("conclude", "concluding", long_work.hang), context)).values == {}
    status, error = _status(context.query.id)
    assert (status, error and error["code"]) == ("failed", "deadline_exceeded")
    _expect_no_child()


def test_a_cancelled_query_computes_no_further(monkeypatch: pytest.MonkeyPatch) -> None:  # F2
    context, step = _context(), Step("conclude", "concluding", long_work.hang, computes=True)

    def always(_: StepContext) -> bool:
        return True

    monkeypatch.setattr(step_run, "is_large", always)

    async def work() -> StepResult | Exception:
        working = StepRun(step, Run(str(context.query.id), 1, 0, DEFAULT_TENANT), {"": 1}, context, lambda _: False)
        with held_claims().hold(lambda: [working.claim]):
            await asyncio.sleep(1.0)
            assert _children()
            with transaction() as session:
                assert finish(session, context.query.id, QueryStatus.CANCELLED)
            return await working.end

    assert run(work()) == StepResult({})
    _expect_no_child()


def test_a_child_that_is_killed_is_replaced(tmp_path: Path) -> None:  # F1
    noted = tmp_path / "pid"
    context = _context(question=str(noted))

    async def work() -> StepResult:
        working = asyncio.ensure_future(children().work(long_work.survive, context))
        while not (noted.exists() and noted.read_text()):
            await asyncio.sleep(0.05)
        psutil.Process(int(noted.read_text())).kill()
        return await working

    outcome = run(work()).values[""]
    assert outcome["pid"] == int(noted.read_text())


def test_a_child_that_takes_too_much_memory_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:  # F1
    monkeypatch.setattr(pool, "_MAX_BYTES", 1_000_000)
    with pytest.raises(TooMuchMemory):
        run(children().work(long_work.hang, _context()))
    _expect_no_child()


def test_what_is_large_takes_no_more_threads_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:  # F2
    monkeypatch.setattr(pool, "_MAX_WAITING", 0)
    with pytest.raises(CallDeferred):
        run(Children().work(long_work.hang, _context()))


def test_only_what_is_large_is_sent_to_a_child() -> None:  # F1
    def is_large_given(answer: str, *sources: str) -> bool:
        story = GivenStory(answer, *sources)
        return is_large(story.context(ModelGateway(OfflineModel(None), ModelSettings()), ("",)))

    assert not is_large_given(_ANSWER, _SOURCE)
    assert not is_large_given("A fact. " * 250, *["A source. " * 2_000])
    assert is_large_given("A fact. " * 10_000, _SOURCE)
    assert is_large_given("A fact.", *["A source. " * 2_000] * 10)
