"""The observability of a running stack: a trace per question, metrics that agree with the database, no secrets."""

import json
import os
import signal
import time
import uuid
from collections import Counter
from collections.abc import Generator
from typing import Literal
from urllib.parse import urlsplit

import pytest
from pydantic import BaseModel, ConfigDict

from config.settings import Settings
from tests.e2e.observed import Observed, calls_of, list_of, steps_of
from tests.simulators.collector import Seen
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import KEY
from tests.simulators.sink import Answer, Sink
from tests.waiting import until

pytestmark = pytest.mark.slow

POLICY = (
    "Refund policy. All returns must be made within 30 days of the purchase date. A receipt is required for every "
    "return. Refunds are paid to the original payment method within 10 business days."
)
QUESTION = "Within how many days must returns be made?"
CALLER = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture(scope="module")
def sink() -> Generator[Sink]:
    with Sink() as running:
        yield running


@pytest.fixture(scope="module")
def workspace(observed: Observed) -> str:
    observed.stack.add_text("policy.md", POLICY, workspace="policies")
    return "policies"


@pytest.fixture(autouse=True)
def calm(observed: Observed) -> Generator[None]:
    yield
    observed.provider.reset()


def ask(observed: Observed, trace: str, workspace: str, **body: object) -> str:
    headers = {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}
    asked = {"question": QUESTION, "workspace": workspace, **body}
    return observed.stack.http.post("/v1/queries", json=asked, headers=headers).raise_for_status().json()["id"]


def ancestors(span: Seen, by_id: dict[str, Seen]) -> list[str]:
    found: list[str] = []
    while span.parent in by_id:
        span = by_id[span.parent]
        found.append(span.name)
    return found


def test_the_metrics_agree_with_the_books(observed: Observed, workspace: str) -> None:  # A9, S2.7, S3.7
    sums = """
        SELECT count(*) FILTER (WHERE NOT kept) AS calls, coalesce(sum(prompt_tokens), 0) AS prompt,
               coalesce(sum(completion_tokens), 0) AS completion, coalesce(sum(cost_usd), 0)::float AS usd
        FROM model_calls
    """

    def books() -> tuple[float, ...]:
        (row,) = observed.rows(sums)
        (steps,) = observed.rows("SELECT count(*) AS n FROM step_outcomes WHERE value IS NOT NULL")
        return (*(float(row[name]) for name in ("calls", "prompt", "completion", "usd")), float(steps["n"]))

    def metrics() -> tuple[float, ...]:
        return (
            observed.value("citewell_model_calls_total"),
            observed.value("citewell_model_tokens_total", kind="prompt"),
            observed.value("citewell_model_tokens_total", kind="completion"),
            observed.value("citewell_model_cost_usd_total"),
            observed.value("citewell_step_items_total", outcome="done")
            + observed.value("citewell_step_items_total", outcome="failed"),
        )

    def is_settled() -> bool:
        """No query runs, no call is open, and the counts stand still: calls of a process that another test killed are
        booked later, and no metric has them."""
        (open_rows,) = observed.rows(
            "SELECT (SELECT count(*) FROM begun_calls)"
            " + (SELECT count(*) FROM queries WHERE finished_at IS NULL) AS count"
        )
        first = metrics(), books()
        time.sleep(2)  # ten times as long as counts may wait to be reported
        return open_rows["count"] == 0 and first == (metrics(), books())

    until(is_settled, seconds=90)
    before = books(), metrics()
    for _ in range(2):
        observed.stack.ask(QUESTION, workspace=workspace)

    def spent() -> list[float]:
        return [after - then for after, then in zip(books(), before[0], strict=True)]

    def counted() -> list[float]:
        return [after - then for after, then in zip(metrics(), before[1], strict=True)]

    until(lambda: counted() == pytest.approx(spent()), seconds=60)
    assert spent()[0] > 10
    until(lambda: observed.value("citewell_model_call_seconds_count") >= spent()[0], seconds=60)
    until(lambda: observed.value("citewell_queries_ended_total", kind="answer", status="succeeded") >= 2, seconds=60)
    until(lambda: observed.value("citewell_query_seconds_count") >= 2, seconds=60)
    processes = Settings().pools["queries"].processes
    until(lambda: observed.value("citewell_workers", queue="verification") == processes, seconds=60)
    assert observed.value("citewell_up", store="postgres") == observed.value("citewell_up", store="redis") == 1
    assert observed.value("citewell_http_requests_total", route="/v1/queries", method="POST", status="202") >= 2
    assert 0 <= observed.value("citewell_limiter_used_ratio", limit="tpm", model="openai/gpt-oss-20b") < 1


def test_one_trace_holds_the_request_every_step_and_every_model_call(
    observed: Observed, workspace: str, sink: Sink
) -> None:  # A9
    query_id = ask(observed, CALLER, workspace, callback_url=sink.url + "/traced")
    observed.stack.wait(query_id)
    spans = observed.until_traced(query_id, CALLER)
    until(lambda: any(span.name == "webhook" for span in observed.collector.spans(CALLER)), seconds=60)
    spans = observed.collector.spans(CALLER)
    by_id = {span.span_id: span for span in spans}
    (request,) = (span for span in spans if span.name == "POST /v1/queries")
    assert request.parent == "b7ad6b7169203331"
    assert request.attributes["http.response.status_code"] == 202
    assert all(ancestors(span, by_id)[-1:] == [request.name] for span in spans if span is not request)

    steps = [span for span in spans if span.name.startswith("step ")]
    assert steps_of(spans) == observed.steps(query_id)
    assert {span.process for span in steps} == {"worker"}
    assert all(span.attributes["citewell.query_id"] == query_id for span in steps)
    assert all(
        span.attributes["citewell.item_count"] == len(list_of(span.attributes["citewell.items"])) for span in steps
    )
    assert all(request.start_ns < span.start_ns <= span.end_ns for span in steps)

    calls, rows = calls_of(spans), observed.calls(query_id)
    assert Counter(told(span) for span in calls) == Counter(
        (row["prompt"], row["item"], row["model"], row["prompt_tokens"], row["completion_tokens"], row["kept"])
        for row in rows
    )
    for span in calls:
        assert ancestors(span, by_id)[0].startswith("step ")
        step = by_id[span.parent]
        assert step.start_ns - 1e7 <= span.start_ns
        assert span.end_ns <= step.end_ns + 1e7


def is_revived(observed: Observed, before: int) -> bool:
    observed.stack.supervisor.revive(at_once=True)
    return not {None, before} & set(observed.stack.supervisor.pids.values())


def worker_of(observed: Observed, query_id: str) -> int:
    """The process that runs the query."""
    (row,) = observed.rows(f"SELECT worker FROM step_outcomes WHERE query_id = '{query_id}' AND value IS NULL LIMIT 1")
    return int(row["worker"].split(":")[-2])


def told(span: Seen) -> tuple[object, ...]:
    names = (
        "citewell.purpose",
        "citewell.item",
        "gen_ai.response.model",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "citewell.kept",
    )
    return tuple(span.attributes[name] for name in names)


class CreateScoreRequest(BaseModel):
    """The body of `POST /api/public/scores` as Langfuse documents it: unknown fields and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    traceId: str  # noqa: N815, as Langfuse writes it
    name: str
    value: float | str
    dataType: Literal["NUMERIC", "CATEGORICAL", "BOOLEAN"]  # noqa: N815
    comment: str | None = None


def test_scores_go_to_opentelemetry_and_langfuse_on_the_trace_of_the_client(  # issue 44
    observed: Observed, workspace: str
) -> None:
    trace = uuid.uuid4().hex
    query = observed.stack.wait(ask(observed, trace, workspace))
    until(lambda: len(observed.collector.events(trace)) == 3)
    events = observed.collector.events(trace)
    assert {event.name for event in events} == {"gen_ai.evaluation.result"}
    told = {str(event.attributes["gen_ai.evaluation.name"]): event.attributes for event in events}
    word, confidence = query["signal"]["word"], query["verification"]["confidence"]
    assert told["citewell.signal"]["gen_ai.evaluation.score.label"] == word
    assert told["citewell.confidence"]["gen_ai.evaluation.score.value"] == confidence
    assert told["citewell.accuracy"]["gen_ai.evaluation.score.value"] == query["verification"]["accuracy_rate"]
    assert {str(attributes["gen_ai.response.id"]) for attributes in told.values()} == {query["id"]}
    spans = {span.span_id: span.name for span in observed.collector.spans(trace)}
    assert {spans[event.span_id] for event in events} == {"POST /v1/queries"}

    def scores() -> list[CreateScoreRequest]:
        received = observed.langfuse.received("/api/public/scores")
        assert {sent.headers["authorization"] for sent in received} <= {"Basic cGstbGYtMTpzay1sZi0y"}
        read = [CreateScoreRequest.model_validate_json(sent.body) for sent in received]
        return [score for score in read if score.traceId == trace]

    until(lambda: len(scores()) == 3)
    assert {(score.name, score.value, score.dataType) for score in scores()} == {
        ("citewell.signal", word, "CATEGORICAL"),
        ("citewell.confidence", confidence, "NUMERIC"),
        ("citewell.accuracy", query["verification"]["accuracy_rate"], "NUMERIC"),
    }


def test_a_query_that_lost_its_worker_goes_on_in_the_same_trace(observed: Observed, workspace: str) -> None:  # A5, A9
    trace = "1" * 32
    observed.provider.fail(Fault(kind=FaultKind.HANG, match="\ngenerate_answer\n", times=1))
    query_id = ask(observed, trace, workspace)
    until(lambda: any(entry.fault for entry in observed.provider.ledger.of("generate_answer")), seconds=60)
    # The work before its death must have been sent: everything up to the draft.
    until(lambda: "select" in {step for _, step, _ in steps_of(observed.collector.spans(trace))}, seconds=60)
    worker = worker_of(observed, query_id)
    os.kill(worker, signal.SIGKILL)
    until(lambda: is_revived(observed, worker), seconds=60)
    observed.stack.wait(query_id)
    # The spans of calls that the killed process made died with it; the books have these calls.
    asked = {row["prompt"] for row in observed.calls(query_id)}
    until(
        lambda: (
            asked == {str(span.attributes["citewell.purpose"]) for span in calls_of(observed.collector.spans(trace))}
        )
    )
    until(lambda: observed.steps(query_id) <= steps_of(observed.collector.spans(trace)))
    spans = observed.collector.spans(trace)
    launches = {str(span.attributes["citewell.launch"]) for span in spans if span.name.startswith("step ")}
    # If the worker takes long to come back, it is launched a third time.
    assert launches > {"1"}


def test_a_document_has_a_trace_from_its_upload_to_its_last_passage(observed: Observed) -> None:  # A9
    trace = "2" * 32
    headers = {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}
    body = {"filename": "traced.md", "text": POLICY, "workspace": "traced"}
    made = observed.stack.http.post("/v1/documents", json=body, headers=headers).raise_for_status().json()
    observed.stack.until_ready(made["id"])
    wanted = {"POST /v1/documents", "ingest", "read", "embed and store"}
    until(lambda: wanted <= {span.name for span in observed.collector.spans(trace)}, seconds=60)
    spans = {span.name: span for span in observed.collector.spans(trace)}
    assert spans["ingest"].parent == spans["POST /v1/documents"].span_id
    assert spans["read"].parent == spans["embed and store"].parent == spans["ingest"].span_id
    assert spans["ingest"].attributes["citewell.document_id"] == made["id"]


def test_nothing_that_is_told_holds_a_secret_or_a_text(observed: Observed, sink: Sink) -> None:  # A8
    http = observed.stack.http
    document, question, given, broken = "quokkalantern", "wombatcompass", "narwhaltrumpet", "ocelotmirror"
    supervisor = observed.stack.supervisor
    hook = http.post("/v1/webhooks", json={"url": sink.answer("/bad", Answer(500)), "events": ["query.*"]}).json()
    key = http.post("/v1/keys", json={"name": "canary", "scopes": ["read"]}).raise_for_status().json()["key"]
    assert http.get("/v1/queries", headers={"Authorization": f"Bearer {key}"}).status_code == 200
    passwords = [str(urlsplit(url).password) for url in (supervisor.database_url, supervisor.redis_url)]
    canaries = [KEY, key, hook["secret"].removeprefix("whsec_"), *passwords, document, question, given, broken]

    text = (
        f"The {document} must be returned within 30 days of the purchase date. A receipt of the {document} is needed."
    )
    observed.stack.add_text("canary.md", text, workspace="canaries")
    asked = f"Within how many days must the {document} be returned, {question}?"
    good = observed.stack.ask(asked, workspace="canaries")
    assert document in good["answer"]

    echoed = f"Invalid prompt: {text} {asked} {KEY}"
    for kind in (FaultKind.ECHO, FaultKind.ECHO_500):
        observed.provider.fail(Fault(kind=kind, quote=echoed, times=None))
        observed.stack.ask(asked + f" ({kind})", workspace="canaries", deadline_s=10)
        observed.provider.reset()
    body = {"answer": f"The {given} costs 5 euros [1].", "sources": [{"text": f"The {given} costs 7 euros."}]}
    made = http.post("/v1/verifications", json=body).raise_for_status().json()
    http.get(f"/v1/verifications/{made['id']}", params={"wait": 30})
    bad = observed.stack.send_file(f"{broken}.pdf", f"%PDF-1.7 {broken}".encode(), workspace="canaries")
    assert observed.stack.until_ended(bad)["status"] == "failed"
    refused = http.post("/v1/documents", files={"file": ("x.exe", broken.encode())}, data={"workspace": "canaries"})
    assert refused.status_code >= 400 or observed.stack.until_ended(refused.json()["id"])["status"] == "failed"
    assert http.post("/v1/queries", json={"question": broken, "mode": broken}).status_code == 422
    until(lambda: len(sink.received("/bad")) >= 2, seconds=60)
    until(lambda: any(span.name == "webhook" and span.failed for span in observed.collector.spans()), seconds=60)

    lines = 0
    for path, printed in observed.logs():
        if path.name.startswith(("postgres", "valkey")):
            continue
        lines += printed.count("\n")
        assert [each for each in canaries if each in printed] == [], path
    assert lines > 50
    metrics, spans = observed.scrape(), b"".join(observed.collector.raw)
    assert [each for each in canaries if each in metrics or each.encode() in spans] == []


def test_a_step_writes_lines_that_say_of_which_query_they_are(observed: Observed, workspace: str) -> None:  # A9
    trace = "3" * 32
    observed.provider.fail(Fault(kind=FaultKind.SERVER_ERROR, match="\ncheck_statement\n", times=None))
    query_id = ask(observed, trace, workspace)
    observed.stack.wait(query_id)

    def about() -> list[dict[str, object]]:
        # Without the text after the last newline: the rest of that line is still to be written.
        whole = [line for _, printed in observed.logs() for line in printed.splitlines(keepends=True)]
        lines = [line for line in whole if trace in line and line.endswith("\n")]
        return [json.loads(line) for line in lines]

    # The request's own line, and those of its steps; what is printed comes to the file by way of a pipe.
    until(lambda: {line["request_id"] for line in about() if line["event"] == "request"} != set(), seconds=60)
    until(lambda: any(line.get("item") for line in about()), seconds=60)
    steps = [line for line in about() if line["process"] == "worker"]
    assert steps
    assert {line["query_id"] for line in steps} == {query_id}
    assert all({"step", "round", "launch"} <= line.keys() for line in steps)
    assert any(line.get("item") for line in steps)
