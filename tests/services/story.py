"""A query whose steps are run one by one as the workers run them, on real rows and with a real model client."""

import asyncio
import inspect
import uuid
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any

from citewell_verify.answers.statements import plan_checks
from citewell_verify.embeddings.protocol import Embedder
from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.markers.citable import Citable, citable_sources
from citewell_verify.verdicts.confidence import Calibration
from citewell_verify.verification.repairs import repair_item
from clients.llm.gateway import ModelGateway
from clients.llm.offline import OfflineModel
from clients.llm.protocol import CallLog
from clients.reranking import Reranker
from config.models import ModelSettings
from db.models import Chunk, Document, QueryKind
from db.queries.runs import queries, steps
from db.session import transaction
from domain.query.budget import Budget
from domain.query.options import QueryOptions
from services.core.context import Outcome, QuerySnapshot, StepContext, StepResult, Tools
from services.correction import repair_steps, rounds
from services.correction.conclusion import conclude
from services.finishing.completion import publish
from services.generation.answer import generate
from services.queries.results import read_query
from services.retrieval.candidates import retrieve
from services.retrieval.reranking import score_chunks, select
from services.verification import checks
from tests.clients.groq_stage import GroqStage
from tests.factories import finish_items, make_chunk, make_document, make_options, make_query

Body = Callable[[StepContext], StepResult | Awaitable[StepResult]]
Scenario = Callable[[ModelGateway], Awaitable[StepResult]]
Play = Callable[[Scenario], StepResult]


@cache
def _offline(*, embeddings: bool) -> ModelGateway:
    return ModelGateway(OfflineModel(default_embedder() if embeddings else None), ModelSettings())


def with_offline(scenario: Scenario, *, embeddings: bool = True) -> StepResult:
    """Run it with the offline model; without `embeddings` it uses only words, which is fast."""

    async def played() -> StepResult:
        return await scenario(_offline(embeddings=embeddings))

    return asyncio.run(played())


def with_groq(stage: GroqStage) -> Play:
    """Run it with the real SDK against the stage's provider."""
    models = ModelSettings(call_timeout_s=10, deadline_s=20)
    return lambda scenario: stage.run(lambda model: scenario(ModelGateway(model, models, backoff_s=0.01)))


def yes(explanation: str = "the source says so", confidence: float = 0.95) -> Outcome:
    """A check that found its statement in the source."""
    return checked(ruling(True, "supports", confidence, explanation))


def no(explanation: str = "no word of it", relation: str = "does_not_mention", confidence: float = 0.9) -> Outcome:
    """A check that did not find its statement."""
    return checked(ruling(False, relation, confidence, explanation))


def ruling(is_accurate: bool, relation: str, confidence: float, explanation: str, *differences: str) -> dict[str, Any]:
    """A stored ruling without evidence."""
    fields = {"is_accurate": is_accurate, "relation": relation, "confidence": confidence, "explanation": explanation}
    return {**fields, "decided_by": "model", "evidence": None, "differences": list(differences)}


def checked(verdict: dict[str, Any] | None, reason: str = "") -> Outcome:
    """The outcome of any check; without a verdict it was not made."""
    return {"status": "checked" if verdict else "not_checked", "verdict": verdict, "reason": reason}


def answerable(supported: bool, reason: str = "so it is") -> Outcome:
    """The verdict of S3.4."""
    return checked({"supported": supported, "reason": reason})


class Story:
    """One query in its own workspace. Outcomes of steps are stored, and are what the next ones see.

    There is one round unless `max_crag_attempts` is given.
    """

    kind = QueryKind.ANSWER
    budget = Budget()
    """The time and money that the query had used when a step begins."""
    calibration: Calibration | None = None
    """The calibration of the verifier, if it was measured."""

    def __init__(
        self, question: str = "How long?", *, play: Play = with_offline, mode: str = "balanced", **options: Any
    ):
        self.question, self.mode, self.play = question, mode, play
        self.options: QueryOptions = make_options(**{"max_crag_attempts": 0, **options})
        self.workspace = f"w-{uuid.uuid4().hex[:12]}"
        with transaction() as session:
            query = make_query(
                session,
                workspace=self.workspace,
                question=question,
                mode=mode,
                options=self.options.model_dump(mode="json"),
            )
            self.query_id, self.workspace_id = query.id, query.workspace_id
        with transaction() as session:
            queries.mark_launched(session, self.query_id, 0)
        self.rounds: dict[int, dict[tuple[str, str], Outcome]] = {0: {}}
        self.texts: dict[int, str] = {}
        self.documents: dict[int, uuid.UUID] = {}
        self.log = CallLog()
        self.reranker: Reranker | None = None
        self.embedder: Embedder = default_embedder()
        self.round = 0

    # The documents

    def add(self, filename: str, text: str, start: int = 0, context: str | None = None) -> int:
        """Store a document with one chunk, its text from `start` on, below a `context`; return the chunk's key."""
        with transaction() as session:
            number = len(self.documents)
            document = make_document(session, text, workspace=self.workspace, filename=filename, number=number)
            embedding = default_embedder().encode([text[start:]]).tolist()[0]
            chunk = make_chunk(session, document, start, len(text), embedding=embedding, context=context)
            self.texts[chunk.id], self.documents[chunk.id] = text, document.id
            return chunk.id

    def delete_document(self, key: int) -> None:
        """Delete the document of a chunk, and the chunk with it."""
        with transaction() as session:
            session.delete(session.get_one(Document, self.documents[key]))

    def delete_chunk(self, key: int) -> None:
        """Delete the chunk alone, as when its document is read again."""
        with transaction() as session:
            session.delete(session.get_one(Chunk, key))

    # What steps left

    def set(self, step: str, outcome: Mapping[str, Any], item: str = "") -> "Story":
        self.rounds[self.round][step, item] = dict(outcome)
        return self

    def selected(self, *keys: int, ranked: tuple[int, ...] = ()) -> "Story":
        """Set the chunks that the answer is written from; `ranked` are other retrieved chunks."""
        outcome = {
            "status": "selected",
            "selected": list(keys),
            "ranked": [*keys, *ranked],
            "sources": [],
            "issues": [],
        }
        return self.set("select", outcome)

    def drafted(self, text: str, *verdicts: Mapping[str, Any] | None) -> "Story":
        """Set the draft, and the outcomes of its planned checks in order; None leaves no outcome."""
        self.set("generate", {"status": "complete", "text": text, "model": "m"})
        plan = plan_checks(text, len(self.rounds[self.round]["select", ""]["selected"]))
        for check, verdict in zip(plan, verdicts, strict=True):
            if verdict is not None:
                self.set("check_statements", verdict, check.item)
        return self.set("check_answerability", answerable(True))

    def outcome(self, step: str, item: str = "") -> Outcome:
        return self.rounds[self.round][step, item]

    def asked(self) -> list[str]:
        """The prompts that the model got, in order."""
        return [record.prompt for record in self.log.records]

    # Running steps

    def run(self, step: str, body: Body, *items: str) -> Outcome:
        """Run one step of this round and store its outcomes; return that of its first item."""
        names = items or ("",)

        async def scenario(gateway: ModelGateway) -> StepResult:
            result = body(self.context(gateway, names))
            return await result if inspect.isawaitable(result) else result

        result = self.play(scenario)
        with transaction() as session:
            query = str(self.query_id)
            attempts = steps.claim_items(session, query, self.round, step, names, worker="t", lease_s=10)
            assert finish_items(session, self.query_id, self.round, step, result.values, attempts)
            if result.save is not None:
                result.save(session)
        self.rounds[self.round] |= {(step, item): value for item, value in result.values.items()}
        return result.values[names[0]]

    def context(self, gateway: ModelGateway, items: tuple[str, ...]) -> StepContext:
        """The context of a step for `items`."""
        snapshot = QuerySnapshot(
            self.query_id, self.workspace_id, self.question, self.mode, gateway.provider, self.options, self.kind
        )
        tools = Tools(gateway, self.embedder, calibration=self.calibration, reranker=self.reranker)
        found = self.rounds[self.round]
        return StepContext(snapshot, self.round, items, found, tools, self.rounds, self.log, budget=self.budget)

    def retrieve(self) -> "Story":
        """Retrieve, score and select."""
        found = self.run("retrieve", retrieve)
        if found["candidates"]:
            self.run("score_chunks", score_chunks, *(str(key) for key, _ in found["candidates"]))
        self.run("select", select)
        return self

    def write(self) -> "Story":
        self.run("generate", generate)
        return self

    def check(self) -> "Story":
        """Make every check of the draft."""
        for step, body in _WHOLE.items():
            self.run(step, body)
        items = [each.item for each in plan_checks(self.outcome("generate")["text"], self._citable())]
        if items:
            self.run("check_statements", checks.check_statements, *items)
        return self

    def _citable(self) -> Citable:
        selected, told = self.outcome("select")["selected"], self.outcome("select")["sources"]
        return citable_sources(told or [{} for _ in selected], self.options.refusal)

    def assess(self) -> Outcome:
        return self.run("assess", rounds.assess)

    def next_round(self) -> "Story":
        """Begin a corrective round."""
        self.round += 1
        self.rounds[self.round] = {}
        return self

    def repair(self) -> "Story":
        """Assess the round and repair failing statements, as the pipeline does."""
        failing = self.assess()["failing"]
        if failing and self.options.repair == "full":
            self.run("search_evidence", repair_steps.search_evidence)
            self.run("repair_statements", repair_steps.repair_statements, *map(repair_item, failing))
            self.run("recheck_answerability", repair_steps.recheck_answerability)
        return self

    def finish(self) -> None:
        """Conclude and publish."""
        self.run("conclude", conclude)
        self.run("publish", publish)

    def conclude(self) -> dict[str, Any]:
        """Conclude and publish; return the finished query."""
        self.finish()
        return read_query(self.query_id)


_WHOLE: dict[str, Body] = {
    "check_alignment": checks.check_alignment,
    "check_coverage": checks.check_coverage,
    "check_answerability": checks.check_answerability,
}
