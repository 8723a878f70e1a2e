"""A stack with full observability: spans, metrics, logs at DEBUG."""

import os
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import create_engine, text

from tests.e2e.stack import Stack, running_stack
from tests.simulators.collector import Collector, Seen
from tests.simulators.groq.server import KEY, GroqSimulator
from tests.simulators.sink import Sink
from tests.waiting import until

Row = dict[str, Any]


class Observed:
    """The stack, its provider, and what they report."""

    def __init__(self, stack: Stack, provider: GroqSimulator, collector: Collector, langfuse: Sink) -> None:
        self.stack, self.provider, self.collector, self.langfuse = stack, provider, collector, langfuse
        self._engine = create_engine(stack.supervisor.database_url, isolation_level="AUTOCOMMIT")

    def rows(self, statement: str, **values: Any) -> list[Row]:
        """Rows of the database, over all tenants."""
        with self._engine.connect() as connection:
            connection.execute(text("SET citewell.system = 'on'"))
            return [dict(row) for row in connection.execute(text(statement), values).mappings()]

    def steps(self, query_id: str) -> set[tuple[int, str, str]]:
        """(round, step, item) of every outcome."""
        found = self.rows("SELECT round, step, item FROM step_outcomes WHERE query_id = CAST(:q AS uuid)", q=query_id)
        return {(row["round"], row["step"], row["item"]) for row in found}

    def calls(self, query_id: str) -> list[Row]:
        """The ledger of a query."""
        return self.rows("SELECT * FROM model_calls WHERE query_id = CAST(:q AS uuid)", q=query_id)

    def until_traced(self, query_id: str, trace_id: str) -> list[Seen]:
        """Wait until every step has its span; return the spans of the trace."""
        until(lambda: self.steps(query_id) <= steps_of(self.collector.spans(trace_id)), seconds=60)
        until(lambda: len(calls_of(self.collector.spans(trace_id))) >= len(self.calls(query_id)), seconds=60)
        return self.collector.spans(trace_id)

    def scrape(self, **labels: str) -> str:
        """The text of /metrics."""
        return self.stack.http.get("/metrics", params=labels).raise_for_status().text

    def value(self, name: str, **labels: str) -> float:
        """The sum of a metric's samples with these labels."""
        return sum(
            sample.value
            for family in text_string_to_metric_families(self.scrape())
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )

    def logs(self) -> Iterator[tuple[Path, str]]:
        """The output of all processes."""
        folder = Path(os.environ["CITEWELL_HOME"]) / "logs"
        for path in sorted(folder.rglob("*.log*")):
            yield path, path.read_text(errors="replace")

    def close(self) -> None:
        self._engine.dispose()


def steps_of(spans: list[Seen]) -> set[tuple[int, str, str]]:
    """(round, step, item) in spans."""
    return {
        (int(str(span.attributes["citewell.round"])), str(span.attributes["citewell.step"]), item)
        for span in spans
        if span.name.startswith("step ")
        for item in list_of(span.attributes["citewell.items"])
    }


def calls_of(spans: list[Seen]) -> list[Seen]:
    return [span for span in spans if re.match(r"chat ", span.name)]


def list_of(value: object) -> list[str]:
    assert isinstance(value, list)
    return [str(each) for each in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


@contextmanager
def observed_stack(**environment: str) -> Generator[Observed]:
    with GroqSimulator() as provider, Collector() as collector, Sink() as langfuse:
        own = {
            "GROQ_API_KEY": KEY,
            "GROQ_BASE_URL": provider.base_url,
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.origin,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
            "OTEL_BLRP_SCHEDULE_DELAY": "100",
            "CITEWELL_TRACING__EVALUATIONS": "true",
            "CITEWELL_LANGFUSE__HOST": langfuse.url,
            "CITEWELL_LANGFUSE__PUBLIC_KEY": "pk-lf-1",
            "CITEWELL_LANGFUSE__SECRET_KEY": "sk-lf-2",
            "CITEWELL_LOG_LEVEL": "DEBUG",
            "CITEWELL_LOG_FORMAT": "json",
            "CITEWELL_METRICS__REPORT_S": "0.2",
            "CITEWELL_METRICS__REMEMBER_S": "0",
            "CITEWELL_GRAPH__EXTRACTOR": "local",
            "CITEWELL_WEBHOOKS__ALLOWED_NETWORKS": '["127.0.0.0/8"]',
            "CITEWELL_WEBHOOKS__SCHEDULE_S": "[0, 0.2]",
            # A call that hangs is there to be interrupted: it must not end by itself before.
            "CITEWELL_MODELS__CALL_TIMEOUT_S": "40",
            "CITEWELL_MODELS__DEADLINE_S": "60",
            "CITEWELL_RECOVERY__LEASE_S": "4",
            "CITEWELL_RECOVERY__HEARTBEAT_S": "1",
            "CITEWELL_RECOVERY__CHECK_S": "0.5",
        }
        with running_stack(**{**own, **environment}) as stack:
            observed = Observed(stack, provider, collector, langfuse)
            yield observed
            observed.close()
