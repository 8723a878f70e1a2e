"""Replays a result from its record (N6): the same steps on the recorded replies and passages, without any model.

Steps that search today's index or depend on the clock are not repeated but taken from the record: retrieval, the
decisions of an agentic run, the draft, what was left out for lack of time, and unanswered calls.
"""

import inspect
import json
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

from citewell_verify.embeddings.protocol import Embedder
from citewell_verify.prompting.judgements import CHECK_ALIGNMENT, CHECK_STATEMENT, CHECK_STATEMENTS
from citewell_verify.verdicts.confidence import Calibration
from citewell_verify.verification.repairs import repair_item
from clients.llm.calling.reply_cache import CachedReply, RecordedModel
from clients.llm.gateway import ModelGateway
from clients.llm.offline.model import PROVIDER
from config.settings import Settings
from db.models import Query
from db.queries.runs import model_calls, queries, results, steps
from db.session import reading
from domain.errors.state import NotReverifiable
from domain.query.options import QueryOptions
from domain.query.workspace_rules import STATE_AFTER
from services.core.context import Outcome, QuerySnapshot, StepContext, StepResult, Tools
from services.correction import repair_steps, rounds
from services.correction.conclusion import concluded
from services.correction.object_filling import fill_object
from services.generation import answer
from services.queries.question_rewriting import restate_question, rewrite_question
from services.retrieval.reranking import score_chunks, select
from services.verification import checks

Body = Callable[[StepContext], StepResult | Awaitable[StepResult]]
_Key = tuple[str, str]

# In the order of the workflow. The items that share a call depend on which worker had them together.
_STEPS: Mapping[str, Body] = {
    "restate_question": restate_question,
    "rewrite_question": rewrite_question,
    "plan_queries": rounds.plan_queries,
    "score_chunks": score_chunks,
    "select": select,
    "extract_citations": answer.extract_citations,
    "check_alignment": checks.check_alignment,
    "check_answerability": checks.check_answerability,
    "check_coverage": checks.check_coverage,
    "check_statements": checks.check_statements,
    "assess": rounds.assess,
    "repair_statements": repair_steps.repair_statements,
    "recheck_answerability": repair_steps.recheck_answerability,
    "fill_object": fill_object,
}
_JUDGEMENTS = frozenset(judgement.name for judgement in (CHECK_ALIGNMENT, CHECK_STATEMENT, CHECK_STATEMENTS))
"""The prompts of every verification, including one without a question: their calls name its judge."""
_SHARED = frozenset({"score_chunks", "check_statements"})
_SENT = frozenset({"select", "extract_citations"})
"""The outcomes that came with the request of a verification (N2)."""
_FROM_RECORD = frozenset({"not_checked", "failed", "fallback", "unreadable", "skipped"})
_ANSWER = ("text", "original_text", "abstained", "abstain_reason", "references", "removed_citations", "edits")
_CITATION = "number chunk_id text_span source_start source_end claim_text confidence_score status".split()
_SCORES = (
    "overall_score answer_source_alignment citation_coverage fact_verification_score confidence confidence_level "
    "draft_confidence calibrated_confidence is_grounded claims_checked claims_supported accuracy_rate issues"
).split()
_SENTENCE = "start end text status support evidence".split()


class Difference(NamedTuple):
    """A difference: its place, the recorded value and the replayed one."""

    where: str
    recorded: Any
    replayed: Any


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of a replay. `unanswered` counts model calls that have no recorded reply."""

    differences: list[Difference]
    replayed: int
    from_record: int
    unanswered: int


class _Record(NamedTuple):
    """Everything that was stored about a query."""

    query: Query
    rounds: dict[int, steps.Outcomes]
    replies: dict[str, CachedReply]
    answer: results.StoredAnswer
    published: results.StoredVerification | None
    judged_offline: bool


async def replay_answer(
    query_id: uuid.UUID, settings: Settings, embedder: Embedder, calibration: Calibration | None
) -> ReplayResult:
    """Replay a succeeded query with today's rules, prompts and calibration; nothing is stored.

    Raises QueryNotFound, NotReverifiable when there is nothing to replay, SourceDeleted when its passages are gone.
    """
    record = _read(query_id)
    model = RecordedModel(record.query.provider, record.replies)
    judges: Literal["offline", "provider"] = "offline" if record.judged_offline else "provider"
    models = settings.models.model_copy(update={"judgements": judges})
    tools = Tools(ModelGateway(model, models, backoff_s=0.0), embedder, calibration=calibration)
    return await _Replay(record, model, tools).run()


def _read(query_id: uuid.UUID) -> _Record:
    with reading() as session:
        query = queries.get_query(session, query_id)
        answer = results.find_answer(session, query_id)
        if answer is None or query.review == STATE_AFTER["correct"]:
            raise NotReverifiable(f"The query's status is {query.status!r}, and it has no answer to replay.")
        calls = model_calls.list_model_calls(session, query_id)
        replies = {
            call.prompt_sha256: CachedReply(call.reply_text, call.model)
            for call in calls
            if call.prompt_sha256 and call.reply_text is not None and call.error is None
        }
        if calls and not replies:
            raise NotReverifiable("The replies of its models were erased, or come from a version that kept no audit.")
        outcomes = steps.list_outcomes(session, query_id)
        judged_offline = any(call.prompt in _JUDGEMENTS and call.model == PROVIDER for call in calls)
        published = results.find_published_verification(session, query_id)
        return _Record(query, outcomes, replies, answer, published, judged_offline)


class _Replay:
    def __init__(self, record: _Record, model: RecordedModel, tools: Tools) -> None:
        query = record.query
        self._record, self._model, self._tools = record, model, tools
        self._options = QueryOptions(**query.options)
        self._query = QuerySnapshot(
            query.id, query.workspace_id, query.question, query.mode, query.provider, self._options, query.kind
        )
        self._rounds: dict[int, dict[_Key, Outcome]] = {}
        self._differences: list[Difference] = []
        self._replayed = 0

    async def run(self) -> ReplayResult:
        total = sum(len(outcomes) for outcomes in self._record.rounds.values())
        for number in sorted(self._record.rounds):
            self._rounds[number] = dict(self._record.rounds[number])
            if ("select", "") in self._rounds[number]:
                # Raises an error before anything is judged on fewer passages than there were.
                self._context(number, ()).selected_passages()
            for step, body in _STEPS.items():
                await self._step(number, step, body)
        number = self._record.answer[0].round
        conclusion = concluded(self._context(number, ("",)))
        self._compare("answer", _answer(*self._record.answer), _answer(conclusion.answer, conclusion.citations))
        self._compare("verification", _verification(self._record.published), _verification(conclusion.verification))
        return ReplayResult(self._differences, self._replayed, total - self._replayed, self._model.unanswered)

    async def _step(self, number: int, step: str, body: Body) -> None:
        recorded = self._record.rounds[number]
        items = tuple(sorted(i for s, i in recorded if s == step and not self._is_given(step, recorded[s, i])))
        if items and step == "repair_statements":
            # A statement that no longer needs repair is reported as a difference of `assess`.
            failing = {repair_item(index) for index in self._rounds[number]["assess", ""]["failing"]}
            items = tuple(item for item in items if item in failing)
        if not items:
            return
        result = body(self._context(number, items))
        values = (await result if inspect.isawaitable(result) else result).values
        for item in items:
            self._compare(f"round {number}, {step} {item}".rstrip(), recorded[step, item], _plain(values[item]))
            self._rounds[number][step, item] = values[item]
        self._replayed += len(items)

    def _is_given(self, step: str, outcome: Outcome) -> bool:
        """Return whether the outcome is taken from the record."""
        shared = self._options.shares_calls and step in _SHARED
        sent = self._query.is_external and step in _SENT
        return shared or sent or outcome.get("status") in _FROM_RECORD or "degraded" in outcome or "reranker" in outcome

    def _context(self, number: int, items: tuple[str, ...]) -> StepContext:
        return StepContext(self._query, number, items, self._rounds[number], self._tools, self._rounds)

    def _compare(self, where: str, recorded: Any, replayed: Any) -> None:
        self._differences += _differences_between(where, recorded, replayed)


def _answer(answer: Any, citations: Iterable[Any]) -> dict[str, Any]:
    return _plain({**_fields(answer, _ANSWER), "citations": [_fields(citation, _CITATION) for citation in citations]})


def _verification(stored: results.StoredVerification | None) -> dict[str, Any]:
    if stored is None:
        return {}
    sentences = [_fields(sentence, _SENTENCE) for sentence in stored.sentences]
    return _plain({**_fields(stored.verification, _SCORES), "sentences": sentences})


def _fields(row: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _differences_between(where: str, recorded: Any, replayed: Any) -> list[Difference]:
    if recorded == replayed:
        return []
    before, after = _parts(recorded), _parts(replayed)
    if before is None or after is None or (isinstance(recorded, list) and len(before) != len(after)):
        return [Difference(where, recorded, replayed)]
    paths = dict.fromkeys((*before, *after))
    return [
        difference
        for path in paths
        for difference in _differences_between(where + path, before.get(path), after.get(path))
    ]


def _parts(value: Any) -> dict[str, Any] | None:
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        return {f".{name}": named[name] for name in sorted(named)}
    return {f"[{n}]": item for n, item in enumerate(cast("list[Any]", value))} if isinstance(value, list) else None
