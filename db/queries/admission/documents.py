"""Admission of documents: selects the documents that are read next, over all tenants (A7), like the admission of
queries."""

import uuid
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from db.queries.admission.admission import AT_A_TIME, DEAD_AFTER_S, Line, lock_line, tenants_waiting
from db.queries.documents.reingestions import MARK

# The rest of a document, in bytes of text, and when it is due: so short documents go before long ones that came
# somewhat earlier, and each has its turn in the end. Only the oldest documents of a tenant are considered.
_LEFT = """coalesce(700 * (chunks_total - chunks_done), 200000 * (pages_to_recognise - pages_recognised), size_bytes)"""
_DUE = f"created_at + least({_LEFT}, 50000000) * interval '100 microseconds'"
_LOOKED_AT = 256

# A published but unclaimed document counts as being processed until it must have been lost: either no document is being
# read and it is still unclaimed, or it has waited beyond `patience`. A dead worker's document is found when its lease
# expires.
_ADMIT_DOCUMENTS = text(f"""
WITH RECURSIVE
reading AS MATERIALIZED (
    SELECT id, tenant_id, lease_until > now() AS held, progress_at FROM documents WHERE status = 'processing'
),
launched AS MATERIALIZED (
    SELECT id, tenant_id,
           progress_at > now() - make_interval(secs => :older_than)
           OR EXISTS (SELECT FROM reading WHERE held)
              AND progress_at > now() - make_interval(secs => :patience) AS held
    FROM documents WHERE status = 'queued' AND launched_at IS NOT NULL
),
in_hand AS (
    SELECT tenant_id FROM reading WHERE held OR progress_at > now() - make_interval(secs => :older_than)
    UNION ALL SELECT tenant_id FROM launched WHERE held
),
of_tenant AS (SELECT tenant_id, count(*) AS n FROM in_hand GROUP BY tenant_id),
free AS MATERIALIZED (
    SELECT greatest(0, least(:at_a_time, greatest(2, coalesce(sum(concurrency + 1), 0))
                                         - (SELECT count(*) FROM in_hand)))::int AS places,
           -- Where there are several tenants, none has the last place, nor one waiting behind those that it has:
           -- a document of another is read at once or next.
           CASE WHEN EXISTS (SELECT FROM tenants OFFSET 1)
                THEN greatest(1, coalesce(sum(concurrency), 0) - 1) END AS most_of_tenant
    FROM worker_processes
    WHERE 'ingestion' = ANY (queues) AND seen_at > clock_timestamp() - make_interval(secs => :dead_after)
),
{tenants_waiting("owners", "documents", "launched_at IS NULL")},
waiting AS (
    SELECT tenant_id, id, due, is_again, false AS lost FROM owners CROSS JOIN LATERAL (
        WITH uploads AS MATERIALIZED (
            SELECT id, due FROM (
                SELECT id, {_DUE} AS due FROM documents
                WHERE status = 'queued' AND launched_at IS NULL AND right(sha256, 1) <> '{MARK}'
                    AND tenant_id = owners.tenant_id
                ORDER BY created_at, id LIMIT {_LOOKED_AT}
            ) AS oldest ORDER BY due, id LIMIT (SELECT places FROM free)
        )
        SELECT id, due, false AS is_again FROM uploads
        UNION ALL
        (SELECT id, created_at, true FROM documents
         WHERE status = 'queued' AND launched_at IS NULL AND right(sha256, 1) = '{MARK}'
             AND tenant_id = owners.tenant_id
         ORDER BY created_at, id LIMIT (SELECT places FROM free) - (SELECT count(*) FROM uploads))
    ) AS oldest
    UNION ALL
    SELECT tenant_id, id, progress_at, false, true FROM reading
    WHERE NOT held AND progress_at <= now() - make_interval(secs => :older_than)
    UNION ALL
    SELECT launched.tenant_id, id, now(), false, true FROM launched WHERE NOT held
),
numbered AS (
    -- What is read again is searched meanwhile, so what is new goes first.
    SELECT *, row_number() OVER (PARTITION BY tenant_id ORDER BY lost DESC, is_again, due, id) AS number
    FROM waiting
),
chosen AS (
    SELECT numbered.id FROM numbered
    JOIN tenants ON tenants.id = numbered.tenant_id
    LEFT JOIN of_tenant ON of_tenant.tenant_id = numbered.tenant_id
    JOIN free ON coalesce(of_tenant.n, 0) + number <= coalesce(most_of_tenant, places + number)
    -- Among equals the one whose last turn is the longest ago; the oldest document would be of the largest archive.
    ORDER BY (coalesce(of_tenant.n, 0) + number - 1) / tenants.weight, lost DESC,
             tenants.read_at NULLS FIRST, numbered.due, numbered.id
    LIMIT (SELECT places FROM free)
),
free_to_take AS MATERIALIZED (
    SELECT id FROM documents WHERE id IN (SELECT id FROM chosen) AND status IN ('queued', 'processing')
    FOR NO KEY UPDATE SKIP LOCKED
),
taken AS (
    UPDATE documents SET launched_at = clock_timestamp(), progress_at = clock_timestamp()
    FROM free_to_take WHERE documents.id = free_to_take.id
    RETURNING documents.id, tenant_id, created_at
),
turns AS (
    UPDATE tenants SET read_at = clock_timestamp() WHERE id IN (SELECT tenant_id FROM taken)
)
SELECT id, tenant_id FROM taken ORDER BY created_at, id
""")  # noqa: S608 - only constants are put together


def admit_documents(session: Session, *, older_than_s: float, patience_s: float = 600.0) -> list[tuple[uuid.UUID, int]]:
    """Mark the documents that may be published now, and return (id, tenant), the oldest first. Only a few at a time, so
    that no tenant's documents queue behind all those of another.

    Includes documents that were lost: without progress for `older_than_s`, or for `patience_s` while other documents
    are being read and the message may still be waiting.
    """
    lock_line(session, Line.DOCUMENTS)
    rows = session.execute(
        _ADMIT_DOCUMENTS,
        {"older_than": older_than_s, "patience": patience_s, "dead_after": DEAD_AFTER_S, "at_a_time": AT_A_TIME},
    )
    return [(document_id, tenant_id) for document_id, tenant_id in rows]


_UNLAUNCH_DOCUMENTS = text(
    "UPDATE documents SET launched_at = NULL WHERE id = ANY (:ids) AND status = 'queued' AND lease_until IS NULL"
)


def unlaunch_documents(session: Session, document_ids: Sequence[uuid.UUID]) -> None:
    session.execute(_UNLAUNCH_DOCUMENTS, {"ids": list(document_ids)})


_OTHERS_WAIT = text(
    "SELECT EXISTS (SELECT FROM documents"
    " WHERE status = 'queued' AND launched_at IS NOT NULL AND tenant_id <> :tenant_id)"
)


def others_wait(session: Session, tenant_id: int) -> bool:
    """Return whether a document of another tenant was published and no worker has it yet; in a `system_transaction`."""
    return bool(session.scalar(_OTHERS_WAIT, {"tenant_id": tenant_id}))


_SHORTER = text(f"""
WITH RECURSIVE {tenants_waiting("owners", "documents", "launched_at IS NULL")},
waiting AS (
    SELECT tenant_id, oldest.* FROM owners CROSS JOIN LATERAL (
        SELECT id, {_DUE} AS due, {_LEFT} AS bytes_left FROM documents
        WHERE status = 'queued' AND launched_at IS NULL AND right(sha256, 1) <> '{MARK}'
            AND tenant_id = owners.tenant_id
        ORDER BY created_at, id LIMIT {_LOOKED_AT}
    ) AS oldest
    UNION ALL
    SELECT tenant_id, id, {_DUE}, {_LEFT} FROM documents
    WHERE status = 'queued' AND launched_at IS NOT NULL AND right(sha256, 1) <> '{MARK}'
),
chosen AS (
    SELECT waiting.id, tenant_id, bytes_left FROM waiting JOIN tenants ON tenants.id = tenant_id
    WHERE bytes_left <= :most AND NOT waiting.id = ANY (CAST(:without AS uuid[]))
    ORDER BY tenants.read_at NULLS FIRST, due, waiting.id LIMIT 1
),
turns AS (UPDATE tenants SET read_at = clock_timestamp() WHERE id IN (SELECT tenant_id FROM chosen))
SELECT id, tenant_id, bytes_left FROM chosen
""")  # noqa: S608 - only constants are put together


class Shorter(NamedTuple):
    """A document that waits; `bytes_left` is about how much of it is left to read and store."""

    id: uuid.UUID
    tenant_id: int
    bytes_left: int


def find_shorter(session: Session, most_bytes: int, without: Collection[uuid.UUID]) -> Shorter | None:
    """Return a waiting document of which at most this much is left, from the tenant whose last turn is the longest ago;
    in a `system_transaction`. Another worker may claim it first."""
    row = session.execute(_SHORTER, {"most": most_bytes, "without": list(without)}).one_or_none()
    return None if row is None else Shorter(*row)


_GOES_BEFORE = text(f"""
WITH own AS (SELECT tenant_id, {_DUE} AS due FROM documents WHERE id = :id)
SELECT EXISTS (
    SELECT FROM documents AS waiting, own
    WHERE waiting.status = 'queued' AND right(waiting.sha256, 1) <> '{MARK}'
        AND (waiting.tenant_id <> own.tenant_id OR {_DUE} < own.due)
)
""")  # noqa: S608 - only constants are put together


def goes_before(session: Session, document_id: uuid.UUID) -> bool:
    """Return whether a waiting document would be admitted before this one, if this one waited; in a
    `system_transaction`."""
    return bool(session.scalar(_GOES_BEFORE, {"id": document_id}))
