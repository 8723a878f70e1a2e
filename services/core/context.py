"""The context of a step: the query, the outcomes of earlier steps, the parts that were left out, and the models."""

import asyncio
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, cast

from sqlalchemy.orm import Session

from citewell_verify.answers.refusals import refusal_for
from citewell_verify.answers.statements import Statement, statements
from citewell_verify.embeddings.protocol import Embedder
from citewell_verify.evidence.passages import Passage
from citewell_verify.markers.citable import Citable, citable_sources
from citewell_verify.text.languages import MOST_BESIDE
from citewell_verify.verdicts.confidence import Calibration
from clients.llm.gateway import ModelGateway, RecordedJudge
from clients.llm.protocol import CallLog
from clients.reranking import Reranker
from db.models import QueryKind
from db.queries.documents.chunks import get_passages
from db.queries.runs.events import EventData
from db.queries.runs.steps import Key
from db.queries.verifications.external_sources import get_given_passages, list_given_passages
from db.session import reading
from domain.errors.state import SourceDeleted
from domain.query.budget import CODES, Budget
from domain.query.options import QueryOptions
from domain.query.outcomes import ASSESS, GENERATE, RETRIEVE, SELECT, Assessed, Drafted, Retrieved, Selected, StepName

Outcome = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class QuerySnapshot:
    """The parts of a query that steps need."""

    id: uuid.UUID
    workspace_id: int
    question: str
    mode: str
    provider: str
    options: QueryOptions
    kind: str = QueryKind.ANSWER
    batch_id: uuid.UUID | None = None
    accepted_at: float = 0.0
    """Unix seconds by the database's clock. A person's question that was admitted in place of a scripted one keeps the
    time of the scripted one."""
    traceparent: str | None = None

    @property
    def is_external(self) -> bool:
        """Return whether answer and sources came with the request (N2), so that there are no other sources."""
        return self.kind == QueryKind.VERIFICATION

    @property
    def has_given_sources(self) -> bool:
        """Return whether the only sources are those that came with the request, for an answer (N2) or for a question
        (N9)."""
        return self.is_external or bool(self.options.given_sources)

    @property
    def is_by_schema(self) -> bool:
        """Return whether the answer is also written as an object that follows the schema of the question."""
        return self.options.answer_schema is not None and not self.is_external


def _is_watched(_: uuid.UUID) -> bool:
    return True


def _alone(_: str) -> int:
    return 1


@dataclass(frozen=True, slots=True)
class Tools:
    """The resources that a worker process keeps for its lifetime."""

    models: ModelGateway
    embedder: Embedder
    verifier: str = ""
    """The version of the statement checker (N8), stored with every verification."""
    sharing_verifier: str = ""
    """The version of the statement checker where calls are shared (preset `cheap`)."""
    calibration: Calibration | None = None
    """The calibration that turns the verifier's confidence into probabilities, if it was measured."""
    draft_every_s: float = 0.05
    """The interval at which watchers get new text, in seconds."""
    check_early: Literal["watched", "always", "never"] = "watched"
    """When sentences are checked while their answer is still being written (N1)."""
    stop_ungrounded_after: int = 0
    """The number of refused sentences, with none supported even in part, after which writing stops; 0 never stops
    it."""
    reranker: Reranker | None = None
    """The reranker that scores passages in place of the model."""
    is_watched: Callable[[uuid.UUID], bool] = _is_watched
    """A function that says whether a query has a live watcher; it may use the network."""
    processes_of: Callable[[str], int] = _alone
    """A function that returns the number of live processes of a queue."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step: an outcome per item, further rows to store in the same transaction, events for watchers,
    and outcomes of other steps that were produced elsewhere."""

    values: dict[str, Outcome]
    save: Callable[[Session], None] | None = None
    events: Sequence[EventData] = ()
    adopted: Mapping[Key, Mapping[str, Any]] = field(default_factory=dict[Key, Any])

    @classmethod
    def single(
        cls,
        outcome: Mapping[str, Any],
        save: Callable[[Session], None] | None = None,
        events: Sequence[EventData] = (),
    ) -> "StepResult":
        return cls({"": dict(outcome)}, save, events)


class PassageCache:
    """The passages that the steps of a message have loaded; concurrent steps share it."""

    def __init__(self) -> None:
        self._known: dict[int, Passage] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type["PassageCache"], tuple[()]]:
        # A context that is sent to another process takes an empty cache along: that process loads the passages that it
        # needs.
        return PassageCache, ()

    def add(self, loaded: Sequence[Passage]) -> None:
        with self._lock:
            self._known.update({passage.key: passage for passage in loaded})

    def missing(self, keys: Sequence[int]) -> list[int]:
        return [key for key in keys if key not in self._known]

    def passages(self, keys: Sequence[int], load: Callable[[Session, list[int]], list[Passage]]) -> list[Passage]:
        """Return the passages with `keys`, in their order; missing ones are loaded in a short transaction of their
        own."""
        if self.missing(keys):
            # Concurrent callers wait here instead of loading the same passages.
            with self._lock:
                if missing := self.missing(keys):
                    with reading() as session:
                        self._known.update({passage.key: passage for passage in load(session, missing)})
        return [self._known[key] for key in keys if key in self._known]


def _not_published(_: Sequence[EventData]) -> None: ...
def _not_dispatched(_events: Sequence[EventData], _item: str, _value: Mapping[str, Any]) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class StepContext:
    """One execution of a step. `items` are still to be done; `outcomes` are finished, by (step, item)."""

    query: QuerySnapshot
    round: int
    items: tuple[str, ...]
    outcomes: dict[tuple[str, str], Outcome]
    tools: Tools
    rounds: Mapping[int, Mapping[tuple[str, str], Outcome]] = field(default_factory=dict[int, Any])
    """The outcomes of all rounds so far, including this one, as stored when the step began."""
    log: CallLog = field(default_factory=CallLog)
    publish: Callable[[Sequence[EventData]], None] = _not_published
    """A function that publishes events to watchers before the step ends, in a transaction of its own."""
    dispatch: Callable[[Sequence[EventData], str, Mapping[str, Any]], bool] = _not_dispatched
    """A function that publishes events and also hands an item of another step to another worker while this one
    continues: it stores the item's input and adds its message to this step's chord. It returns False if the item was
    not handed over and still has to be done."""
    budget: Budget = field(default_factory=Budget)
    """The time and money that the query had used when the step began."""
    passage_cache: PassageCache = field(default_factory=PassageCache)

    @property
    def judge(self) -> RecordedJudge:
        """Return the model that judges, whose calls this step records."""
        return RecordedJudge(self.tools.models, self.log)

    @property
    def span_chars(self) -> tuple[int, int]:
        """Return the lengths of the shortest and the longest quoted span, in characters."""
        return self.query.options.span_min_chars, self.query.options.span_max_chars

    @property
    def question(self) -> str:
        """Return the question, restated so that it needs no conversation before it (N9)."""
        restated = self.outcome("restate_question") or self.earlier("restate_question") or {}
        return restated.get("question") or self.query.question

    @property
    def refusal(self) -> str:
        """Return the text that replaces an answer that the documents do not support (S3.4, V8).

        It is in the language of the question; where the question is too short to be sure, the passages that were found
        decide.
        """
        if self.query.options.refusal is not None:
            return self.query.options.refusal
        asked = self.question.strip() or (self.read(GENERATE) or {}).get("text", "")
        near = self.passages((self.selection["selected"] or self.selection["ranked"])[:MOST_BESIDE])
        return refusal_for(asked, self.query.options.refusal_language, [passage.readable for passage in near])

    @property
    def retrieved(self) -> Retrieved:
        return Retrieved(**self.outcomes[RETRIEVE, ""])

    @property
    def selection(self) -> Selected:
        return Selected(**self.outcomes[SELECT, ""])

    @property
    def draft(self) -> Drafted:
        return Drafted(**self.outcomes[GENERATE, ""])

    @property
    def assessment(self) -> Assessed:
        return Assessed(**self.outcomes[ASSESS, ""])

    @property
    def verifier(self) -> str:
        tools, judge = self.tools, self.query.options.judge_model
        own = (tools.sharing_verifier if self.query.options.shares_calls else tools.verifier) or tools.models.provider
        # The versions of prompts and rules follow the model's name, which may contain slashes.
        return f"{tools.models.provider}/{judge}/{own.rpartition('/')[2]}" if judge else own

    @property
    def calibration(self) -> Calibration | None:
        """Return the calibration of the verifier's confidence, unless it was measured for the other preset's
        verifier."""
        tools = self.tools
        measured, own = tools.calibration, self.verifier
        if measured is not None and self.query.options.judge_model:
            return measured if measured.version == own else None
        if measured is None or tools.sharing_verifier == tools.verifier or measured.version == own:
            return measured
        shares = self.query.options.shares_calls
        return None if shares or measured.version == tools.sharing_verifier else measured

    @property
    def citable(self) -> Citable:
        """Return the sources that the answer can cite: the passages that it was written from, with their names (V5)."""
        selected, sources = self.selection["selected"], self.selection["sources"]
        named = (sources[number] if number < len(sources) else {} for number in range(len(selected)))
        return citable_sources(named, self.query.options.refusal)

    @property
    def replaced_by(self) -> list[str]:
        """Return for each selected passage the document that replaces the passage's own according to its text, or
        nothing."""
        return [source.get("replaced_by", "") for source in self.selection["sources"]]

    @property
    def statements(self) -> list[Statement]:
        return statements(self.draft["text"], self.citable)

    def outcome(self, step: str, item: str = "") -> Outcome | None:
        """Return the outcome of a step, or None if it left none (its subject is then not checked)."""
        return self.outcomes.get((step, item))

    def read(self, step: StepName[T], item: str = "") -> T | None:
        """Return the outcome of a step in its type, or None if it left none."""
        return cast("T | None", self.outcome(step, item))

    def read_earlier(self, step: StepName[T], item: str = "") -> T | None:
        """Return the newest outcome of a step in the rounds before this one."""
        return cast("T | None", self.earlier(step, item))

    def earlier(self, step: str, item: str = "") -> Outcome | None:
        outcomes = (self.rounds.get(number, {}).get((step, item)) for number in range(self.round - 1, -1, -1))
        return next((outcome for outcome in outcomes if outcome is not None), None)

    def with_outcomes(self, step: str, values: Mapping[str, Outcome]) -> "StepContext":
        return replace(self, outcomes={**self.outcomes, **{(step, item): value for item, value in values.items()}})

    def portable(self) -> "StepContext":
        """Return a copy without the resources of this process, for another process that has its own models."""
        nothing: Any = None
        tools = replace(self.tools, models=nothing, embedder=nothing, reranker=None, is_watched=_is_watched)
        log = CallLog(terms=self.log.terms)
        return replace(
            self, tools=tools, log=log, publish=_not_published, dispatch=_not_dispatched, passage_cache=PassageCache()
        )

    def passages(self, keys: list[int]) -> list[Passage]:
        return self.passage_cache.passages(keys, get_given_passages if self.query.has_given_sources else get_passages)

    def given_passages(self) -> list[Passage]:
        """Return all passages of the texts that came with the question."""
        with reading() as session:
            passages = list_given_passages(session, self.query.id)
        self.passage_cache.add(passages)
        return passages

    def selected_passages(self) -> list[Passage]:
        """Return the passages that the answer is written from; number N in the answer is position N-1 here.

        Raises SourceDeleted when one is gone, because the numbers would then point to others.
        """
        keys = self.selection["selected"]
        passages = self.passages(keys)
        if len(passages) < len(keys):
            raise SourceDeleted
        return passages


async def when_loaded(context: StepContext, read: Callable[[], T], keys: Sequence[int] | None = None) -> T:
    """Return the result of `read`, which reads the passages of `keys`, by default the selected ones. It runs in a
    thread if it has to load them, or to read given sources, which may be long."""
    wanted = context.selection["selected"] if keys is None else keys
    if context.query.is_external or context.passage_cache.missing(wanted):
        return await asyncio.to_thread(read)
    return read()


def ran_out(context: StepContext) -> str | None:
    """Return the code of the budget that ran out before the round was finished, or None."""
    codes = (outcome.get("code") for outcome in context.outcomes.values())
    used_up = next((code for code in codes if code in CODES), None)
    return used_up or (context.budget.code if context.budget.has_used(1.0) else None)


def left_out_issues(context: StepContext) -> list[str]:
    steps: dict[str, dict[str, None]] = {}
    for _, outcomes in sorted(context.rounds.items()):
        for (step, _), outcome in sorted(outcomes.items()):
            if reason := outcome.get("degraded"):
                steps.setdefault(reason, {})[step.replace("_", " ")] = None
    return [f"Left out ({', '.join(names)}): {reason}." for reason, names in steps.items()]
