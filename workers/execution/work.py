"""A Celery message that asks for steps, as they see it, and what it asks for: items, and how each step runs."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, cast

import structlog
from celery import Signature, Task
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from db.queries.runs.steps import Key
from domain.query.budget import NO_CALL
from services.core.context import StepContext, StepResult
from workers.pipeline import Run

log = structlog.get_logger()


class RetryLater(Exception):
    """The message must be delivered again, after `countdown_s` seconds or at `eta`; this is not a failure."""

    def __init__(self, reason: str, *, countdown_s: float | None = None, eta: datetime | None = None) -> None:
        super().__init__(reason)
        self.reason, self.countdown_s, self.eta = reason, countdown_s, eta


class Message:
    """A message for `task`; `context` is Celery's, with its chain (the next link is the last) and its chord."""

    def __init__(self, task: Task[Any, Any], context: Any) -> None:
        self.task, self.context = task, context

    @property
    def queue(self) -> str:
        info: Any = self.context.delivery_info or {}
        return str(info.get("routing_key", ""))

    @property
    def is_redelivered(self) -> bool:
        info: Any = self.context.delivery_info or {}
        return bool(info.get("redelivered"))

    @property
    def retries(self) -> int:
        return self.context.retries or 0

    def add_to_chord(self, *signatures: Signature[Any]) -> bool:
        """Add these to the header of the message's chord, and publish them, from any thread; False on failure.

        After a failure the chord's body may never run: the reconciler then restarts the query, which does the rest.
        """
        context, backend = self.context, cast("Any", self.task.backend)
        place: dict[str, Any] = {
            "group_id": context.group,
            "group_index": context.group_index,
            "chord": context.chord,
            "root_id": context.root_id,
        }
        try:
            for added in signatures:
                # Like Celery's Task.add_to_chord, which finds its message through the current thread.
                added.set(**place)
                backend.add_to_chord(context.group, added.freeze())
                added.apply_async()
        except (OperationalError, RedisError, OSError) as error:
            log.warning("not_added_to_chord", query_id=context.args[0], error=type(error).__name__)
            return False
        return True


Body = Callable[[StepContext], StepResult | Coroutine[Any, Any, StepResult]]
Next = Callable[[Run, StepContext], Signature[Any] | None]


@dataclass(frozen=True, slots=True)
class Step:
    """How a step runs. Its row in `workers.pipeline.STAGES` says what `shown`, `follows`, `adds` and `spreads` are.

    - `failed`: the outcome of an item whose body raised, or that was skipped because the query's time or money was used
      up to the share `until`; without it the error ends the query.
    - `needed`: the query fails without it, so it waits for models that fail for as long as the deadline permits; any
      other waits for `models.outage_s` at most.
    - `ends`: its outcome ends the query.
    - `computes`: its body, a function of `services`, may compute for long over the whole answer and its sources, and
      runs in a child process if these are long (workers.execution.computing). It stores no events before it ends.
    - `fresh`: it reloads its passages, to notice deletions; other steps share those that are already loaded.
    - `reads`: the passages that it starts with, loaded with its claim.
    - `derived`: it follows from earlier outcomes alone, so it needs no claim; its outcome is stored together with them.
    """

    name: str
    shown: str | None
    body: Body
    failed: Mapping[str, Any] | None = None
    follows: Next | None = None
    adds: Callable[[Run, StepContext], Sequence[Signature[Any]]] | None = None
    spreads: Callable[[Run, str], Signature[Any]] | None = None
    needed: bool = False
    ends: bool = False
    until: float = NO_CALL
    computes: bool = False
    fresh: bool = False
    reads: Callable[[StepContext], Sequence[int]] | None = None
    derived: bool = False


class Part(NamedTuple):
    """Items of one step."""

    step: Step
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """Parts of one stage that run side by side. Only a single part can end its canvas."""

    run: Run
    parts: tuple[Part, ...]

    @classmethod
    def single(cls, step: Step, run: Run, items: Sequence[str] = ("",)) -> "Work":
        return cls(run, (Part(step, tuple(items)),))

    @property
    def name(self) -> str:
        return ", ".join(part.step.name for part in self.parts)

    @property
    def shown(self) -> str | None:
        return self.parts[0].step.shown

    @property
    def follows(self) -> Next | None:
        return self.parts[-1].step.follows

    @property
    def is_derived(self) -> bool:
        return all(part.step.derived for part in self.parts)

    @property
    def keys(self) -> list[Key]:
        return [(part.step.name, item) for part in self.parts for item in part.items]
