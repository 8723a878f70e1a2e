"""What a message asks for: items of one or several steps of a run, and what its process claimed of them."""

import threading
from collections.abc import Callable, Collection, Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

from celery import Signature
from sqlalchemy.orm import Session

from config.settings import settings
from db.queries import parking, steps
from db.queries.steps import Key
from db.session import system_transaction, transaction
from domain.budget import NO_CALL
from domain.errors import DatabaseUnavailable
from services.step import StepContext, StepResult
from workers.once import once
from workers.pipeline import Run
from workers.runtime import leases, worker_name

Body = Callable[[StepContext], StepResult | Coroutine[Any, Any, StepResult]]
Next = Callable[[Run, StepContext], Signature[Any] | None]
Adds = Callable[[Run, StepContext], Sequence[Signature[Any]]]


@dataclass(frozen=True, slots=True)
class Step:
    """How a step is run: `failed` is the outcome of an item whose body broke; without it the error goes to the errback.

    What runs beside other steps has no `stage` of its own. `then` builds what to launch when the step is done, if
    anything, for steps that end their canvas; `adds` what its chord has to wait for besides, and `spreads` the message
    for an item that the step hands on while it works. When `until` of the query's time or money is used, a step with
    `failed` takes it instead of asking a model. One that `computes` over the whole answer and its sources is worked on
    in a process of its own where these are long (workers.computing): its body, a function of `services`, tells nobody
    of anything before it ends. What follows in place has the passages that were loaded before it, unless it is `fresh`:
    then it sees what was deleted meanwhile. The passages that it `reads` are loaded with its claim then. One that is
    `derived` only says what follows from the outcomes before it: it is worked out and stored together with them.
    """

    name: str
    stage: str | None
    body: Body
    failed: Mapping[str, Any] | None = None
    then: Next | None = None
    adds: Adds | None = None
    spreads: Callable[[Run, str], Signature[Any]] | None = None
    ends: bool = False
    until: float = NO_CALL
    computes: bool = False
    fresh: bool = False
    reads: Callable[[StepContext], Sequence[int]] | None = None
    derived: bool = False


Doing = Callable[["Work"], Coroutine[Any, Any, None]]


class Part(NamedTuple):
    """Items of one step."""

    step: Step
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """The parts of a message, which are of one stage and done at once; only a part that is alone ends its canvas."""

    run: Run
    parts: tuple[Part, ...]

    @classmethod
    def single(cls, step: Step, run: Run, items: Sequence[str] = ("",)) -> "Work":
        """Items of one step."""
        return cls(run, (Part(step, tuple(items)),))

    @property
    def name(self) -> str:
        """The steps, for logs."""
        return ", ".join(part.step.name for part in self.parts)

    @property
    def stage(self) -> str | None:
        """What a waiting user is shown, if it is a stage of its own."""
        return self.parts[0].step.stage

    @property
    def then(self) -> Next | None:
        """What builds that which follows."""
        return self.parts[-1].step.then

    @property
    def is_fresh(self) -> bool:
        """Whether one of its steps has to see the passages as they are now."""
        return any(part.step.fresh for part in self.parts)

    @property
    def is_derived(self) -> bool:
        """Whether it is stored with what is before it."""
        return all(part.step.derived for part in self.parts)

    def reads(self, context: StepContext) -> list[int]:
        """The keys of the passages that its steps begin with."""
        return list(dict.fromkeys(key for part in self.parts if part.step.reads for key in part.step.reads(context)))

    @property
    def keys(self) -> list[Key]:
        """All that is asked for."""
        return [(part.step.name, item) for part in self.parts for item in part.items]


@dataclass(frozen=True, slots=True)
class Claim:
    """What this process works on, with the attempt numbers that fence it."""

    run: Run
    attempts: Mapping[Key, int]

    def of(self, step: str) -> dict[str, int]:
        """The attempt numbers of the items of a step."""
        return {item: attempt for (name, item), attempt in self.attempts.items() if name == step}

    def only(self, names: Collection[str]) -> "Claim":
        """The claim on these steps."""
        return Claim(self.run, {key: attempt for key, attempt in self.attempts.items() if key[0] in names})

    def hand_back(self, session: Session, hold_s: float = 0.0) -> bool:
        """Give it up as if it had not been made; nobody is to claim it for `hold_s` seconds. False: it has ended."""
        run, names = self.run, sorted({step for step, _ in self.attempts})
        handed = [parking.hand_back(session, run.query_id, run.round, step, self.of(step), hold_s) for step in names]
        return any(handed)

    def hand_back_soon(self, pay: Callable[[Session], None] = lambda _: None) -> None:
        """The same, now or when Postgres can be reached again: what is no fault of a step does not count as a try.

        `pay` stores what its model calls cost, if that was not stored yet.
        """

        def attempt() -> None:
            with transaction() as session:
                if self.hand_back(session):
                    pay(session)

        with suppress(DatabaseUnavailable):
            attempt()
            return
        leases().eventually(attempt)


class HeldClaims:
    """The claims that this process works on, of all tenants: their leases are renewed together."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[Claim, Callable[[], None]]] = {}
        self._ids = count()
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, claim: Claim, stop: Callable[[], None]) -> Generator[None]:
        """Keep it for the length of the block; `stop` is called when the query has ended: nobody needs it any more."""
        key = next(self._ids)
        with self._lock:
            self._held[key] = claim, stop
        try:
            yield
        finally:
            with self._lock:
                del self._held[key]

    def renew(self) -> None:
        """Renew all of them, in one transaction."""
        with self._lock:
            claims = list(self._held.values())
        held = [
            steps.Held(claim.run.query_id, claim.run.round, step, item)
            for claim, _ in claims
            for step, item in claim.attempts
        ]
        if not held:
            return
        with system_transaction() as session:
            ended = steps.renew_leases(session, held, worker_name(), settings().recovery.lease_s)
        for claim, stop in claims:
            if claim.run.query_id in ended:
                stop()


@once
def held_claims() -> HeldClaims:
    """Those of this process."""
    claims = HeldClaims()
    leases().hold_for_good(claims.renew)
    return claims
