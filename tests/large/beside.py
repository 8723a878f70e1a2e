"""A small check of one tenant, alone and beside the largest requests of another."""

import statistics
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

import httpx
import psutil
import pytest

from config.settings import settings
from db.session import dispose
from tests.e2e.stack import Stack, running_stack
from tests.keys import bearer, make_key
from tests.large.shapes import Shape, words

SMALL = {
    "answer": "Returns must be made within 30 days [1].",
    "sources": [{"text": "Refund policy. All returns must be made within 30 days of the purchase date."}],
}
_ENDED = frozenset({"succeeded", "failed", "cancelled", "ready"})
_FEWEST, _MOST_TIMES = 8, 8
_OTHERS = ("postgres", "valkey")


@dataclass
class Measured:
    """The results of one request, and of small ones beside it; times in seconds."""

    shape: Shape
    deadline_s: float
    ended_s: float = 0.0
    """The longest time, if it was sent several times."""
    told_s: float = 0.0
    """The server's own time for the last one."""
    state: str = ""
    times: int = 0
    beside: list[float] = field(default_factory=list[float])
    within: int = 0
    """The number of small ones that ended before it did."""


@dataclass
class Memory:
    """The most memory that any process of Citewell had, in bytes, and its name."""

    most: int = 0
    name: str = ""

    def look(self, stack: Stack) -> None:
        for name, pid in stack.supervisor.pids.items():
            if pid is None or name.startswith(_OTHERS):
                continue
            for place, process in enumerate(_with_children(pid)):
                try:
                    size = process.memory_info().rss
                except psutil.Error:
                    continue
                if size > self.most:
                    self.most, self.name = size, f"{name}'s child" if place else name


def _with_children(pid: int) -> list[psutil.Process]:
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


@dataclass
class Rig:
    """A stack with two tenants: `large` sends the large requests, `small` the small ones."""

    stack: Stack
    large: httpx.Client
    small: httpx.Client
    document_id: str = ""

    def check(self) -> float:
        """Send a small check; return its duration."""
        began = time.perf_counter()
        query_id = self.small.post("/v1/verifications", json=SMALL).raise_for_status().json()["id"]
        found = self.small.get(f"/v1/verifications/{query_id}", params={"wait": 60}).raise_for_status().json()
        assert found["status"] == "succeeded", found
        return time.perf_counter() - began

    def alone(self, times: int = 5) -> float:
        """The duration of a small check without other load."""
        self.check()
        return statistics.median(self.check() for _ in range(times))

    def measure(self, shape: Shape, deadline_s: float, memory: Memory) -> Measured:
        """Send a large request, and small ones while it lasts; a short one is repeated, so that there are enough
        small ones."""
        measured = Measured(shape, deadline_s)
        while len(measured.beside) < _FEWEST and measured.times < _MOST_TIMES:
            self._measure_once(measured, memory)
        return measured

    def _measure_once(self, measured: Measured, memory: Memory) -> None:
        measured.times += 1
        seen = len(measured.beside)
        thread = threading.Thread(target=self._send, args=(measured,))
        thread.start()
        # It has to be at work before the first small one comes.
        thread.join(0.3)
        while thread.is_alive() or len(measured.beside) == seen:
            memory.look(self.stack)
            measured.beside.append(self.check())
            measured.within += thread.is_alive()
        thread.join()
        memory.look(self.stack)

    def _send(self, measured: Measured) -> None:
        began, measured.told_s = time.perf_counter(), 0.0
        try:
            measured.state = self._ended(measured)
        except httpx.HTTPError as error:
            measured.state = type(error).__name__
        # From its acceptance, if it has one: its deadline begins there.
        measured.ended_s = max(measured.ended_s, measured.told_s or time.perf_counter() - began)

    def _ended(self, measured: Measured) -> str:
        body, route = measured.shape.body(), measured.shape.route
        if route == "documents":
            # The same text again would be known already.
            body["text"] += f" {measured.times}"
        if route == "citations":
            body = {**body, "document_id": self.document_id, "chunk_index": 0}
            return str(self.large.post("/api/verify-citation", json=body).status_code)
        if route == "search":
            return str(self.large.post("/v1/search", json=body).status_code)
        if route == "completions":
            body = {**body, "model": "default", "deadline_s": measured.deadline_s}
            return str(self.large.post("/v1/chat/completions", json=body).status_code)
        if route != "documents":
            body["deadline_s"] = measured.deadline_s
        answer = self.large.post(f"/v1/{route}", json=body)
        if answer.is_error:
            return f"{answer.status_code} {answer.json().get('code')}"
        return self._state_of(f"/v1/{route}/{answer.json()['id']}", measured)

    def _state_of(self, path: str, measured: Measured) -> str:
        deadline = time.monotonic() + measured.deadline_s + 30
        while time.monotonic() < deadline:
            found = self.large.get(path).raise_for_status().json()
            if found["status"] in _ENDED:
                if found.get("finished_at"):
                    times = [datetime.fromisoformat(found[name]) for name in ("created_at", "finished_at")]
                    measured.told_s = (times[1] - times[0]).total_seconds()
                error: dict[str, str] = found.get("error") or {}
                return f"{found['status']} {error.get('code', '')}".strip()
            time.sleep(0.2)
        return "running"


@contextmanager
def running_rig(**environment: str) -> Generator[Rig]:
    """A stack as `citewell up` starts it, with two tenants and a document of the first."""
    with running_stack(**environment) as stack, with_tenants(stack) as rig:
        rig.document_id = Stack(stack.supervisor, rig.large).add_text("words.txt", words(20_000), workspace="default")
        yield rig


@contextmanager
def with_tenants(stack: Stack) -> Generator[Rig]:
    """Two tenants of a running stack."""
    with _database_of(stack):
        url, large, small = stack.supervisor.url, make_key(tenant="large"), make_key(tenant="small")
        with (
            httpx.Client(base_url=url, timeout=120, headers=bearer(large)) as one,
            httpx.Client(base_url=url, timeout=120, headers=bearer(small)) as other,
        ):
            yield Rig(stack, one, other)


@contextmanager
def _database_of(stack: Stack) -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CITEWELL_DATABASE_URL", stack.supervisor.database_url)
        settings.cache_clear()
        dispose()
        try:
            yield
        finally:
            dispose()
    settings.cache_clear()
