"""Settings of metrics, traces and task events (A9)."""

from pydantic import Field, SecretStr

from config.group import Group


class MetricsSettings(Group):
    """`GET /metrics`: without a key from this machine, else with a key of the scope admin, or as set here."""

    open: bool = Field(default=False, description="served to everybody who reaches the API's port")
    token: SecretStr | None = Field(default=None, description="served to whoever sends it as a bearer token")
    report_s: float = Field(default=5.0, gt=0, description="how often a process writes down what it counted")
    remember_s: float = Field(default=2.0, ge=0, description="how long one answer serves all who ask")


class TracingSettings(Group):
    """Spans over OTLP/HTTP; off without an endpoint. The standard OTEL_… variables apply."""

    endpoint: str = Field(
        default="", description="base URL of a collector; OTEL_EXPORTER_OTLP_ENDPOINT does the same without it"
    )


class WorkerSettings(Group):
    """Settings shared by all worker processes."""

    events: bool = Field(
        default=False, description="task events, heartbeats and remote control over the broker: for Flower"
    )
