"""All metric families, with their help, labels and buckets.

Labels have few values, all known to the program or its configuration: never an id, a name or a text.
"""

from dataclasses import dataclass

_FAST = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SLOW = (0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0)


@dataclass(frozen=True, slots=True)
class Family:
    """A counter, or with `buckets` (upper bounds, in seconds) a histogram.

    `always` are values of its only label that are exported as 0 before they were ever counted: the share of what never
    happened is 0, and queries need a series for it.
    """

    name: str
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    always: tuple[str, ...] = ()


HTTP_REQUESTS = Family(
    "citewell_http_requests", "HTTP requests by route template and status.", ("method", "route", "status")
)
HTTP_SECONDS = Family(
    "citewell_http_request_seconds", "Until the head of the response was sent, s.", ("method", "route"), _FAST
)

QUERIES_ENDED = Family("citewell_queries_ended", "Queries that reached their final status.", ("kind", "status"))
QUERY_SECONDS = Family(
    "citewell_query_seconds", "From acceptance to the end of queries that succeeded, s.", ("kind",), _SLOW
)
DOCUMENTS_ENDED = Family("citewell_documents_ended", "Ingestions that ended.", ("status",), always=("ready", "failed"))
DOCUMENT_SECONDS = Family("citewell_document_seconds", "One attempt to ingest a document, s.", (), _SLOW)

STEP_SECONDS = Family("citewell_step_seconds", "A step of one message at work, s.", ("step",), _FAST)
STEP_ITEMS = Family(
    "citewell_step_items",
    "Items of steps by how they ended: done, failed (a value stands in), put_off, superseded.",
    ("step", "outcome"),
)
STEPS_PARKED = Family("citewell_steps_parked", "Items that broke their worker too often and are not tried.", ("step",))
PERIODIC_FAILURES = Family(
    "citewell_periodic_failures", "Runs of what a process does again and again that failed.", ("thread",)
)
QUERIES_RELAUNCHED = Family("citewell_queries_relaunched", "Starts of queries that had stopped.")

MODEL_CALLS = Family(
    "citewell_model_calls",
    "Calls to models by result: ok, rate_limited (429), refused (other 4xx), unavailable, invalid.",
    ("model", "purpose", "result"),
)
MODEL_SECONDS = Family("citewell_model_call_seconds", "One call to a model, s.", ("model", "purpose"), _FAST)
MODEL_TOKENS = Family(
    "citewell_model_tokens",
    "Tokens as billed: prompt (cached ones included), cached, completion.",
    ("model", "purpose", "kind"),
)
MODEL_COST = Family("citewell_model_cost_usd", "What calls cost, US dollars.", ("model", "purpose"))
KEPT_REPLIES = Family("citewell_kept_replies", "Calls that an earlier reply answered.", ("model", "purpose"))
HEDGED_CALLS = Family("citewell_hedged_calls", "Second calls because the first was late.", ("model", "purpose"))
CIRCUIT_OPENED = Family("citewell_circuit_opened", "Times that a process left a failing model alone.", ("model",))
IMPOSSIBLE_USAGE = Family(
    "citewell_impossible_usage", "Replies whose server told tokens that cannot be, and were counted here.", ("model",)
)

SENTENCES = Family("citewell_sentences", "Sentences of published answers by their verdict (N4).", ("verdict",))
CITATION_CHECKS = Family(
    "citewell_citation_checks", "Citations of answers as they were written, by verdict (S5.4).", ("verdict",)
)
REPAIRS = Family(
    "citewell_repairs",
    "Repairs of answers: removed (citations); reattributed, rewritten, dropped (sentences) (N5).",
    ("kind",),
)
ANSWERS = Family("citewell_answers", 'Answers to questions: answered, or abstained ("I don\'t know").', ("result",))

JUDGED_ANSWERS = Family(
    "citewell_judged_answers",
    "Verified answers that state something; hallucinated or not (S2.7).",
    ("hallucinated",),
    always=("true", "false"),
)
CORRECTIONS = Family(
    "citewell_corrections",
    "Verified answers by corrective retrieval: none, improved, not_improved (S2.7).",
    ("result",),
    always=("none", "improved", "not_improved"),
)
CONFIDENCE_RATED = Family(
    "citewell_confidence_rated",
    "Answers that people rated, by whether the confidence agrees (S2.7).",
    ("agrees",),
    always=("true", "false"),
)
ANSWERABILITY = Family(
    "citewell_answerability_checks", "Answers by the answerability check's last verdict (S3.4).", ("verdict",)
)
QUESTIONS = Family(
    "citewell_question_verdicts",
    "Answers by whether they answer their question: yes, partly, no, and complete, open (V8).",
    ("relevant", "complete"),
)
RERANKED = Family("citewell_reranked_passages", "Passages that were retrieved and selected (S3.7).", ("stage",))
RERANK_SCORES = Family(
    "citewell_rerank_scores",
    "Sum of the mean scores of what was retrieved and of what was selected; their difference is the gain (S3.7).",
    ("stage",),
)
RERANKINGS = Family("citewell_rerankings", "Questions with readable rerank scores on both sides (S3.7).")
CLAIM_SENTENCES = Family(
    "citewell_claim_sentences",
    "Sentences that state something, by whether they cite (S3.7).",
    ("cited",),
    always=("true", "false"),
)

WEBHOOK_ATTEMPTS = Family("citewell_webhook_attempts", "Attempts to deliver, by what came of them.", ("outcome",))
WEBHOOK_SECONDS = Family("citewell_webhook_attempt_seconds", "One attempt to deliver, s.", (), _FAST)

SSE_WATCHERS, WAITING_REQUESTS = "citewell_sse_watchers", "citewell_waiting_requests"
OPEN_CIRCUITS, ALONE = "citewell_open_circuits", "citewell_limiter_alone_processes"
GAUGES: dict[str, tuple[str, tuple[str, ...]]] = {
    SSE_WATCHERS: ("Streams of server-sent events that are open.", ()),
    WAITING_REQUESTS: ("Requests that wait for the end of their query.", ()),
    OPEN_CIRCUITS: ("Processes that leave a failing model alone.", ("model",)),
    ALONE: ("Processes that use a share of the limits by themselves, because Redis is away.", ()),
}
"""Gauges of each process, with help and labels; a scrape exports the sum."""

FAMILIES: dict[str, Family] = {family.name: family for family in list(globals().values()) if isinstance(family, Family)}
"""Every family by its name."""
