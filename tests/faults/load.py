"""Clients that ask, and ask again with the same Idempotency-Key when they get no answer. Every accepted id is noted."""

import itertools
import threading
import time
import uuid
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.faults.rig import WORKSPACE, Rig, variant
from tests.simulators.sink import Answer

_PATIENCE_S = 120.0
_numbers = itertools.count(1)


@dataclass
class Load:
    """The queries of one trial. `accepted` is id by key; `took` are the seconds of each answered submission."""

    rig: Rig
    accepted: dict[str, str] = field(default_factory=dict[str, str])
    answers: Counter[int] = field(default_factory=Counter[int])
    took: list[float] = field(default_factory=list[float])
    enough: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def ids(self) -> list[str]:
        with self._lock:
            return list(self.accepted.values())

    def submit(self, *script: Answer, **options: Any) -> str:
        """Ask one question until it is accepted; return the query's id. `script` is what its receiver answers.

        Raises TimeoutError.
        """
        key, deadline = str(uuid.uuid4()), time.monotonic() + _PATIENCE_S
        body = {"question": variant(next(_numbers)), "workspace": WORKSPACE, **options}
        body["callback_url"] = self.rig.sink.answer(f"/told/{key}", *(script or (Answer(),)))
        while time.monotonic() < deadline:
            if (found := self._try(key, body)) is not None:
                with self._lock:
                    self.accepted[key] = found
                return found
            time.sleep(0.2)
        raise TimeoutError("a query was not accepted")

    def start(self, count: int | None = None, *, threads: int = 4, pause_s: float = 0.0) -> "Future[None]":
        """Ask so many in the background, or until `enough` is set, each thread with a pause after each; done when all
        are accepted."""
        done: Future[None] = Future()
        left = itertools.count() if count is None else iter(range(count))

        def ask() -> None:
            while not self.enough.is_set() and next(left, None) is not None:
                self.submit()
                time.sleep(pause_s)

        def run() -> None:
            try:
                with ThreadPoolExecutor(threads) as clients:
                    for each in [clients.submit(ask) for _ in range(threads)]:
                        each.result()
                done.set_result(None)
            except (TimeoutError, AssertionError, httpx.HTTPError) as error:
                done.set_exception(error)

        threading.Thread(target=run, name="load", daemon=True).start()
        return done

    def _try(self, key: str, body: dict[str, Any]) -> str | None:
        started = time.monotonic()
        try:
            answer = self.rig.stack.http.post("/v1/queries", json=body, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            with self._lock:
                self.answers[0] += 1
            return None
        with self._lock:
            self.answers[answer.status_code] += 1
            self.took.append(time.monotonic() - started)
        assert answer.status_code in {202, 409, 429} or answer.status_code >= 500, answer.text
        return answer.json()["id"] if answer.status_code == 202 else None
