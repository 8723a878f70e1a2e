"""Submits a question, follows it and waits for the answer."""

import queue
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from citewell.cli.console import err
from citewell.cli.errors import FAILED, USAGE, CommandFailed
from citewell_client import ApiProblem, CitewellClient, ServerUnreachable
from citewell_client.types import FINAL, Query, StreamEvent

_NO_ROOM = frozenset({429, 503})
_TO_CORRECT = frozenset({"model_refused", "model_unavailable", "model_gone", "retrieval_failed"})


def ask_and_wait(client: CitewellClient, question: str, *, wait: float, **options: Any) -> Query:
    """Submit a question and wait for its end, showing the stage on a terminal.

    Raises CommandFailed when the question is not finished after `wait` seconds, ApiProblem when there is no room in
    that time.
    """
    query_id, left = submit(client, question, wait=wait, **options)
    return wait_for(client, query_id, left)


def submit(client: CitewellClient, question: str, *, wait: float, **options: Any) -> tuple[str, float]:
    """Submit a question; return its id and the rest of `wait` seconds. Raises ApiProblem as `submitted` does."""
    # All attempts use one key, because an answer of "no room" may come from a database that stored the question and
    # went away.
    key = str(uuid.uuid4())
    return submitted(lambda: client.submit(question, idempotency_key=key, **options)["id"], wait)


def submitted(once: Callable[[], str], wait: float) -> tuple[str, float]:
    """Submit a question with `once`; return its id and the rest of `wait` seconds. A server without room is asked again
    after the time that it names. Raises ApiProblem when there is no room in that time."""
    left = wait
    with err.status("submitting") as status:
        while True:
            try:
                return once(), left
            except ApiProblem as problem:
                again_s = problem.retry_after or 0
                if problem.status not in _NO_ROOM or not 0 < again_s < left:
                    raise
                left -= again_s
                status.update(f"no room yet, again in {again_s:g} s")
                time.sleep(again_s)


def follow(client: CitewellClient, query_id: str, wait: float, on_event: Callable[[StreamEvent], None]) -> Query:
    """Call `on_event` for every event of a question as it comes, and return the question at its end.

    Raises CommandFailed as `ask_and_wait` does.
    """
    deadline = time.monotonic() + wait
    # Unlike `Queue`, it stays intact when an interrupt comes while it waits.
    events: queue.SimpleQueue[StreamEvent | None] = queue.SimpleQueue()

    def listen() -> None:
        # A broken stream ends only the watching: the question itself is read afterwards. The client raises RuntimeError
        # when it was closed because the command has given up.
        with suppress(ApiProblem, ServerUnreachable, RuntimeError):
            for event in client.events(query_id):
                events.put(event)
        events.put(None)

    # The wait for a silent stream has no limit of its own, so a thread reads it.
    threading.Thread(target=listen, daemon=True).start()
    with suppress(queue.Empty):
        while event := events.get(timeout=max(0, deadline - time.monotonic())):
            on_event(event)
    return _in_time(client.wait(query_id, max(0, deadline - time.monotonic())), wait)


def wait_for(client: CitewellClient, query_id: str, wait: float) -> Query:
    """Wait for the end of a question, showing the stage on a terminal. Raises CommandFailed as `ask_and_wait` does."""
    with err.status("queued") as status:
        query = client.wait(query_id, wait, on_look=lambda seen: status.update(seen["stage"]))
    return _in_time(query, wait)


def _in_time(query: Query, wait: float) -> Query:
    if query["status"] not in FINAL:
        raise CommandFailed(
            f"no answer after {wait:g} s, the question is still in work; `citewell history {query['id']}` shows it",
            FAILED,
        )
    return query


def exit_code_of(query: Query) -> int:
    error = query["error"]
    return USAGE if error and error["code"] in _TO_CORRECT else FAILED


def failure_of(query: Query) -> str | None:
    if query["status"] == "succeeded":
        return None
    if query["status"] == "held":
        return f"a person looks at the answer to {query['id']} before it is shown; ask for it later"
    error = query["error"]
    return f"the question {query['status']}: {error['message'] if error else 'no reason was stored'}"
