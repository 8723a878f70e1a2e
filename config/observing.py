"""Settings of metrics, traces and task events (A9)."""

from pydantic import Field, SecretStr

from config.group import Group


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


class WorkerSettings(Group):
    """Settings shared by all worker processes."""

    events: bool = Field(
        default=False,
        description="Task events, heartbeats and remote control through the broker, as Flower needs them",
    )
