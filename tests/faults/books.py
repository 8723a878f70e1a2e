"""What Postgres knows of the queries and documents of a trial, read over all tenants."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import dict_row

Row = dict[str, Any]

_QUERIES = """
    SELECT q.id::text AS id, q.status, q.launch, q.event_seq, q.error,
           extract(epoch FROM q.created_at)::float AS created, extract(epoch FROM q.finished_at)::float AS finished
    FROM queries q WHERE q.id = ANY(%(ids)s)
"""
_UNDER_WAY = """
    SELECT count(DISTINCT query_id) AS queries FROM step_outcomes
    WHERE query_id = ANY(%(ids)s) AND value IS NULL AND worker <> '' AND lease_until > now()
"""
_EVENTS = """
    SELECT query_id::text AS id, array_agg(seq ORDER BY seq) AS seqs,
           count(*) FILTER (WHERE type IN ('final', 'failed', 'cancelled')) AS ends,
           array_agg(extract(epoch FROM created_at)::float) AS times
    FROM events WHERE query_id = ANY(%(ids)s) GROUP BY query_id
"""
_OUTCOMES = """
    SELECT query_id::text AS id, array_agg(extract(epoch FROM finished_at)::float) AS times
    FROM step_outcomes WHERE query_id = ANY(%(ids)s) AND finished_at IS NOT NULL GROUP BY query_id
"""
_PUBLISHED = """
    SELECT query_id::text AS id, count(*) FILTER (WHERE kind = 'published') AS published,
           count(*) - count(DISTINCT (round, kind)) AS repeated
    FROM verifications WHERE query_id = ANY(%(ids)s) GROUP BY query_id
"""
_SENTENCES = """
    SELECT v.query_id::text AS id, v.answer, array_agg(s.status ORDER BY s.position) AS statuses
    FROM verifications v JOIN verification_sentences s ON s.verification_id = v.id
    WHERE v.query_id = ANY(%(ids)s) AND v.kind = 'published' GROUP BY v.query_id, v.id, v.answer
"""
_MESSAGES = """
    SELECT m.query_id::text AS id, m.id AS message, d.id::text AS delivery, d.status, d.attempts,
           extract(epoch FROM d.finished_at)::float AS finished
    FROM webhook_messages m LEFT JOIN webhook_deliveries d ON d.message_id = m.id
    WHERE m.query_id = ANY(%(ids)s)
"""
_DOCUMENTS = """
    SELECT d.id::text AS id, d.status, d.chunks_total, extract(epoch FROM d.ready_at)::float AS ready,
           (SELECT count(*) FROM chunks c WHERE c.document_id = d.id) AS chunks
    FROM documents d WHERE d.id = ANY(%(ids)s)
"""
_COSTS = """
    SELECT count(*) AS rows, coalesce(sum(cost_usd), 0)::float AS usd, coalesce(min(cost_usd), 0)::float AS least_usd,
           coalesce(max(cost_usd), 0)::float AS most_usd, coalesce(min(prompt_tokens), 0) AS least_prompt,
           coalesce(min(completion_tokens), 0) AS least_completion
    FROM model_calls WHERE query_id = ANY(%(ids)s)
"""

_STORY = """
    SELECT 'claim' AS what, step || ':' || item AS name, attempt, worker, started_at AS at, finished_at AS ended,
           value->>'reason' AS reason
    FROM step_outcomes WHERE query_id = ANY(%(ids)s)
    UNION ALL
    SELECT 'call', step || ':' || prompt, attempt, NULL, created_at, NULL, error
    FROM model_calls WHERE query_id = ANY(%(ids)s) AND error IS NOT NULL
    UNION ALL
    SELECT 'query', stage || ' ' || status, launch, NULL, created_at, progress_at, NULL
    FROM queries WHERE id = ANY(%(ids)s)
    ORDER BY at
"""


@dataclass(frozen=True, slots=True)
class Books:
    """Opens a connection for each look, so that a server that restarts meanwhile is no matter."""

    database_url: str

    def queries(self, ids: Sequence[str]) -> dict[str, Row]:
        return self._by_id(_QUERIES, ids)

    def unfinished(self, ids: Sequence[str]) -> int:
        """How many of these queries have not reached their end."""
        rows = self.queries(ids)
        return len(set(ids)) - sum(row["finished"] is not None for row in rows.values())

    def under_way(self, ids: Sequence[str]) -> int:
        """At how many of these queries a worker is at work: what waits to be admitted or in a queue does not count."""
        return self._look(_UNDER_WAY, {"ids": _uuids(ids)})[0]["queries"]

    def events(self, ids: Sequence[str]) -> dict[str, Row]:
        return self._by_id(_EVENTS, ids)

    def outcomes(self, ids: Sequence[str]) -> dict[str, Row]:
        return self._by_id(_OUTCOMES, ids)

    def published(self, ids: Sequence[str]) -> dict[str, Row]:
        return self._by_id(_PUBLISHED, ids)

    def sentences(self, ids: Sequence[str]) -> dict[str, Row]:
        return self._by_id(_SENTENCES, ids)

    def messages(self, ids: Sequence[str]) -> list[Row]:
        return self._look(_MESSAGES, {"ids": _uuids(ids)})

    def documents(self, ids: Sequence[str]) -> dict[str, Row]:
        return self._by_id(_DOCUMENTS, ids)

    def costs(self, ids: Sequence[str]) -> Row:
        """What the calls of these queries came to, and the least and the most of one."""
        return self._look(_COSTS, {"ids": _uuids(ids)})[0]

    def paid_calls(self) -> set[str]:
        """The provider's ids of all calls that are stored."""
        return {row["id"] for row in self._look("SELECT request_id AS id FROM model_calls WHERE request_id <> ''", {})}

    def story(self, query_id: str) -> list[str]:
        """What can be read of one query when something is wrong with it: its claims and outcomes, its failed calls."""
        found = self._look(_STORY, {"ids": _uuids([query_id])})
        return [" ".join(f"{name}={value}" for name, value in row.items() if value is not None) for row in found]

    def _by_id(self, statement: str, ids: Sequence[str]) -> dict[str, Row]:
        return {row["id"]: row for row in self._look(statement, {"ids": _uuids(ids)})}

    def _look(self, statement: str, parameters: Row) -> list[Row]:
        url = self.database_url.replace("postgresql+psycopg://", "postgresql://")
        with psycopg.connect(url, connect_timeout=5) as connection:
            connection.execute("SELECT set_config('citewell.system', 'on', true)")
            return connection.cursor(row_factory=dict_row).execute(statement.encode(), parameters).fetchall()


def _uuids(ids: Sequence[str]) -> list[uuid.UUID]:
    return [uuid.UUID(one) for one in ids]
