"""Submits a question, follows it and waits for the answer."""

import time
from collections.abc import Callable
from typing import Any

from citewell.cli.console import err
from citewell.cli.errors import FAILED, USAGE, CommandFailed
from citewell.client import ApiProblem, CitewellClient
from citewell.wire import FINAL, Query

_NO_ROOM = frozenset({429, 503})
_TO_CORRECT = frozenset({"model_refused", "model_unavailable", "model_gone", "retrieval_failed"})


def ask_and_wait(client: CitewellClient, question: str, *, wait: float, **options: Any) -> Query:
    """Submit a question and wait for its end, showing the stage on a terminal.

    Raises CommandFailed when the question is not finished after `wait` seconds, ApiProblem when there is no room in
    that time.
    """
    query_id, left = submitted(lambda: client.submit(question, **options)["id"], wait)
    return wait_for(client, query_id, left)


def submitted(submit: Callable[[], str], wait: float) -> tuple[str, float]:
    """Submit a question; return its id and the seconds left. A server without room is asked again after the time that
    it names. Raises ApiProblem when there is no room in `wait` seconds.
    """
    left = wait
    with err.status("submitting") as status:
        while True:
            try:
                return submit(), left
            except ApiProblem as problem:
                again_s = problem.retry_after or 0
                if problem.status not in _NO_ROOM or not 0 < again_s < left:
                    raise
                left -= again_s
                status.update(f"no room yet, again in {again_s:g} s")
                time.sleep(again_s)


def wait_for(client: CitewellClient, query_id: str, wait: float) -> Query:
    """Wait for the end of a question, showing the stage on a terminal. Raises CommandFailed as `ask_and_wait`."""
    with err.status("queued") as status:
        query = client.wait(query_id, wait, on_look=lambda seen: status.update(seen["stage"]))
    if query["status"] not in FINAL:
        raise CommandFailed(
            f"no answer after {wait:g} s, the question is still in work; `citewell history {query['id']}` shows it",
            FAILED,
        )
    return query


def exit_code_of(query: Query) -> int:
    """2 if the configuration must be corrected (models or embeddings), else 1."""
    error = query["error"]
    return USAGE if error and error["code"] in _TO_CORRECT else FAILED


def failure_of(query: Query) -> str | None:
    """Why the query did not succeed, or None when it did."""
    if query["status"] == "succeeded":
        return None
    error = query["error"]
    return f"the question {query['status']}: {error['message'] if error else 'no reason was stored'}"
