"""The workflow, on one screen.

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

Where the knowledge graph takes part (S5.1) `plan_graph` comes before the `retrieve` of the first round.
`generate` adds to the chord that it is in: a check of every sentence that has closed (N1), and in the end all others.
After it `plan_checks` finds nothing left, unless something broke. A verification of a given answer (N2) starts there:
what the steps before it leave came with the request.

Builders return signatures and launch nothing. `decide_search`, `search`, `retrieve`, `select`, `research_notes`,
`plan_checks`, `assess` and `search_evidence` launch what follows them, because only they know what and how wide it is;
each is the last link of its own canvas. An agentic or multi-agent run begins with `decide_search`, and every turn but
the last makes one of a limited number of searches, so that it ends.
`check_answer` is three steps in one message: check_alignment, check_coverage and check_answerability. The claims (S2.1)
and key facts (S1.4) of an answer follow from the checks of its statements and need no step. A process that serves the
queue of a single step that follows does it in place (workers.onward).
Inside a chord failure is a value, so the errback is for faults of the machinery. Messages carry ids, never documents.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from celery import Signature, chain, chord

from domain.options import QueryOptions
from workers.celery_app import app
from workers.queues import Queue


class Run(NamedTuple):
    """Which start of which query a message belongs to; a message of an older launch is ignored.

    `tenant` is whom the step acts for: with another tenant's id in a message the query is not found.
    """

    query_id: str
    launch: int
    round: int
    tenant: int


def starting(run: Run, options: QueryOptions) -> Signature[Any]:
    names = ["plan_queries"] if run.round else options.preparations
    first = [_task(f"query.{name}", Queue.VERIFICATION, run) for name in names]
    is_decided = not run.round and options.run != "structured"
    search = _decision(run, 1) if is_decided else _task("query.retrieve", Queue.RETRIEVAL, run)
    return chain(*first, search).on_error(_failing(run))


def deciding(run: Run, turn: int) -> Signature[Any]:
    return _fan_in(run, [], _decision(run, turn))


def looking(run: Run, turn: int) -> Signature[Any]:
    return _fan_in(run, [], _task("query.search", Queue.RETRIEVAL, run, [str(turn)]))


def gathering(run: Run) -> Signature[Any]:
    return _fan_in(run, [], _task("query.retrieve", Queue.RETRIEVAL, run))


def verifying(run: Run) -> Signature[Any]:
    """Start with the checks: answer and sources came with the request (N2)."""
    return _fan_in(run, [], _task("query.plan_checks", Queue.VERIFICATION, run))


def scoring(run: Run, batches: Sequence[Sequence[str]]) -> Signature[Any]:
    scores = [_task("query.score_chunks", Queue.RERANKING, run, list(batch)) for batch in batches]
    return _fan_in(run, scores, _task("query.select", Queue.RERANKING, run))


def noting(run: Run) -> Signature[Any]:
    return _fan_in(run, [], _task("query.research_notes", Queue.CITATIONS, run))


def drafting(run: Run) -> Signature[Any]:
    drafts = [_task("query.generate", Queue.GENERATION, run), _task("query.extract_citations", Queue.CITATIONS, run)]
    return _fan_in(run, drafts, _task("query.plan_checks", Queue.VERIFICATION, run))


def checking(run: Run, batches: Sequence[Sequence[str]]) -> Signature[Any]:
    checks = [*answer_checks(run), *statement_checks(run, batches)]
    return _fan_in(run, checks, _task("query.assess", Queue.VERIFICATION, run))


def answer_checks(run: Run) -> list[Signature[Any]]:
    """What is asked about the answer as a whole: alignment, coverage, answerability; in one message."""
    return [_task("query.check_answer", Queue.VERIFICATION, run)]


def statement_checks(run: Run, batches: Sequence[Sequence[str]]) -> list[Signature[Any]]:
    return [_task("query.check_statements", Queue.VERIFICATION, run, list(batch)) for batch in batches]


def early_check(run: Run, item: str) -> Signature[Any]:
    return _task("query.check_early", Queue.VERIFICATION, run, [item])


def assessing(run: Run) -> Signature[Any]:
    return _fan_in(run, [], _task("query.assess", Queue.VERIFICATION, run))


def searching(run: Run) -> Signature[Any]:
    return _fan_in(run, [], _task("query.search_evidence", Queue.RETRIEVAL, run))


def repairing(run: Run, batches: Sequence[Sequence[str]]) -> Signature[Any]:
    repairs = [_task("query.repair_statements", Queue.VERIFICATION, run, list(batch)) for batch in batches]
    return _fan_in(run, repairs, _in_order(run, "query.recheck_answerability", "query.conclude", "query.publish"))


def concluding(run: Run) -> Signature[Any]:
    return _fan_in(run, [], _in_order(run, "query.conclude", "query.publish"))


def going_on(run: Run, links: Sequence[Signature[Any]]) -> Signature[Any]:
    """What is left of a chain whose first links were done in place."""
    return chain(*links).on_error(_failing(run))


def _decision(run: Run, turn: int) -> Signature[Any]:
    return _task("query.decide_search", Queue.VERIFICATION, run, [str(turn)])


def _in_order(run: Run, *names: str) -> Signature[Any]:
    return chain(*(_task(name, Queue.VERIFICATION, run) for name in names))


def _fan_in(run: Run, header: list[Signature[Any]], body: Signature[Any]) -> Signature[Any]:
    if len(header) > 1:
        return chord(header, body.on_error(_failing(run)))
    return chain(*header, body).on_error(_failing(run))


def _failing(run: Run) -> Signature[Any]:
    return _task("query.fail", Queue.MAINTENANCE, run)


def _task(name: str, queue: Queue, run: Run, *args: object) -> Signature[Any]:
    return app.signature(name, args=(*run, *args), immutable=True, queue=queue.value, ignore_result=True)
