"""The backlog: how much waits, whose it is, and how fast it ends. Every count is bounded, so it costs milliseconds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import exists, select, text
from sqlalchemy.orm import Session

from db.models import IdempotencyKey
from db.queries.admission import DEAD_AFTER_S


class Line(NamedTuple):
    """What waits of one tenant: questions, and items of batches; each counted up to a limit and one more."""

    asked: int = 0
    items: int = 0
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Backlog:
    """The waiting lines by tenant; `per_second` is how many queries can end, None when nothing tells."""

    lines: Mapping[int, Line]
    per_second: float | None


_LINES = text("""
WITH RECURSIVE
askers (tenant_id) AS (
    (SELECT tenant_id FROM queries WHERE status = 'queued' AND batch_id IS NULL ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT following.tenant_id FROM askers CROSS JOIN LATERAL (
        SELECT tenant_id FROM queries
        WHERE status = 'queued' AND batch_id IS NULL AND tenant_id > askers.tenant_id ORDER BY tenant_id LIMIT 1
    ) AS following
),
filers (tenant_id) AS (
    (SELECT tenant_id FROM queries WHERE status = 'queued' AND batch_id IS NOT NULL ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT following.tenant_id FROM filers CROSS JOIN LATERAL (
        SELECT tenant_id FROM queries
        WHERE status = 'queued' AND batch_id IS NOT NULL AND tenant_id > filers.tenant_id ORDER BY tenant_id LIMIT 1
    ) AS following
),
counted AS (
    SELECT tenant_id, n AS asked, 0 AS items FROM askers CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
            SELECT FROM queries
            WHERE status = 'queued' AND batch_id IS NULL AND tenant_id = askers.tenant_id LIMIT :most + 1
        ) AS found
    ) AS line
    UNION ALL
    SELECT tenant_id, 0, n FROM filers CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
            SELECT FROM queries
            WHERE status = 'queued' AND batch_id IS NOT NULL AND tenant_id = filers.tenant_id LIMIT :most + 1
        ) AS found
    ) AS line
)
SELECT tenant_id, sum(asked)::int, sum(items)::int, tenants.weight
FROM counted JOIN tenants ON tenants.id = tenant_id GROUP BY tenant_id, tenants.weight
""")

# What is running ends at the rate (places/time that each takes), and when nothing waits that is more than what ends.
# The count of endings tells when times say little: after a stop all that was running has taken long.
_RATE = text("""
SELECT greatest(
    count(*) / 60.0,
    (SELECT greatest(1, count(*)) FROM worker_processes
     WHERE 'verification' = ANY (queues) AND seen_at > clock_timestamp() - make_interval(secs => :dead_after))
    * :per_process / greatest(0.001, avg(extract(epoch FROM finished_at - started_at)))
)::float
FROM (
    SELECT started_at, finished_at FROM queries
    WHERE finished_at IS NOT NULL AND finished_at > now() - interval '60 s'
        AND started_at IS NOT NULL AND status <> 'cancelled'
    ORDER BY finished_at DESC LIMIT 1000
) AS ended
HAVING count(*) > 0
""")

_DOCUMENTS = text("""
SELECT (SELECT count(*) FROM (SELECT FROM documents WHERE status = 'queued' AND launched_at IS NULL
                              LIMIT :most + 1) AS found),
       (SELECT count(*) FROM (SELECT FROM documents WHERE status = 'queued' AND launched_at IS NULL
                              AND tenant_id = :tenant LIMIT :most + 1) AS found),
       (SELECT count(*) FROM (SELECT FROM documents WHERE ready_at IS NOT NULL AND ready_at > now() - interval '60 s'
                              LIMIT 10000) AS found)
""")

_BY_TENANT = text("""
SELECT tenants.name, tenants.weight,
       count(*) FILTER (WHERE status = 'queued' AND batch_id IS NULL),
       count(*) FILTER (WHERE status = 'queued' AND batch_id IS NOT NULL),
       count(*) FILTER (WHERE status = 'running'),
       extract(epoch FROM now() - min(queries.created_at) FILTER (WHERE status = 'queued' AND batch_id IS NULL))::float
FROM queries JOIN tenants ON tenants.id = tenant_id
WHERE status IN ('queued', 'running') AND finished_at IS NULL
GROUP BY tenants.id ORDER BY tenants.name
""")


class Waiting(NamedTuple):
    """One tenant's part of the backlog, counted to the end; `oldest_s` is how long a question has waited at most."""

    tenant: str
    weight: float
    asked: int
    items: int
    running: int
    oldest_s: float | None


def measure(session: Session, *, per_process: int, most: int) -> Backlog:
    """The waiting lines of all tenants, each counted up to `most` + 1; in a `system_transaction`."""
    rows = session.execute(_LINES, {"most": most})
    lines = {tenant_id: Line(asked, items, weight) for tenant_id, asked, items, weight in rows}
    rate = session.scalar(_RATE, {"per_process": per_process, "dead_after": DEAD_AFTER_S})
    return Backlog(lines, rate)


class DocumentsWaiting(NamedTuple):
    """Documents that wait, of all tenants and of one, each up to a limit and one more; how many ended in a minute."""

    all: int
    own: int
    ready_per_minute: int


def measure_documents(session: Session, tenant_id: int, most: int) -> DocumentsWaiting:
    """How many documents wait; in a `system_transaction`."""
    return DocumentsWaiting(*session.execute(_DOCUMENTS, {"tenant": tenant_id, "most": most}).one())


def is_known(session: Session, key: str) -> bool:
    """Whether a request with this Idempotency-Key was accepted before."""
    return bool(session.scalar(select(exists().where(IdempotencyKey.key == key))))


def list_backlog(session: Session) -> list[Waiting]:
    """The whole backlog by tenant, for people who look."""
    return [Waiting(*row) for row in session.execute(_BY_TENANT)]
