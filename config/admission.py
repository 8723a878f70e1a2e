"""Admission settings: how many queries run at a time and how many may wait (A7)."""

from pydantic import Field

from config.group import Group


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
