"""Settings of the HTTP server: how long a request may take to arrive (A8)."""

from pydantic import Field

from config.group import Group


class ServingSettings(Group):
    """A request that does not arrive in time is answered with 408, and its connection is closed.

    The server must keep idle connections open longer than clients and proxies do: if it closes first, a request can
    meet the closing connection and be lost without an answer.
    """

    head_s: float = Field(default=10.0, gt=0, description="Time for the head of a request to arrive")
    body_s: float = Field(default=10.0, gt=0, description="Interval over which the speed of a body is measured")
    body_bytes_per_s: int = Field(default=1_000, ge=1, description="Minimum speed of a body")
    idle_s: int = Field(default=75, ge=1, description="How long a connection stays open between requests")
