"""History for `benchmarks.cost.history`: ended queries with all their rows, made inside Postgres."""

from typing import Any

import psycopg

# `:id` and `:at` are replaced by these. Keys are scattered like those of real queries. One query in ten is an external
# answer, one in a hundred failed, one in a thousand belongs to the workspace `rare`.
_ID = "md5('q' || n)::uuid"
_AT = "now() - interval '90 days' * ((:last - n)::float / :last)"
_QUERIES = """
    INSERT INTO queries (id, tenant_id, kind, workspace_id, question, mode, provider, options, status, stage, launch,
                         event_seq, created_at, started_at, progress_at, finished_at)
    SELECT :id, 1, CASE WHEN n % 10 = 0 THEN 'verification' ELSE 'answer' END,
           CASE WHEN n % 1000 = 7 THEN :rare ELSE :usual END, 'How long are access tokens valid? ' || n, 'balanced',
           'groq', '{"k": 10, "top_k": 3, "deadline_s": 300, "mode": "balanced"}',
           CASE WHEN n % 100 = 1 THEN 'failed' ELSE 'succeeded' END, 'succeeded', 1, 12, at, at, at + interval '2 s',
           at + interval '2 s'
    FROM generate_series(:first, :last) AS n, LATERAL (SELECT :at AS at) AS moment
"""
_OUTCOMES = """
    INSERT INTO step_outcomes (query_id, tenant_id, round, step, item, worker, lease_until, value, finished_at)
    SELECT :id, 1, 0, step, '', 'worker', now(), '{"status": "ok", "score": 0.75, "reason": "said by the source"}',
           now()
    FROM generate_series(:first, :last) AS n, unnest(ARRAY['select', 'score_chunks']) AS step
"""
_EVENTS = """
    INSERT INTO events (tenant_id, query_id, seq, type, data)
    SELECT 1, :id, seq, CASE WHEN seq = 1 THEN 'draft' ELSE 'stage' END, '{"stage": "checking"}'
    FROM generate_series(:first, :last) AS n, generate_series(1, 2) AS seq
"""
_CALLS = """
    INSERT INTO model_calls (tenant_id, query_id, round, step, item, provider, model, prompt, prompt_version, attempt,
                             status, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, estimated,
                             cost_usd, duration_ms, reply_text)
    SELECT 1, :id, 0, 'score_chunks', number::text, 'groq', 'openai/gpt-oss-20b', 'rerank_chunk', 'abc', 1, 200, 300,
           0, 20, 0, false, 0.00003, 250, '{"score": 0.75}'
    FROM generate_series(:first, :last) AS n, generate_series(1, 2) AS number
"""
_ANSWERS = """
    INSERT INTO answers (tenant_id, query_id, round, text, original_text, abstained, "references", removed_citations,
                         edits)
    SELECT 1, :id, 0, 'Access tokens are valid for 15 minutes [1].', 'Access tokens are valid for 15 minutes [1].',
           false, '[]', '[]', '[]'
    FROM generate_series(:first, :last) AS n
"""
_VERIFICATIONS = """
    INSERT INTO verifications (tenant_id, query_id, round, kind, verifier, answer, overall_score, confidence,
                               claims_checked, claims_supported, issues, verified_sources, unverified_claims, checks)
    SELECT 1, :id, 0, 'published', 'v1', 'Access tokens are valid for 15 minutes [1].', 0.9, 0.9, 1, 1, '[]', '[]',
           '[]', '{}'
    FROM generate_series(:first, :last) AS n
"""
_REPLIES = """
    INSERT INTO kept_replies (tenant_id, key, reply_text, model, created_at)
    SELECT 1, sha256(n::text::bytea), '{"score": 0.75}', 'openai/gpt-oss-20b',
           now() - interval '6 days' * (n % 100) / 100
    FROM generate_series(:first, :last) AS n
"""
_MESSAGES = """
    INSERT INTO webhook_messages (id, tenant_id, type, payload, query_id, created_at)
    SELECT 'msg_' || n, 1, 'query.succeeded', '{"type": "query.succeeded"}', :id, :at
    FROM generate_series(:first, :last) AS n WHERE n % 10 = 3
"""
_DELIVERIES = """
    INSERT INTO webhook_deliveries (id, tenant_id, message_id, url, destination, status, attempts, created_at,
                                    finished_at)
    SELECT md5('d' || n)::uuid, 1, 'msg_' || n, 'https://example.com/', 'https://example.com', 'delivered', 1, :at,
           now()
    FROM generate_series(:first, :last) AS n WHERE n % 10 = 3
"""
_ALL = (
    _QUERIES,
    _OUTCOMES,
    _EVENTS,
    _CALLS,
    _ANSWERS,
    _VERIFICATIONS,
    _REPLIES,
    _MESSAGES,
    _DELIVERIES,
)
_PER_ROUND = 100_000


def fill(database: psycopg.Connection[Any], have: int, want: int, usual: int, rare: int) -> None:
    """Add queries `have` + 1 to `want` of the first tenant, with a few rows in every table for each, and update the
    counts."""
    database.execute("SET statement_timeout = 0")
    database.execute("SET citewell.system = 'on'")
    for first in range(have + 1, want + 1, _PER_ROUND):
        values = {"first": first, "last": min(first + _PER_ROUND - 1, want), "usual": usual, "rare": rare}
        for statement in _ALL:
            database.execute(_bound(statement, values))
    database.execute("VACUUM ANALYZE")


def _bound(statement: str, values: dict[str, int]) -> bytes:
    statement = statement.replace(":id", _ID).replace(":at", _AT)
    for name, value in values.items():
        statement = statement.replace(f":{name}", str(value))
    return statement.encode()
