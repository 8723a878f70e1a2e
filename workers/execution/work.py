"""What a message asks for: items of steps, and how each step runs."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from celery import Signature

from db.queries.runs.steps import Key
from domain.query.budget import NO_CALL
from services.core.context import StepContext, StepResult
from workers.pipeline import Run

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
