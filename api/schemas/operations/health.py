"""Health on the wire."""

from typing import Literal

from pydantic import BaseModel, Field

from api.schemas.problem import Problem


class Health(BaseModel):
    """The process is alive."""

    status: Literal["ok"] = "ok"
    version: str
    provider: str = Field(description="Who answers and judges here; `offline`: no language model is configured.")


class Checks(BaseModel):
    """The dependencies of Citewell. Without the broker questions are still accepted; they start when it is back."""

    postgres: Literal["ok", "unreachable"]
    schema_: Literal["current", "newer", "outdated", "unknown"] = Field(alias="schema")
    role: Literal["ordinary", "unrestricted", "unknown"] = Field(
        description="Of the database; one that is above row-level security is refused."
    )
    broker: Literal["ok", "unreachable"]


class Ready(BaseModel):
    """Requests are served."""

    status: Literal["ready"] = "ready"
    keys: Literal["required", "off (loopback only)"] = Field(description="Whether requests need an API key.")
    checks: Checks


class NotReadyProblem(Problem):
    """Requests cannot be served yet."""

    checks: Checks
