"""A model's server that misbehaves while a Citewell checks answers or writes them, and what comes of it."""

import time
from collections import Counter
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from config.models import ModelInfo, ModelLimits, ModelSettings
from tests.e2e.stack import Stack, running_stack
from tests.faults.books import Books
from tests.large.beside import Memory
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.limits import Limits
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator

LONGEST_WAIT_S = 5.0
MOST_MB = 600
_DEADLINE_S = 30.0
_SUBMITTING_S = 180.0
"""A slow model lets in few at a time; those that are refused come again for so long."""
_LATE_S = 20.0
"""Behind a deadline, for two cores that have hundreds of checks to end at once."""
_MOST_USD = 0.003
"""A call with the longest prompt and reply that are possible here."""
_DOCUMENT = "Every shop accepts returns for 30 days. For shipping, 12 euros are due."
_WORKSPACE = "spoilt"
_QUESTION = "For how many days are returns accepted?"
_AT_A_TIME = 16
WAYS = {"standard": 2, "cheap": 1, "streamed": 3}
"""A check with each preset, and a question whose streamed answer is hit; how many calls each comes to at least."""
_UNLIMITED = ModelLimits(
    requests_per_minute=10**6, requests_per_day=10**8, tokens_per_minute=10**7, tokens_per_day=10**10
)
_SETTINGS = {
    "GROQ_API_KEY": KEY,
    "CITEWELL_MODELS__CALL_TIMEOUT_S": "2",
    "CITEWELL_MODELS__DEADLINE_S": "4",
    "CITEWELL_MODELS__BREAKER__OPEN_S": "0.5",
    "CITEWELL_MODELS__BREAKER__LONGEST_S": "2",
    "CITEWELL_LIMITER__LONGEST_WAIT_S": f"{LONGEST_WAIT_S:g}",
    "CITEWELL_ACCESS__REQUESTS_PER_MINUTE": "100000",
}


@dataclass(frozen=True, slots=True)
class Misbehaviour:
    """A fault of the server. Replies that are `whole` are good, whatever else is told with them."""

    name: str
    fault: Fault
    whole: bool = False


def _telling(name: str, tokens: object) -> Misbehaviour:
    usage = {"prompt_tokens": tokens, "completion_tokens": tokens, "total_tokens": tokens}
    return Misbehaviour(name, Fault(kind=FaultKind.TELLING, times=None, usage=usage), whole=True)


def _heading(name: str, limit: str, remaining: str, reset: str) -> Misbehaviour:
    told = {"limit": limit, "remaining": remaining, "reset": reset}
    headers = {f"x-ratelimit-{what}-{of}": value for what, value in told.items() for of in ("tokens", "requests")}
    return Misbehaviour(name, Fault(kind=FaultKind.TELLING, times=None, headers=headers), whole=True)


def _doing(name: str, kind: FaultKind, **values: Any) -> Misbehaviour:
    return Misbehaviour(name, Fault(kind=kind, times=None, **values))


MISBEHAVIOURS = (
    _telling("usage-negative", -1_000_000),
    _telling("usage-1e9", 10**9),
    _telling("usage-1e30", 10**30),
    _telling("usage-text", "many"),
    _heading("headers-negative", "-5", "-1000000", "-10s"),
    _heading("headers-1e30", f"1{'0' * 30}", f"1{'0' * 30}", f"1{'0' * 30}s"),
    _heading("headers-text", "many", "some", "soon"),
    _heading("headers-nothing-left", "1", "0", "100000s"),
    _doing("reply-10-MB", FaultKind.HUGE),
    _doing("reply-endless", FaultKind.ENDLESS),
    _doing("drip", FaultKind.DRIP, pause_s=1.0),
    _doing("429", FaultKind.RATE_LIMITED),
    _doing("429-after-1-s", FaultKind.RATE_LIMITED, retry_after=1.0),
    _doing("429-after-100000-s", FaultKind.RATE_LIMITED, retry_after=100_000.0),
    _doing("cut", FaultKind.CUT),
    _doing("hang", FaultKind.HANG),
)


@dataclass
class Outcome:
    """What became of the checks under one misbehaviour."""

    misbehaviour: Misbehaviour
    way: str
    states: Counter[str] = field(default_factory=Counter[str])
    sentences: Counter[str] = field(default_factory=Counter[str])
    memory: Memory = field(default_factory=Memory)
    requests: int = 0
    calls: dict[str, Any] = field(default_factory=dict[str, Any])
    usable_s: float | None = None
    seconds: float = 0.0

    @property
    def violations(self) -> list[str]:
        """What must not have been."""
        calls = self.calls
        least = min(calls["least_usd"], calls["least_prompt"], calls["least_completion"])
        # What is refused at the start has its answer.
        ended = sum(self.states[state] for state in ("succeeded", "failed", "refused"))
        supported = self.sentences["supported"]
        found = {
            f"{self.states.total() - ended} checks did not end": ended < self.states.total(),
            f"{supported} statements are supported by spoilt replies": bool(supported) and not self.misbehaviour.whole,
            "no statement is supported though every reply was good": not supported and self.misbehaviour.whole,
            f"{self.memory.name} had {self.memory.most / 1e6:.0f} MB": self.memory.most > MOST_MB * 1e6,
            f"a call has {least:g} tokens or dollars": least < 0,
            f"a call cost {calls['most_usd']:g} USD": calls["most_usd"] > _MOST_USD,
            "the model was not usable again": self.usable_s is None or self.usable_s > LONGEST_WAIT_S,
            "the server saw no request": not self.requests,
        }
        return [what for what, is_so in found.items() if is_so]


@dataclass
class SpoiltRig:
    """A Citewell and the server of its models."""

    stack: Stack
    simulator: GroqSimulator
    number: int = 0

    def outcome(self, misbehaviour: Misbehaviour, way: str, calls: int) -> Outcome:
        """Have about so many calls made while it lasts, then take it away and wait until the model is usable."""
        outcome, began = Outcome(misbehaviour, way), time.monotonic()
        self.simulator.reset()
        match = "generate_answer" if way == "streamed" and not misbehaviour.whole else ""
        self.simulator.fail(misbehaviour.fault.model_copy(update={"match": match}))
        numbers = [self._next() for _ in range(max(1, calls // WAYS[way]))]
        with ThreadPoolExecutor(_AT_A_TIME) as pool:
            until = began + _SUBMITTING_S
            sent = [pool.submit(self._submit, number, way, _DEADLINE_S, until) for number in numbers]
            ids = [each.result() for each in sent]
        self._watch([each for each in ids if each], outcome)
        outcome.states["refused"] += ids.count(None)
        outcome.requests = len(self.simulator.ledger.entries)
        self.simulator.faults.faults.clear()
        outcome.usable_s = self._usable_again(way)
        outcome.seconds = time.monotonic() - began
        return outcome

    @property
    def _books(self) -> Books:
        return Books(self.stack.supervisor.database_url)

    def _next(self) -> int:
        self.number += 1
        return self.number

    def _submit(self, number: int, way: str, deadline_s: float, until: float) -> str | None:
        """None when it is refused until then."""
        path, body = _asked(number, way)
        while True:
            answer = self.stack.http.post(path, json={**body, "deadline_s": deadline_s})
            if answer.status_code not in {httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE}:
                return str(answer.raise_for_status().json()["id"])
            if time.monotonic() > until:
                return None
            time.sleep(0.5)

    def _watch(self, ids: Sequence[str], outcome: Outcome) -> None:
        books, until = self._books, time.monotonic() + _DEADLINE_S + _LATE_S
        while books.unfinished(ids) and time.monotonic() < until:
            outcome.memory.look(self.stack)
            time.sleep(0.2)
        outcome.memory.look(self.stack)
        outcome.states.update(row["status"] for row in books.queries(ids).values())
        for row in books.sentences(ids).values():
            outcome.sentences.update(row["statuses"])
        outcome.calls = books.costs(ids)

    def _usable_again(self, way: str) -> float | None:
        """Seconds until something is supported by the model."""
        began = time.monotonic()
        while time.monotonic() < began + 3 * LONGEST_WAIT_S:
            if (query_id := self._submit(self._next(), way, LONGEST_WAIT_S, began)) is None:
                time.sleep(0.1)
                continue
            path = _asked(self.number, way)[0]
            self.stack.http.get(f"{path}/{query_id}", params={"wait": 30}).raise_for_status()
            checked = self._books.sentences([query_id]).get(query_id, {"statuses": []})
            if "supported" in checked["statuses"]:
                return time.monotonic() - began
            time.sleep(0.1)
        return None


def _asked(number: int, way: str) -> tuple[str, dict[str, Any]]:
    """Where it is sent to, and the body."""
    if way == "streamed":
        # No two alike: replies are kept.
        return "/v1/queries", {"question": f"{_QUESTION} ({number})", "workspace": _WORKSPACE}
    days, euros = number + 100, number + 5_000
    return "/v1/verifications", {
        "answer": f"Returns are accepted for {days} days [1]. Shipping costs {euros} euros [1].",
        "sources": [{"text": f"Every shop accepts returns for {days} days. For shipping, {euros} euros are due."}],
        "preset": way,
        "repair": "off",
    }


@contextmanager
def running_spoilt() -> Generator[SpoiltRig]:
    """One with short timeouts, whose account has no limit that checks could reach."""
    catalogue = {
        name: ModelInfo.model_validate({**info.model_dump(), "limits": _UNLIMITED.model_dump()}).model_dump_json()
        for name, info in ModelSettings().catalogue.items()
    }
    told = "{" + ", ".join(f'"{name}": {info}' for name, info in catalogue.items()) + "}"
    with (
        GroqSimulator(accounts={KEY: Account("org_spoilt", Limits.none())}) as simulator,
        running_stack(**_SETTINGS, GROQ_BASE_URL=simulator.base_url, CITEWELL_MODELS__CATALOGUE=told) as stack,
    ):
        stack.add_text("terms.md", _DOCUMENT, workspace=_WORKSPACE)
        yield SpoiltRig(stack, simulator)
