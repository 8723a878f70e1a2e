"""The pool that is one event loop: its reports to Celery about each message, and the fate of its messages at the
end."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Generator
from typing import Any

import pytest
from celery import Signature
from celery.exceptions import Ignore, Reject, Retry, Terminated
from kombu.exceptions import OperationalError

from tests.waiting import until
from workers.celery_app import app
from workers.execution.work import Message, RetryLater
from workers.pool import LoopPool
from workers.processes.runtime import event_loop
from workers.tasks import webhooks

KNOWN = (webhooks,)

Act = Callable[[Message], Any]


Apply = Callable[..., tuple["Told", Any]]


class Told:
    """Records the pool's reports to Celery's request."""

    def __init__(self) -> None:
        self.accepted = 0
        self.ended: list[tuple[int, Any]] = []

    def accept(self, _pid: int, _at: float) -> None:
        self.accepted += 1

    def end(self, told: tuple[int, Any, float]) -> None:
        self.ended.append(told[:2])

    @property
    def error(self) -> BaseException | None:
        until(lambda: bool(self.ended))
        ((failed, info),) = self.ended
        assert bool(failed) == (info is not None)
        error = info.exception if info is not None else None
        # An exception wrapped by billiard has the original as `exc`.
        return getattr(error, "exc", error)


@pytest.fixture
def pool(broker: Any) -> Generator[LoopPool]:
    assert broker is not None
    made: Any = LoopPool(4, app=app)
    made.start()
    yield made
    made.terminate()


def never(_: Any) -> None:
    pytest.fail("the pool runs `on_loop`")


def task_of(act: Act) -> Any:
    async def on_loop(message: Message, *_: Any) -> None:
        found = act(message)
        if asyncio.iscoroutine(found):
            await found

    app.tasks.pop("probe", None)
    task: Any = app.task(name="probe", bind=True, max_retries=None, typing=False)(never)
    task.on_loop = on_loop
    return app.tasks["probe"]


@pytest.fixture
def apply(pool: LoopPool) -> Generator[Apply]:
    def applied(act: Act, **request: Any) -> tuple[Told, Any]:
        told, task = Told(), task_of(act)
        headers = {"id": "m1", "task": task.name, "delivery_info": {"exchange": "", "routing_key": "verification"}}
        body = json.dumps([["q"], {}, {}])
        args = (task.name, "m1", {**headers, **request}, body, "application/json", "utf-8")
        return told, pool.apply_async(None, args, callback=told.end, accept_callback=told.accept)

    yield applied
    app.tasks.pop("probe", None)


def nothing(_: Message) -> None:
    """Be done."""


async def sleep(_: Message) -> None:
    await asyncio.sleep(60)


def raising(error: Exception) -> Act:
    def act(_: Message) -> None:
        raise error

    return act


def test_a_message_that_is_done_is_acknowledged(apply: Apply) -> None:  # A2
    seen: list[Any] = []

    def look(message: Message) -> None:
        seen.append((message.context.args, message.is_redelivered))

    told, _ = apply(look)
    assert told.error is None
    assert (told.accepted, seen) == (1, [(["q"], False)])


@pytest.mark.parametrize("error", [Ignore(), Reject(requeue=True)])
def test_what_a_task_says_of_its_message_reaches_celery(apply: Apply, error: Exception) -> None:  # A5
    told, _ = apply(raising(error))
    assert type(told.error) is type(error)


def test_a_message_that_has_to_come_again_is_published_with_its_time(apply: Apply, broker: Any) -> None:  # A7
    told, _ = apply(raising(RetryLater("later", countdown_s=60)), retries=2)
    assert isinstance(told.error, Retry)
    (raw,) = broker.lrange("verification", 0, -1)
    headers = json.loads(raw)["headers"]
    assert (headers["id"], headers["retries"]) == ("m1", 3)
    assert headers["eta"] is not None


def test_an_error_reaches_the_errback(apply: Apply, broker: Any) -> None:  # N4
    errback = app.signature("probe.errback", args=["q", 1, 0, 1], immutable=True, queue="maintenance")
    told, _ = apply(raising(ValueError("broken")), errbacks=[dict(errback)])
    assert isinstance(told.error, ValueError)
    assert broker.llen("maintenance") == 1


@pytest.fixture
def flapping(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker is unreachable for the first message that is published."""
    published, failed = Signature.apply_async, list[bool]()

    def publish(link: Signature[Any], *args: Any, **named: Any) -> Any:
        if not failed:
            failed.append(True)
            raise OperationalError("away")
        return published(link, *args, **named)

    monkeypatch.setattr(Signature, "apply_async", publish)


@pytest.mark.usefixtures("flapping")
def test_a_message_that_could_not_be_published_again_goes_back_and_fails_no_query(
    apply: Apply, broker: Any
) -> None:  # A5
    errback = app.signature("probe.errback", args=["q", 1, 0, 1], immutable=True, queue="maintenance")
    told, _ = apply(raising(RetryLater("later", countdown_s=60)), errbacks=[dict(errback)])
    error: Any = told.error
    assert isinstance(error, Reject)
    assert vars(error)["requeue"]
    assert broker.llen("maintenance") == 0


def test_a_pool_waits_for_what_it_has_taken_while_its_loop_was_busy(apply: Apply, pool: Any) -> None:  # A5
    event_loop().call_soon_threadsafe(time.sleep, 0.5)
    told, _ = apply(nothing)
    pool.on_stop()
    assert len(told.ended) == 1


def test_a_message_that_is_revoked_is_cancelled(apply: Apply) -> None:
    told, running = apply(sleep)
    until(lambda: told.accepted == 1)
    running.terminate("SIGTERM")
    assert isinstance(told.error, Terminated)


def test_what_a_pool_cannot_finish_goes_back(apply: Apply, pool: Any) -> None:  # A5
    told, _ = apply(sleep)
    until(lambda: told.accepted == 1)
    pool.terminate()
    assert isinstance(told.error, Reject)
    assert vars(told.error)["requeue"] is True


def test_a_pool_that_stops_waits_for_what_is_at_work(apply: Apply, pool: Any) -> None:  # A5
    release = threading.Event()

    async def release_it(_: Message) -> None:
        await asyncio.to_thread(release.wait, 60)

    told, _ = apply(release_it)
    until(lambda: told.accepted == 1)
    threading.Timer(0.3, release.set).start()
    pool.stop()
    assert told.error is None


def test_messages_wait_side_by_side_and_other_tasks_have_threads(apply: Apply, pool: Any) -> None:  # A1
    at_once = threading.Barrier(3, timeout=20)

    async def meet(_: Message) -> None:
        await asyncio.to_thread(at_once.wait)

    both = [apply(meet) for _ in range(2)]
    done: list[Any] = []

    def target(*_: Any) -> tuple[int, None, float]:
        at_once.wait()
        return 0, None, 0.0

    pool.apply_async(target, ("webhook.deliver",), callback=done.append, accept_callback=Told().accept)
    assert [told.error for told, _ in both] == [None, None]
    until(lambda: len(done) == 1)


def test_a_message_that_nobody_can_read_is_told_as_a_failure(pool: LoopPool) -> None:  # N4
    told = Told()
    task_of(nothing)
    pool.apply_async(None, ("probe", "m1", {"id": "m1"}, b"{", "application/json", "utf-8"), callback=told.end)
    assert told.error is not None
    app.tasks.pop("probe")
