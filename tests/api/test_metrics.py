"""The metrics for Prometheus, who may read them, and that the dashboard and the alerts use no others (A9)."""

import json
import re
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import promql_parser
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from api.routes.operations import _reader  # pyright: ignore[reportPrivateUsage]
from clients.limiter.usage import Use
from clients.telemetry.meter import CIRCUIT_OPENED, FAMILIES, MODEL_SECONDS, Meter
from config.settings import settings
from db.session import transaction
from domain.keys import Scope
from services.operations.exposition import exposition
from services.operations.metrics import MetricsSnapshot
from tests.api.problems import assert_problem
from tests.api.test_health import use
from tests.factories import make_query
from tests.keys import bearer, make_key

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PROMTOOL = shutil.which("promtool")
ALERTS = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())["groups"][0]["rules"]
DASHBOARD = json.loads((DEPLOY / "grafana" / "citewell.json").read_text())


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, database: str) -> Iterator[None]:
    """Clears what earlier tests left in memory."""
    assert database
    monkeypatch.setenv("CITEWELL_METRICS__REMEMBER_S", "0")
    settings.cache_clear()
    _reader.cache_clear()
    yield
    _reader.cache_clear()


def samples(http: httpx.Client, **headers: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    text = http.get("/metrics", headers=headers).raise_for_status().text
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def names(text: str) -> set[str]:
    """Every name that a query may use, including metrics without counts."""
    found: set[str] = set()
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE):
        found |= {f"{name}_bucket", f"{name}_sum", f"{name}_count"} if kind == "histogram" else {name}
    return found


def test_what_waits_and_what_was_asked_is_told(http: httpx.Client) -> None:  # A9
    with transaction() as session:
        make_query(session)
    before = samples(http)
    assert before["citewell_queries", (("status", "queued"),)] == 1
    assert before["citewell_query_oldest_seconds", (("status", "queued"),)] >= 0
    assert before["citewell_workers", (("queue", "verification"),)] == 0
    assert before["citewell_up", (("store", "postgres"),)] == before["citewell_up", (("store", "redis"),)] == 1
    for path in (f"/v1/queries/{uuid.uuid4()}", f"/v1/queries/{uuid.uuid4()}", "/our-revenue-fell"):
        assert http.get(path).status_code == 404
    after = samples(http)

    def more(route: str) -> float:
        key = "citewell_http_requests_total", (("method", "GET"), ("route", route), ("status", "404"))
        return after[key] - before.get(key, 0)

    assert more("/v1/queries/{query_id}") == 2
    assert more("(none)") == 1
    assert "our-revenue" not in str(after)
    http.request("REVENUE", "/healthz")
    assert "REVENUE" not in str(samples(http))


def test_a_histogram_is_cumulative_and_ends_with_all(http: httpx.Client) -> None:
    http.get("/healthz")
    found = samples(http)
    buckets = [
        value
        for (name, labels), value in found.items()
        if name == "citewell_http_request_seconds_bucket" and {("method", "GET"), ("route", "/healthz")} <= {*labels}
    ]
    assert buckets == sorted(buckets)
    total = found["citewell_http_request_seconds_count", (("method", "GET"), ("route", "/healthz"))]
    assert buckets[-1] == total >= 1


def test_who_may_scrape(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:  # A8
    assert http.get("/metrics").headers["content-type"].startswith("text/plain; version=")
    monkeypatch.setenv("CITEWELL_API_HOST", "0.0.0.0")  # noqa: S104 - told, not bound
    settings.cache_clear()
    assert_problem(http.get("/metrics"), 401, "key_required")
    assert_problem(http.get("/metrics", headers=bearer(make_key(Scope.READ))), 403, "scope_missing")
    assert http.get("/metrics", headers=bearer(make_key(Scope.ADMIN))).status_code == 200
    # A single tenant must not see what all tenants did together.
    assert_problem(http.get("/metrics", headers=bearer(make_key(Scope.ADMIN, tenant="other"))), 403, "scope_missing")
    monkeypatch.setenv("CITEWELL_METRICS__TOKEN", "a long token")
    settings.cache_clear()
    assert http.get("/metrics", headers=bearer("a long token")).status_code == 200
    assert_problem(http.get("/metrics", headers=bearer("another")), 401, "key_invalid")
    assert_problem(http.get("/v1/queries", headers=bearer("a long token")), 401, "key_invalid")
    monkeypatch.setenv("CITEWELL_METRICS__OPEN", "true")
    settings.cache_clear()
    assert http.get("/metrics").status_code == 200
    assert_problem(http.get("/v1/queries"), 401, "key_required")


@pytest.mark.parametrize("known", [True, False])
def test_while_postgres_is_away_it_answers_and_nothing_falls(
    http: httpx.Client, database: str, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:  # A9
    http.get("/healthz")
    key = "citewell_http_requests_total", (("method", "GET"), ("route", "/healthz"), ("status", "200"))
    before = samples(http)[key] if known else 0
    http.get("/healthz")
    with monkeypatch.context() as away:
        use(away, "CITEWELL_DATABASE_URL", "postgresql+psycopg://citewell@127.0.0.1:1/citewell")
        found = samples(http)
    use(monkeypatch, "CITEWELL_DATABASE_URL", database)
    assert found["citewell_up", (("store", "postgres"),)] == 0
    assert found["citewell_up", (("store", "redis"),)] == 1
    assert ("citewell_queries", (("status", "queued"),)) not in found
    # Without the total, what one process knows would look like a fall.
    assert found.get(key, 0) == (before + 1 if known else 0)
    assert samples(http)[key] >= before + 1


def test_without_redis_its_queues_are_not_told(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:  # A9
    use(monkeypatch, "CITEWELL_REDIS_URL", "redis://127.0.0.1:1/0")
    found = samples(http)
    assert found["citewell_up", (("store", "redis"),)] == 0
    assert not [name for name, _ in found if name == "citewell_queue_messages"]


def asked() -> Iterator[tuple[str, str]]:
    for rule in ALERTS:
        yield rule["alert"], rule["expr"]
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"].replace("$__rate_interval", "5m")


def selectors(expression: str) -> set[str]:
    found: set[str] = set()

    def visit(node: Any) -> bool:
        if isinstance(node, promql_parser.VectorSelector):
            found.add(str(node.name))
        return True

    promql_parser.walk(promql_parser.parse(expression), visit)
    return found


def test_the_dashboard_and_the_alerts_ask_for_what_there_is(http: httpx.Client) -> None:  # A9
    known = names(http.get("/metrics").text)
    used: set[str] = set()
    for title, expression in asked():
        wanted = selectors(expression)
        assert wanted, title
        # Prometheus' own, about the scrape.
        assert wanted - {"up"} <= known, title
        used |= wanted
    # Every counted metric is shown: this fails for one without a panel.
    bases = {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in used}
    assert {name for name in FAMILIES if name not in bases} == set()


def test_what_never_went_well_is_no_gap_for_an_alert() -> None:  # A9, S2.7
    """A share that is too low when it is 0: the series of its numerator exists before anything was counted."""
    told = text_string_to_metric_families(exposition(MetricsSnapshot({}, {}, [], {}, [], frozenset()), "1").decode())
    series = {(each.name, *pair) for family in told for each in family.samples for pair in each.labels.items()}
    too_low = [rule["expr"] for rule in ALERTS if re.search(r" < [0-9.]+$", rule["expr"].strip())]
    parts = [part for expr in too_low for part in re.findall(r'(citewell_\w+)\{(\w+)="(\w+)"\}', expr)]
    assert len(parts) == len(too_low) == 2
    assert set(parts) <= series


def test_every_alert_names_a_part_of_the_operations_page() -> None:  # A9
    headings = re.findall(r"^## (.+)$", (ROOT / "docs" / "operations.md").read_text(), re.MULTILINE)
    anchors = {f"docs/operations.md#{heading.lower().replace(' ', '-')}" for heading in headings}
    for rule in ALERTS:
        assert rule["annotations"]["runbook"] in anchors, rule["alert"]
        assert rule["annotations"]["summary"]
        assert rule["labels"]["severity"] in {"page", "ticket"}


def test_the_documentation_lists_every_metric(http: httpx.Client) -> None:
    page = (ROOT / "docs" / "internals" / "metrics.md").read_text()
    told = re.findall(r"^# TYPE (\S+) \S+$", http.get("/metrics").text, re.MULTILINE)
    assert [name for name in told if f"`{name.removesuffix('_total')}`" not in page] == []


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")
def test_promtool_finds_nothing_wrong(http: httpx.Client) -> None:  # A9
    text = http.get("/metrics").text
    for command, given in (
        (["check", "metrics"], text),
        (["check", "rules", str(DEPLOY / "prometheus" / "alerts.yml")], None),
        (["check", "config", str(DEPLOY / "prometheus" / "prometheus.yml")], None),
    ):
        done = subprocess.run([str(PROMTOOL), *command], input=given, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), command


def test_a_label_that_utf_8_cannot_have_does_not_break_the_scrape() -> None:  # A9
    """Servers name their models: half a surrogate pair made every scrape answer with 500."""
    meter, name = Meter(), "gpt \ud83d \x00"
    meter.count(CIRCUIT_OPENED, name)
    meter.observe(MODEL_SECONDS, 1.0, name, "rerank_chunk")
    counts = {family: dict(series) for family, series in meter.counts().items()}
    # As a program stores it that does not clean it.
    counts[CIRCUIT_OPENED.name][json.dumps([name])] = {"": 1.0}
    used = Use(name, {"tpm": 0.5}, {"tpm": 10.0}, waiting=0, in_flight=0, refusing=False)
    told = exposition(MetricsSnapshot(counts, {}, [], {}, [used], frozenset()), "1").decode()
    assert 'citewell_circuit_opened_total{model="gpt ? "}' in told
    json.dumps(counts[MODEL_SECONDS.name]).encode()
