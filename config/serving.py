"""Settings of a running system: processes, recovery, admission, budgets, streams, standing verification, reports to
other systems, and observability (A9)."""

import os
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from config import Group, Networks


class PoolSettings(Group):
    """One group of worker processes and the queues it consumes."""

    queues: tuple[str, ...] = Field(description="Queues the processes consume")
    pool: Literal["loop", "threads", "prefork"] = Field(
        default="loop", description="`loop`: one event loop per process; `prefork`: child processes, for ingestion"
    )
    concurrency: int = Field(default=8, ge=1, description="Messages a process handles at a time")
    processes: int = Field(default=1, ge=1, description="Number of processes")


def default_pools() -> dict[str, PoolSettings]:
    # One process runs all steps of a question, which saves a message per step; machines with two cores get two.
    # Ingestion and webhooks have their own processes, so that neither a large document nor an unresponsive receiver
    # delays a question. If several processes read documents, one of them is kept for a tenant that has none in progress
    # (A7).
    return {
        "queries": PoolSettings(
            queues=("retrieval", "reranking", "citations", "generation", "verification", "graph", "maintenance"),
            concurrency=64,
            processes=min(2, os.cpu_count() or 1),
        ),
        "ingestion": PoolSettings(queues=("ingestion",), pool="prefork", concurrency=1),
        "webhooks": PoolSettings(queues=("webhooks",), concurrency=64),
    }


class RecoverySettings(Group):
    """The speed of detecting and restarting the work of a dead process; all times in seconds."""

    heartbeat_s: float = Field(default=2.0, gt=0, description="How often a process renews its leases")
    lease_s: float = Field(
        default=10.0, gt=0, description="After this long without a heartbeat, a process counts as dead"
    )
    check_s: float = Field(default=2.0, gt=0, description="How often the reconciler looks for stopped work")
    stalled_s: float = Field(
        default=60.0, gt=0, description="Restart a query in which no step has run or ended for this long"
    )
    max_launches: int = Field(
        default=30, ge=1, description="Restarts after which a query fails; its deadline usually comes first"
    )
    max_attempts: int = Field(default=3, ge=1, description="Worker deaths after which a step is parked")
    drain_s: float = Field(
        default=25.0, ge=0, description="How long steps may continue after SIGTERM before they are handed back"
    )


class AdmissionSettings(Group):
    """Work above the running limits waits in Postgres; work above the waiting limits is refused."""

    in_flight_per_process: int = Field(
        default=32, ge=2, description="Queries that run at a time, per process that verifies"
    )
    max_queued_per_tenant: int = Field(default=1_000, ge=1, description="Waiting questions of one tenant; more get 429")
    max_queued: int = Field(default=5_000, ge=1, description="Waiting questions of all tenants; more get 503")
    max_wait_s: float = Field(default=150.0, gt=0, description="A question that would wait longer gets 503")
    max_documents_queued: int = Field(
        default=20_000, ge=2, description="Waiting documents; one tenant may use half of it"
    )


class BudgetSettings(Group):
    """Time and cost budgets. The deadline counts from acceptance, for an item of a batch from its start. Docs: api.md,
    "Deadline and cost ceiling"."""

    deadline_s: float = Field(default=300.0, gt=0, le=86_400, description="Default deadline of a query")
    max_cost_usd: float | None = Field(default=None, gt=0, description="Default cost ceiling of a query; null: none")


class StandingSettings(Group):
    """Standing verification (N7). Without `reverify` no model is called: the cited passages are compared as text."""

    enabled: bool = Field(default=True, description="false: changes are recorded and processed once it is true again")
    reverify: bool = Field(default=False, description="Verify affected answers again; costs model calls")
    max_per_change: int = Field(
        default=100,
        ge=0,
        description="Answers verified again for one change; the others are judged by comparing text",
    )
    check_s: float = Field(default=5.0, gt=0, description="How often the program looks for changes")
    settle_s: float = Field(
        default=900.0, ge=0, description="Delay of a second look, for answers being written during the change"
    )


class AuditSettings(Group):
    keep_replies_s: float | None = Field(
        default=None,
        gt=0,
        description="Erase raw replies this long after the end of the query; hashes stay. null: never",
    )


class StreamSettings(Group):
    """Server-sent events. Drafts are text of a model before any check; they are kept for a while after the end."""

    heartbeat_s: float = Field(default=15.0, gt=0, description="Interval of the comments that keep a stream alive")
    stop_ungrounded_after: int = Field(
        default=0,
        ge=0,
        description="Stop writing after this many sentences if the sources support none of them; 0: never",
    )
    check_early: Literal["watched", "always", "never"] = Field(
        default="watched",
        description=(
            "Check sentences while the answer is being written (N1); `watched`: if someone watches the stream"
        ),
    )


class MetricsSettings(Group):
    """`GET /metrics`: without a key from this machine, else with a key of the scope admin, or as set here."""

    open: bool = Field(default=False, description="Serve `/metrics` to everyone who reaches the port")
    token: SecretStr | None = Field(default=None, description="Serve `/metrics` to clients that send this bearer token")
    report_s: float = Field(default=5.0, gt=0, description="How often processes store their counters")
    remember_s: float = Field(default=2.0, ge=0, description="How long one response is reused")


class TracingSettings(Group):
    """Spans over OTLP/HTTP; off without an endpoint. The standard OTEL_… variables apply."""

    endpoint: str = Field(
        default="", description="Base URL of an OTLP/HTTP collector; `OTEL_EXPORTER_OTLP_ENDPOINT` works as well"
    )
    evaluations: bool = Field(
        default=False,
        description="Send the scores of each answer as `gen_ai.evaluation.result` events (OTLP logs), in its trace",
    )


class LangfuseSettings(Group):
    """Scores of answers for Langfuse, on the trace whose `traceparent` came with the request; off without a `host`."""

    host: str = Field(default="", pattern=r"^$|^https?://[^\s?#]+$", description="Base URL of Langfuse; empty: off")
    public_key: str = Field(default="", description="Public key of its project")
    secret_key: SecretStr = Field(default=SecretStr(""), description="Secret key of its project")


class MailSettings(Group):
    """The server that sends e-mails to reviewers; off without a `host`."""

    host: str = Field(default="", description="Name of the SMTP server; empty: no e-mail is sent")
    port: int = Field(default=587, ge=1, le=65_535, description="Port of the server")
    security: Literal["starttls", "tls", "none"] = Field(default="starttls", description="Security of the connection")
    user: str = Field(default="", description="Name to log in with; empty: without a login")
    password: SecretStr = Field(default=SecretStr(""), description="Password to log in with")
    sender: str = Field(default="citewell@localhost", description="Address that e-mails come from")


class WorkerSettings(Group):
    """Settings shared by all worker processes."""

    events: bool = Field(
        default=False,
        description="Send task events from the start. Otherwise workers do so from `celery control enable_events` on, "
        "as Flower asks them",
    )


class WebhookSettings(Group):
    """Delivery to receivers (A6). `allowed_networks` may be private, use any port and do without TLS: for
    development.
    """

    allowed_networks: Networks = Field(
        default=(), description="Private networks that may be called, on any port and without TLS; for development"
    )
    allowed_ports: tuple[int, ...] = Field(default=(80, 443), description="Ports that may be called elsewhere")
    deadline_s: float = Field(
        default=15.0, gt=0, description="Limit of one attempt, from the DNS lookup to the last byte read"
    )
    # The example of Standard Webhooks: ten attempts in a little more than three days.
    schedule_s: tuple[Annotated[float, Field(ge=0)], ...] = Field(
        default=(0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400),
        min_length=1,
        description="Wait before each attempt",
    )
    in_flight: int = Field(default=2, ge=1, description="Concurrent deliveries to one receiver")
