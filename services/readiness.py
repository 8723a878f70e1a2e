"""Is everything there that a request needs."""

from dataclasses import dataclass
from typing import Literal

from clients.broker import broker_answers
from config.settings import Settings
from db.schema_version import head_revision, schema_revision
from db.session import system_transaction
from domain.errors import DatabaseUnavailable


@dataclass(frozen=True, slots=True)
class Readiness:
    """`advice` says what to do when it is not ready. The broker is not needed for being ready."""

    postgres: Literal["ok", "unreachable"]
    schema: Literal["current", "outdated", "unknown"]
    broker: Literal["ok", "unreachable"]

    @property
    def ready(self) -> bool:
        """Postgres answers and its schema is the newest."""
        return self.schema == "current"

    @property
    def advice(self) -> str:
        """One sentence for an operator."""
        if self.postgres == "unreachable":
            return DatabaseUnavailable().message
        return "The database has another schema than this program; run `alembic upgrade head` with this version."


def check_readiness(settings: Settings) -> Readiness:
    """Ask Postgres and the broker, each within seconds."""
    broker = "ok" if broker_answers(settings.redis_url.get_secret_value()) else "unreachable"
    try:
        with system_transaction() as session:
            current = schema_revision(session) == head_revision()
    except DatabaseUnavailable:
        return Readiness("unreachable", "unknown", broker)
    return Readiness("ok", "current" if current else "outdated", broker)
