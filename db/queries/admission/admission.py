"""Admission: selects the waiting queries that start now, over all tenants (A7).

Runs in a `system_transaction`. One process admits at a time, and each statement is sent after its lock is held, so it
sees what the previous holder admitted: nothing starts twice or exceeds the places. The statements read partial indexes
of waiting and running rows, so their cost does not grow with history. Their literals are spelled out, because with
parameters Postgres could not tell that these partial indexes apply.
"""

import uuid
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from db.queries.runs.queries import Launch

DEAD_AFTER_S = 15.0
"""A worker process without a heartbeat for this long counts as dead."""

AT_A_TIME = 32
"""The most rows admitted at once: admissions that cannot be published have to be undone."""


class Line(IntEnum):
    """The values are advisory lock numbers, as in db.queries.admission.processes."""

    QUERIES = 0x43495447
    DOCUMENTS = 0x43495448


def lock_line(session: Session, line: Line) -> None:
    # Planning admission takes ten times as long as running it, and its plan does not depend on the values.
    planned_once = func.set_config("plan_cache_mode", "force_generic_plan", True)
    # The commit does not wait for the disk: an admission that a crash undoes is repeated, and its message is then
    # stale.
    unflushed = func.set_config("synchronous_commit", "off", True)
    session.execute(select(planned_once, unflushed, func.pg_advisory_xact_lock(line.value)))


def tenants_waiting(name: str, table: str, which: str) -> str:
    """Return a part of a WITH RECURSIVE: the tenants that have such rows waiting, for the price of an index entry
    each."""
    waiting = f"SELECT tenant_id FROM {table} WHERE status = 'queued' AND {which}"  # noqa: S608 - constants
    return f"""{name} (tenant_id) AS (
    ({waiting} ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT following.tenant_id FROM {name} CROSS JOIN LATERAL (
        {waiting} AND tenant_id > {name}.tenant_id ORDER BY tenant_id LIMIT 1
    ) AS following
)"""  # noqa: S608 - constants


ABOVE = 2
"""The number of a tenant's interactive queries that may run above the room, beside its scripted ones; and of queries to
each model but the busiest, so that a slow or failing model delays only its own queries."""

MODEL = "(coalesce(options ->> 'model', '') || ' ' || coalesce(options ->> 'model_choice', ''))"
"""The model behind a query's calls, as an SQL expression that an index has: the requested model, and the choice of
models."""


class Admitted(NamedTuple):
    """A query that was just marked as launched, with everything needed to start it."""

    query_id: uuid.UUID
    launch: int
    tenant_id: int
    round: int
    kind: str
    options: Mapping[str, Any]


# Each half reads the index of waiting rows, in the order of that index.
_ANY_WAITING = text("""
SELECT EXISTS (SELECT FROM queries WHERE status = 'queued' AND batch_id IS NULL ORDER BY tenant_id LIMIT 1)
    OR EXISTS (SELECT FROM queries WHERE status = 'queued' AND batch_id IS NOT NULL ORDER BY tenant_id LIMIT 1)
""")

# The current capacity of the live processes, and the most queries that they may be given.
ROOM = """
    SELECT coalesce(sum(least(coalesce(room, :per_process), :per_process)), :per_process)::int AS room,
           greatest(1, count(*))::int * :per_process AS most
    FROM worker_processes
    WHERE 'verification' = ANY (queues) AND seen_at > clock_timestamp() - make_interval(secs => :dead_after)
"""

_IS_TAKEN = text(f"""
    SELECT 4 * (SELECT count(*) FROM queries WHERE status = 'running') >= 3 * room FROM ({ROOM}) AS places
""")  # noqa: S608 - only constants are put together

# The shortest recent durations by kind: a query that has waited and has less time left can no longer finish. A query
# that has hardly waited is tried all the same: the model may have been down lately and be back now.
_QUICKEST = """
    SELECT kind, percentile_cont(0.1) WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - started_at)) AS seconds
    FROM (SELECT kind, started_at, finished_at FROM queries
          WHERE finished_at IS NOT NULL AND finished_at > now() - interval '60 s' AND started_at IS NOT NULL
              AND status = 'succeeded'
          ORDER BY finished_at DESC LIMIT 100) AS ended
    GROUP BY kind HAVING count(*) >= 5
"""
_DEADLINE_S = "CASE WHEN jsonb_typeof(options -> 'deadline_s') = 'number' THEN (options ->> 'deadline_s')::float END"
_WAITED_S = "extract(epoch FROM clock_timestamp() - created_at)"
_HARDLY = 0.1  # as a share of the deadline
_CAN_BE_FINISHED = f"""
    coalesce({_DEADLINE_S} - {_WAITED_S} > CASE
        WHEN {_WAITED_S} < {_HARDLY} * {_DEADLINE_S} THEN 0
        ELSE coalesce((SELECT seconds FROM quickest WHERE quickest.kind = queries.kind), 0) END, true)
"""  # noqa: S608 - only constants are put together

_EXPIRED = text(f"""
    WITH quickest AS MATERIALIZED ({_QUICKEST})
    SELECT id, launch, tenant_id FROM queries
    WHERE status = 'queued' AND batch_id IS NULL AND NOT {_CAN_BE_FINISHED} ORDER BY created_at LIMIT :limit
""")  # noqa: S608 - only constants are put together

# Places = room - running. Tenants share them as if each place in turn went to the tenant with the smallest
# running/weight: the k-th waiting query of a tenant has the share (running + k - 1)/weight. Within a tenant interactive
# queries are first. Two of them may run above the room beside scripted ones of their own tenant: they take no other
# tenant's place and need not wait for one. The same holds for two queries of each model but the busiest. Where the
# machine is the limit (room < most), their tenant starts no second scripted query while one of them runs.
_ADMIT_QUERIES = text(f"""
WITH RECURSIVE
quickest AS MATERIALIZED ({_QUICKEST}),
running AS MATERIALIZED (
    SELECT tenant_id, batch_id, count(*) AS n, count(*) FILTER (WHERE batch_id IS NULL AND NOT is_scripted) AS people
    FROM queries WHERE status = 'running' GROUP BY tenant_id, batch_id
),
of_tenant AS (
    SELECT tenant_id, sum(n) AS n, sum(people) AS people, sum(n) - sum(people) AS scripted,
           least(sum(people), sum(n) - sum(people), {ABOVE}) AS above
    FROM running GROUP BY tenant_id
),
places AS ({ROOM}),
of_model AS MATERIALIZED (
    SELECT {MODEL} AS model, count(*) AS n, row_number() OVER (ORDER BY count(*) DESC, {MODEL}) AS place
    FROM queries WHERE status = 'running' GROUP BY 1
),
beside_now AS (SELECT coalesce(sum(least(n, {ABOVE})), 0) AS n FROM of_model WHERE place > 1),
free AS MATERIALIZED (
    SELECT greatest(0, least(:at_a_time, room - (
               SELECT coalesce(sum(n), 0) - greatest(coalesce(sum(above), 0), beside_now.n) FROM of_tenant
           )))::int AS places,
           -- One place in eight is kept for items of batches.
           greatest(0, greatest(1, room / 8)
                       - (SELECT coalesce(sum(n), 0) FROM running WHERE batch_id IS NOT NULL))::int AS kept,
           room < most AS is_narrow
    FROM places, beside_now
),
{tenants_waiting("askers", "queries", "batch_id IS NULL")},
files (tenant_id, batch_id) AS (
    (SELECT tenant_id, batch_id FROM queries
     WHERE status = 'queued' AND batch_id IS NOT NULL ORDER BY tenant_id, batch_id LIMIT 1)
    UNION ALL
    SELECT following.tenant_id, following.batch_id FROM files CROSS JOIN LATERAL (
        SELECT tenant_id, batch_id FROM queries
        WHERE status = 'queued' AND batch_id IS NOT NULL
            AND (tenant_id, batch_id) > (files.tenant_id, files.batch_id)
        ORDER BY tenant_id, batch_id LIMIT 1
    ) AS following
),
models (model) AS (
    (SELECT {MODEL} FROM queries WHERE status = 'queued' AND batch_id IS NULL ORDER BY 1 LIMIT 1)
    UNION ALL
    SELECT following.model FROM models CROSS JOIN LATERAL (
        SELECT {MODEL} AS model FROM queries
        WHERE status = 'queued' AND batch_id IS NULL AND {MODEL} > models.model ORDER BY 1 LIMIT 1
    ) AS following
),
beside AS MATERIALIZED (
    SELECT waiting.id FROM models LEFT JOIN of_model USING (model) CROSS JOIN LATERAL (
        SELECT id FROM queries
        WHERE status = 'queued' AND batch_id IS NULL AND {MODEL} = models.model AND {_CAN_BE_FINISHED}
        ORDER BY is_scripted, created_at, id LIMIT greatest(0, {ABOVE} - coalesce(of_model.n, 0))
    ) AS waiting
    -- Nothing is above while nothing runs.
    WHERE coalesce(of_model.n, 0) < {ABOVE} AND models.model <> (SELECT model FROM of_model WHERE place = 1)
    LIMIT (SELECT greatest(0, room - beside_now.n) FROM places, beside_now)
),
people AS MATERIALIZED (
    SELECT tenant_id, waiting.id, waiting.created_at,
           row_number() OVER (PARTITION BY tenant_id ORDER BY waiting.created_at, waiting.id) AS number
    FROM askers CROSS JOIN LATERAL (
        SELECT id, created_at FROM queries
        WHERE status = 'queued' AND batch_id IS NULL AND NOT is_scripted AND tenant_id = askers.tenant_id
            AND {_CAN_BE_FINISHED}
        ORDER BY created_at, id LIMIT (SELECT places + {ABOVE} FROM free)
    ) AS waiting
),
-- How many scripted queries of a tenant may start: all that there is room for, or, beside people, one.
scripts AS MATERIALIZED (
    SELECT askers.tenant_id,
           CASE WHEN is_narrow AND (coalesce(of_tenant.people, 0) > 0
                                    OR EXISTS (SELECT FROM people WHERE people.tenant_id = askers.tenant_id))
                THEN greatest(0, least(places, 1 - coalesce(of_tenant.scripted, 0))) ELSE places END AS most
    FROM (SELECT tenant_id FROM askers UNION SELECT tenant_id FROM files) AS askers
    CROSS JOIN free LEFT JOIN of_tenant ON of_tenant.tenant_id = askers.tenant_id
),
asked AS (
    SELECT tenant_id, id, created_at, 0 AS turn, number FROM people
    UNION ALL
    SELECT scripts.tenant_id, waiting.id, waiting.created_at, 1,
           row_number() OVER (PARTITION BY scripts.tenant_id ORDER BY waiting.created_at, waiting.id)
    FROM scripts CROSS JOIN LATERAL (
        SELECT id, created_at FROM queries
        WHERE status = 'queued' AND batch_id IS NULL AND is_scripted AND tenant_id = scripts.tenant_id
            AND {_CAN_BE_FINISHED}
        ORDER BY created_at, id LIMIT scripts.most
    ) AS waiting
),
filed AS (
    SELECT files.tenant_id, waiting.id, batches.created_at, row_number() OVER (
        PARTITION BY files.tenant_id ORDER BY batches.created_at, files.batch_id, waiting.position) AS number
    FROM files
    JOIN batches ON batches.id = files.batch_id AND batches.cancelled_at IS NULL
    JOIN scripts ON scripts.tenant_id = files.tenant_id
    LEFT JOIN running ON running.batch_id = files.batch_id
    CROSS JOIN LATERAL (
        SELECT id, position FROM queries
        WHERE status = 'queued' AND batch_id IS NOT NULL
            AND tenant_id = files.tenant_id AND queries.batch_id = files.batch_id
        ORDER BY position
        LIMIT least(scripts.most, greatest(0, :of_batch - coalesce(running.n, 0)))
    ) AS waiting
),
lines AS (
    SELECT tenant_id, id, created_at, false AS is_item, turn = 0 AS is_person,
           row_number() OVER (PARTITION BY tenant_id ORDER BY turn, number) AS number
    FROM asked WHERE id NOT IN (SELECT id FROM beside)
    UNION ALL
    SELECT tenant_id, id, created_at, true, false, number FROM filed
),
placed AS (
    SELECT lines.*, coalesce(of_tenant.n, 0) AS n,
           is_person AND coalesce(of_tenant.people, 0) + number
               <= least({ABOVE}, coalesce(of_tenant.scripted, 0)) AS is_above
    FROM lines LEFT JOIN of_tenant ON of_tenant.tenant_id = lines.tenant_id
),
ranked AS (
    SELECT placed.id, is_item, is_above, row_number() OVER (
        PARTITION BY is_item, is_above
        ORDER BY (n + placed.number - 1) / tenants.weight, placed.created_at, placed.id) AS rank
    FROM placed JOIN tenants ON tenants.id = placed.tenant_id
),
counted AS (
    SELECT count(*) FILTER (WHERE NOT is_item AND NOT is_above) AS asked,
           least((SELECT kept FROM free), (SELECT places FROM free), count(*) FILTER (WHERE is_item)) AS kept
    FROM ranked
),
chosen AS (
    SELECT id, false AS is_item, 0 AS rank FROM beside
    UNION ALL
    SELECT ranked.id, is_item, ranked.rank - CASE WHEN is_above THEN :at_a_time ELSE 0 END
    FROM ranked, counted, free
    WHERE is_above AND ranked.rank <= :at_a_time
       OR NOT is_above AND ranked.rank <= CASE WHEN is_item THEN places - least(asked, places - counted.kept)
                                               ELSE places - counted.kept END
),
held AS MATERIALIZED (
    -- One that is being cancelled is locked, and is not started any more.
    SELECT id FROM queries WHERE id IN (SELECT id FROM chosen) AND status = 'queued' FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE queries
SET status = 'running', launch = launch + 1, started_at = coalesce(started_at, clock_timestamp()),
    progress_at = clock_timestamp()
FROM held JOIN chosen USING (id) WHERE queries.id = held.id
RETURNING queries.id, launch, tenant_id, round, kind, options, is_item, rank
""")  # noqa: S608 - only constants are put together


def admit_queries(session: Session, *, per_process: int, of_batch: int) -> list[Admitted]:
    """Mark the queries that may start now as launched, and return them in starting order.

    At most `per_process` queries run for every live verification process, limited by the room that each one reports,
    and `of_batch` items of one batch. Between tenants the smallest running/weight is first; within a tenant interactive
    queries before scripted ones, then the oldest; questions before batch items. Two questions of every model but the
    busiest start without a place. Queries that can no longer finish within their deadline are left to `list_expired`.
    """
    # Usually a query ends and no other query waits for its place. A query accepted after this look sends its own nudge.
    if not session.scalar(_ANY_WAITING):
        return []
    lock_line(session, Line.QUERIES)
    values = {"per_process": per_process, "of_batch": of_batch, "dead_after": DEAD_AFTER_S, "at_a_time": AT_A_TIME}
    rows = sorted(session.execute(_ADMIT_QUERIES, values), key=lambda row: (row.is_item, row.rank))
    return [Admitted(*row[:6]) for row in rows]


def list_expired(session: Session, limit: int = 100) -> list[Launch]:
    """Return waiting questions that can no longer finish within their deadline: they have waited for more than a tenth
    of it, and less is left than the quickest of their kind took lately. In a `system_transaction`."""
    return [Launch(*row) for row in session.execute(_EXPIRED, {"limit": limit})]


def is_at_capacity(session: Session, *, per_process: int) -> bool:
    """Return whether three quarters of the places are taken; in a `system_transaction`."""
    return bool(session.scalar(_IS_TAKEN, {"per_process": per_process, "dead_after": DEAD_AFTER_S}))
