"""The workflow on one screen: the stages of a query, and the builders of the canvases between them.

    restate_question (conversations)
    rewrite_question (multi-query)    research_notes (multi-agent)
    decide_search ⇄ search (agentic)  ▲         ▼
       ▼                              │         │
    retrieve ─▶ score_chunks × n ─▶ select ─▶ generate ── while it writes: check_early × e ──▶ plan_checks ─▶ assess ─┐
       ▲        (chord)             (gate)    │    └───── when it ends: check_answer,          │     ▲                │
       │                                      │                         check_statements × m   ▼     │                │
       │                                      extract_citations          (all in one chord)    what is left (chord)   │
    plan_queries ◀─────────── too little confidence, and rounds are left ─────────────────────────────────────────────┤
    conclude ◀─ recheck_answerability ◀─ repair_statements × f (chord) ◀─ search_evidence ◀── statements fail ────────┤
       │  ▲                                                                                                           │
    publish └───────────────────────────────────────────────── nothing fails ─────────────────────────────────────────┘

An answer that is asked for as an object has `fill_object` between `conclude` and `publish`.
With the knowledge graph (S5.1) `plan_graph` comes before the `retrieve` of the first round.
`generate` adds parts to its own chord: a check of every sentence as soon as it is complete (N1), and at its end all
other checks. After it `plan_checks` finds none missing, unless something failed. A verification of a given answer (N2)
starts there: the outcomes of the earlier steps came with the request.

`STAGES` alone decides which queue serves a step, and what follows it. A step that ends its canvas launches the next
one, because only it knows the next steps and their number of tasks. An agentic or multi-agent run begins with
`decide_search`; every turn but the last makes one of a limited number of searches, so the run ends. `check_answer` is
three steps in one message: check_alignment, check_coverage and check_answerability. The claims (S2.1) and key facts
(S1.4) of an answer follow from the checks of its statements and need no step. A process that serves the queue of the
next step runs it in place, up to 32 items in parallel (workers.execution.work); otherwise Celery runs a canvas. The
builders of canvases launch nothing.

Inside a chord a failure is a value. There are no errbacks: a step that breaks ends its query itself
(workers.execution.result_storage), and what only the broker broke is restarted. Messages carry ids, never documents.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from celery import Signature, chain, chord

from citewell_verify.verification.repairs import repair_item
from domain.query.budget import batches, growing_batches, items_per_message
from domain.query.options import QueryOptions
from domain.query.outcomes import ASSESS, Assessed
from services.core.context import StepContext
from services.retrieval.agentic_state import next_turn
from services.verification.round_results import unchecked_items, undispatched_items
from workers.celery_app import app
from workers.queues import Queue

__all__ = ["STAGES", "Run", "Stage", "start_canvas", "verification_canvas"]


WHOLE_CHECKS = ("check_answerability", "check_alignment", "check_coverage")
"""The checks of the answer as a whole. The one that needs most passages comes first: it loads them for the others."""


class Run(NamedTuple):
    """The launch of a query that a message belongs to; messages of an older launch are ignored.

    Steps act for `tenant`: with another tenant's id in the message the query is not found.
    """

    query_id: str
    launch: int
    round: int
    tenant: int


Follows = Callable[[Run, StepContext], Signature[Any]]


def start_canvas(run: Run, options: QueryOptions) -> Signature[Any]:
    names = ["plan_queries"] if run.round else options.preparations
    is_decided = not run.round and options.run != "structured"
    search = _one("decide_search", run, ["1"]) if is_decided else _one("retrieve", run)
    return chain(*(_one(name, run) for name in names), search)


def verification_canvas(run: Run) -> Signature[Any]:
    """Start with the checks: the answer and its sources came with the request (N2)."""
    return single(run, "plan_checks")


def after_search(run: Run, context: StepContext) -> Signature[Any]:
    """Return the next action, which is read from the outcomes, so a redelivered turn repeats nothing."""
    what, turn = next_turn(context)
    if what == "gather":
        return single(run, "retrieve")
    return single(run, "decide_search" if what == "decide" else "search", [str(turn)])


def after_retrieve(run: Run, context: StepContext) -> Signature[Any]:
    """Return the chord of scores, spread over the live processes that rerank, unless passages share a request."""
    keys = [str(key) for key, _ in context.retrieved["candidates"]]
    size = context.query.options.rerank_batch
    if context.tools.reranker is None and not context.query.options.shares_calls:
        size = min(size, -(-len(keys) // context.tools.processes_of(Queue.RERANKING.value)) or 1)
    return scoring_canvas(run, batches(keys, size))


def after_select(run: Run, context: StepContext) -> Signature[Any]:
    """Draft and extract citations in parallel, if there are sources; multi-agent runs take notes first."""
    if context.selection["status"] == "selected":
        takes_notes = context.query.options.run == "multiagent" and not run.round
        return single(run, "research_notes") if takes_notes else drafting_canvas(run)
    # An earlier round has an answer.
    return single(run, "assess") if run.round else conclude_canvas(run, context)


def drafting_canvas(run: Run, _: StepContext | None = None) -> Signature[Any]:
    return fan_in([_one("generate", run), _one("extract_citations", run)], _one("plan_checks", run))


def remaining_checks(run: Run, context: StepContext) -> Sequence[Signature[Any]]:
    """Return the checks of a complete draft: of the whole answer, and of sentences not yet dispatched for checking."""
    options = context.query.options
    if context.draft["status"] != "complete" or not options.verification:
        return []
    return checks(run, batches(undispatched_items(context), options.check_batch))


def early_check(run: Run, item: str) -> Signature[Any]:
    """Return the check of a sentence that is complete while the rest is still being written (N1)."""
    return _one("check_early", run, [item])


def after_plan_checks(run: Run, context: StepContext) -> Signature[Any]:
    """Return the missing checks, if verification is on: after `generate` only an interrupted launch has any."""
    draft, options = context.draft, context.query.options
    if draft["status"] != "complete" or not options.verification:
        return single(run, "assess") if run.round else conclude_canvas(run, context)
    left = unchecked_items(context)
    if not left and all(context.outcome(check) for check in WHOLE_CHECKS):
        return single(run, "assess")
    # A first batch of one gives an early verdict, but has no other statement to share a call with.
    spread = batches if options.shares_calls else growing_batches
    return checking_canvas(run, spread(left, items_per_message(len(left), options.check_batch)))


def after_assess(run: Run, context: StepContext) -> Signature[Any]:
    assessed = context.assessment
    if assessed["decision"] == "correct":
        return start_canvas(run._replace(round=run.round + 1), context.query.options)
    best = run._replace(round=assessed["best"])
    kept = assessed if best == run else Assessed(**context.rounds[best.round][ASSESS, ""])
    if kept["failing"] and context.query.options.repair == "full" and assessed.get("repairs", True):
        return single(best, "search_evidence")
    return conclude_canvas(best, context)


def after_search_evidence(run: Run, context: StepContext) -> Signature[Any]:
    items = [repair_item(index) for index in context.assessment["failing"]]
    return repair_canvas(run, batches(items, items_per_message(len(items), context.query.options.check_batch)), context)


class Stage(NamedTuple):
    """A step's queue, the stage shown to users, and the canvas that `follows` if it ends its own. `adds` builds further
    parts of its chord when it ends; `spreads` builds a message for other workers while it runs."""

    queue: Queue
    shown: str | None
    follows: Follows | None = None
    adds: Callable[[Run, StepContext], Sequence[Signature[Any]]] | None = None
    spreads: Callable[[Run, str], Signature[Any]] | None = None


STAGES = {
    "restate_question": Stage(Queue.VERIFICATION, "retrieving"),
    "rewrite_question": Stage(Queue.VERIFICATION, "retrieving"),
    "plan_graph": Stage(Queue.VERIFICATION, "retrieving"),
    "plan_queries": Stage(Queue.VERIFICATION, "correcting"),
    "decide_search": Stage(Queue.VERIFICATION, "researching", after_search),
    "search": Stage(Queue.RETRIEVAL, "researching", after_search),
    "retrieve": Stage(Queue.RETRIEVAL, "retrieving", after_retrieve),
    "score_chunks": Stage(Queue.RERANKING, "reranking"),
    "select": Stage(Queue.RERANKING, "reranking", after_select),
    "research_notes": Stage(Queue.CITATIONS, "researching", drafting_canvas),
    "generate": Stage(Queue.GENERATION, "generating", adds=remaining_checks, spreads=early_check),
    "extract_citations": Stage(Queue.CITATIONS, None),
    "check_early": Stage(Queue.VERIFICATION, None),
    "plan_checks": Stage(Queue.VERIFICATION, "verifying", after_plan_checks),
    "check_answer": Stage(Queue.VERIFICATION, "verifying"),
    "check_statements": Stage(Queue.VERIFICATION, "verifying"),
    "assess": Stage(Queue.VERIFICATION, "verifying", after_assess),
    "search_evidence": Stage(Queue.RETRIEVAL, "repairing", after_search_evidence),
    "repair_statements": Stage(Queue.VERIFICATION, "repairing"),
    "recheck_answerability": Stage(Queue.VERIFICATION, "repairing"),
    "conclude": Stage(Queue.VERIFICATION, "concluding"),
    "fill_object": Stage(Queue.VERIFICATION, "concluding"),
    "publish": Stage(Queue.VERIFICATION, "publishing"),
}


def single(run: Run, name: str, items: Sequence[str] | None = None) -> Signature[Any]:
    return chain(_one(name, run, items))


def scoring_canvas(run: Run, spread: Sequence[Sequence[str]]) -> Signature[Any]:
    return fan_in(_each("score_chunks", run, spread), _one("select", run))


def checking_canvas(run: Run, spread: Sequence[Sequence[str]]) -> Signature[Any]:
    return fan_in(checks(run, spread), _one("assess", run))


def checks(run: Run, spread: Sequence[Sequence[str]]) -> list[Signature[Any]]:
    return [_one("check_answer", run), *_each("check_statements", run, spread)]


def repair_canvas(run: Run, spread: Sequence[Sequence[str]], context: StepContext | None = None) -> Signature[Any]:
    end = chain(_one("recheck_answerability", run), *_end(run, context))
    return fan_in(_each("repair_statements", run, spread), end)


def conclude_canvas(run: Run, context: StepContext | None = None) -> Signature[Any]:
    return chain(*_end(run, context))


def fan_in(header: Sequence[Signature[Any]], body: Signature[Any]) -> Signature[Any]:
    return chord(header, body) if len(header) > 1 else chain(*header, body)


def _one(name: str, run: Run, items: Sequence[str] | None = None) -> Signature[Any]:
    args, queue = run if items is None else (*run, list(items)), STAGES[name].queue.value
    return app.signature(f"query.{name}", args=args, immutable=True, queue=queue, ignore_result=True)


def _each(name: str, run: Run, spread: Sequence[Sequence[str]]) -> list[Signature[Any]]:
    return [_one(name, run, items) for items in spread]


def _end(run: Run, context: StepContext | None) -> list[Signature[Any]]:
    filling = ["fill_object"] if context and context.query.is_by_schema else []
    return [_one(name, run) for name in ("conclude", *filling, "publish")]
