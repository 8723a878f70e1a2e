"""Health checks as JSON."""

from typing import Literal

from pydantic import BaseModel, Field

from api.schemas.problem import Problem


class Health(BaseModel):
    """The process is alive."""

    status: Literal["ok"] = "ok"
    version: str
    provider: str = Field(
        description="The provider whose models answer and judge; `offline`: no language model is configured."
    )


class Checks(BaseModel):
    """The dependencies of Citewell. Questions are accepted even without the broker; they start when it is back."""

    postgres: Literal["ok", "unreachable"]
    schema_: Literal["current", "newer", "outdated", "unknown"] = Field(alias="schema")
    role: Literal["ordinary", "unrestricted", "unknown"] = Field(
        description="The role of the database connection; `unrestricted`, a role above row-level security, is refused."
    )
    broker: Literal["ok", "unreachable"]


class Ready(BaseModel):
    """The server takes requests."""

    status: Literal["ready"] = "ready"
    keys: Literal["required", "off (loopback only)"] = Field(description="Whether requests need an API key.")
    checks: Checks


class NotReadyProblem(Problem):
    """The server cannot take requests yet."""

    checks: Checks
