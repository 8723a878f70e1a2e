"""Checks whether everything that a request needs is available."""

from dataclasses import dataclass
from typing import Literal

from clients.broker import broker_answers
from config.settings import Settings
from db.migrate import above_row_security, schema_state
from db.session import reserved_connection, system_transaction
from domain.errors.service import DatabaseUnavailable


@dataclass(frozen=True, slots=True)
class Readiness:
    """The result of the checks; `advice` says what to do when Citewell is not ready. Readiness does not require the
    broker."""

    postgres: Literal["ok", "unreachable"]
    schema: Literal["current", "newer", "outdated", "unknown"]
    role: Literal["ordinary", "unrestricted", "unknown"]
    broker: Literal["ok", "unreachable"]

    @property
    def ready(self) -> bool:
        return self.schema in {"current", "newer"} and self.role == "ordinary"

    @property
    def advice(self) -> str:
        if self.postgres == "unreachable":
            return DatabaseUnavailable().message
        if self.role == "unrestricted":
            return (
                "Citewell's database role is a superuser or has BYPASSRLS, so nothing keeps tenants apart; create an "
                "ordinary role that owns the database and its tables, and name it in CITEWELL_DATABASE_URL."
            )
        return "The database's schema is older than this program; run `alembic upgrade head` with this version."


def check_readiness(settings: Settings) -> Readiness:
    broker = "ok" if broker_answers(settings.redis_url.get_secret_value()) else "unreachable"
    try:
        # The check has a connection of its own: the question is whether there is a database, not whether requests use
        # all its connections.
        with reserved_connection(), system_transaction() as session:
            schema = schema_state(session)
            unrestricted = above_row_security(session)
    except DatabaseUnavailable:
        return Readiness("unreachable", "unknown", "unknown", broker)
    role = "unrestricted" if unrestricted else "ordinary"
    return Readiness("ok", schema, role, broker)
