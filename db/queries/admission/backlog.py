"""The backlog: how many queries wait, by tenant, and how fast they end. Bounded counts limit the cost to
milliseconds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import exists, select, text
from sqlalchemy.orm import Session

from db.models import IdempotencyKey
from db.queries.admission.admission import DEAD_AFTER_S, ROOM, tenants_waiting


class TenantBacklog(NamedTuple):
    """A tenant's waiting questions and batch items, each counted up to a limit plus one. `people` counts the
    interactive ones among the questions.
    """

    asked: int = 0
    items: int = 0
    weight: float = 1.0
    people: int = 0


_ASSUMED, _ASSUMED_S = 4, 10.0
"""The prior before any measurement: this many queries ended, each after this long. Its weight falls as evidence
grows."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The rate at which queries end. `ended` queries did so in the last minute; all that ran, including those still
    running, occupied places for `busy_s` seconds in total. There are `room` places now, `running` of them taken.

    Places divided by time per query is the rate of endings with all places taken, and stays valid when few are. Since
    unfinished queries count with their time, the rate falls at once when queries stop ending.
    """

    room: int = 1
    running: int = 0
    ended: int = 0
    busy_s: float = 0.0

    @property
    def per_second(self) -> float:
        unsure = _ASSUMED * _ASSUMED_S / (_ASSUMED * _ASSUMED_S + self.busy_s)
        each_s = (self.busy_s + unsure * _ASSUMED * _ASSUMED_S) / (self.ended + unsure * _ASSUMED)
        return self.room / max(each_s, 0.001)

    @property
    def typical_s(self) -> float:
        """Return the typical duration of a query from its start; 0 without data, and an underestimate while there is
        little."""
        return self.busy_s / (self.ended + 2)

    @property
    def too_many(self) -> int:
        return max(0, self.running - self.room)

    @property
    def free(self) -> int:
        return max(0, self.room - self.running)


@dataclass(frozen=True, slots=True)
class Backlog:
    """The waiting lines by tenant, and how fast they move."""

    lines: Mapping[int, TenantBacklog]
    pace: Pace


_LINES = text(f"""
WITH RECURSIVE
{tenants_waiting("askers", "queries", "batch_id IS NULL")},
{tenants_waiting("filers", "queries", "batch_id IS NOT NULL")},
counted AS (
    SELECT tenant_id, n AS asked, 0 AS items, 0 AS people FROM askers CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
            SELECT FROM queries
            WHERE status = 'queued' AND batch_id IS NULL AND tenant_id = askers.tenant_id LIMIT :most + 1
        ) AS found
    ) AS line
    UNION ALL
    SELECT tenant_id, 0, 0, n FROM askers CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
            SELECT FROM queries
            WHERE status = 'queued' AND batch_id IS NULL AND NOT is_scripted AND tenant_id = askers.tenant_id
            LIMIT :most + 1
        ) AS found
    ) AS line
    UNION ALL
    SELECT tenant_id, 0, n, 0 FROM filers CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
            SELECT FROM queries
            WHERE status = 'queued' AND batch_id IS NOT NULL AND tenant_id = filers.tenant_id LIMIT :most + 1
        ) AS found
    ) AS line
)
SELECT tenant_id, sum(asked)::int, sum(items)::int, tenants.weight, sum(people)::int
FROM counted JOIN tenants ON tenants.id = tenant_id GROUP BY tenant_id, tenants.weight
""")  # noqa: S608 - only constants are put together

# A running query's time counts up to shortly after its last progress: while no worker serves it, because the broker is
# down, its time says nothing about speed. Queries ended by their deadline or their user count as not done.
_PACE = text(f"""
SELECT room, (SELECT count(*) FROM queries WHERE status = 'running'),
       coalesce((sum(done)), 0)::int, coalesce(sum(greatest(0, extract(epoch FROM until - since))), 0)::float
FROM ({ROOM}) AS places LEFT JOIN (
    SELECT greatest(started_at, now() - interval '60 s') AS since, finished_at AS until,
           (status = 'succeeded' OR coalesce(error ->> 'code', '') <> 'deadline_exceeded')::int AS done
    FROM (
        SELECT * FROM queries
        WHERE finished_at IS NOT NULL AND finished_at > now() - interval '60 s'
            AND started_at IS NOT NULL AND status <> 'cancelled'
        ORDER BY finished_at DESC LIMIT 1000
    ) AS ended
    UNION ALL
    SELECT greatest(started_at, now() - interval '60 s'), least(now(), progress_at + interval '10 s'), 0
    FROM queries WHERE status = 'running'
) AS work ON true
GROUP BY room
""")  # noqa: S608 - only constants are put together

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
    """One tenant's part of the backlog, without a limit on the counts; `oldest_s` is the longest wait of a question."""

    tenant: str
    weight: float
    asked: int
    items: int
    running: int
    oldest_s: float | None


def measure(session: Session, *, per_process: int, most: int) -> Backlog:
    """Return the waiting lines of all tenants, each counted up to `most` + 1; in a `system_transaction`."""
    rows = session.execute(_LINES, {"most": most})
    lines = {tenant_id: TenantBacklog(*counted) for tenant_id, *counted in rows}
    pace = session.execute(_PACE, {"per_process": per_process, "dead_after": DEAD_AFTER_S}).one()
    return Backlog(lines, Pace(*pace))


class DocumentsWaiting(NamedTuple):
    """Waiting documents of all tenants and of one, counted up to a limit plus one, and those that became ready within a
    minute."""

    all: int
    own: int
    ready_per_minute: int


def measure_documents(session: Session, tenant_id: int, most: int) -> DocumentsWaiting:
    return DocumentsWaiting(*session.execute(_DOCUMENTS, {"tenant": tenant_id, "most": most}).one())


def is_known(session: Session, key: str) -> bool:
    return bool(session.scalar(select(exists().where(IdempotencyKey.key == key))))


def list_backlog(session: Session) -> list[Waiting]:
    return [Waiting(*row) for row in session.execute(_BY_TENANT)]
