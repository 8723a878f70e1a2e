"""A query's audit (N6): the contents of its chain, read in one statement, and the stored chain."""

import uuid
from typing import Any, NamedTuple

from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from db.models import AuditChain, ModelCall, Query
from db.round_trips import text_array
from domain.audit.chain import FORMAT, Chain

ERASED_AT_A_TIME = 200
_BYTES = 32


def _sha256(expression: str) -> str:
    return f"encode(sha256(convert_to({expression}, 'UTF8')), 'hex')"


def _utc(expression: str) -> str:
    return f"""to_char({expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""


# Columns are listed by name, because a column that a later migration adds must not change what was hashed.
_SCORES = """
    answer, overall_score, answer_source_alignment, citation_coverage, fact_verification_score, confidence,
    confidence_level, draft_confidence, calibrated_confidence, calibration, is_grounded, claims_checked,
    claims_supported, accuracy_rate, issues, verified_sources, unverified_claims, suggested_corrections, attempts,
    additional_context_used, checks
"""
_CHECK = """
    item, statement, citation_number, chunk_id, source_file, source_page, is_accurate, relation, confidence,
    explanation, evidence, decided_by, status
"""
_CITATION = """
    document_name, doc_id, chunk_index, start_index, source, page_number, section, text_span, source_start, source_end,
    claim_text, answer_start, answer_end, citation_type, confidence_score, explanation
"""

# Contents stay in the database; only their hashes leave it. JSON is hashed as the text that Postgres renders, which is
# always the same for the same value. The parts are ordered, and the records of each part by their identifying columns.
_CONTENTS = text(f"""
    WITH
    query AS MATERIALIZED (SELECT * FROM queries WHERE id = :q),
    done AS MATERIALIZED (SELECT round, step, item, value FROM step_outcomes WHERE query_id = :q AND value IS NOT NULL),
    found AS MATERIALIZED (
        SELECT jsonb_path_query(value, '$.candidates[*][0]') AS key FROM done WHERE step = 'retrieve'
        UNION SELECT jsonb_path_query(value, '$.ranked[*]') FROM done WHERE step = 'select'
        UNION SELECT jsonb_path_query(value, '$.found.*[*]') FROM done WHERE step = 'search_evidence'
    ),
    judged AS MATERIALIZED (SELECT * FROM verifications WHERE query_id = :q),
    written AS MATERIALIZED (SELECT * FROM answers WHERE query_id = :q),
    contents (part, place, kind, record) AS (
        SELECT 1, ARRAY[0], 'request', jsonb_build_object(
            'query', id, 'of', kind, 'mode', mode, 'provider', provider, 'question_sha256', {_sha256("question")},
            'options_sha256', {_sha256("options::text")}, 'accepted_at', {_utc("created_at")}, 'reverifies', reverifies,
            'asked_by', asked_by)
        FROM query
        UNION ALL
        SELECT 2, ARRAY[chunks.id], 'source', jsonb_build_object(
            'chunk_id', chunks.chunk_id, 'document_id', document_id, 'version', documents.version,
            'start', start_index, 'end', end_index, 'sha256', {_sha256("chunks.text")})
        FROM chunks JOIN documents ON documents.id = document_id
        WHERE (SELECT kind FROM query) = 'answer' AND chunks.id = ANY (ARRAY(SELECT key::text::bigint FROM found))
        UNION ALL
        SELECT 2, ARRAY[number], 'source', jsonb_build_object(
            'chunk_id', 'source_' || number, 'document_id', document_id, 'start', 0, 'end', length(text),
            'sha256', {_sha256("text")})
        FROM given_sources WHERE query_id = :q
        UNION ALL
        SELECT 4, ARRAY[id], 'call', jsonb_build_object(
            'call', id, 'round', round, 'step', step, 'item', item, 'attempt', attempt, 'provider', provider,
            'model', model, 'prompt', prompt, 'prompt_version', prompt_version, 'prompt_sha256', prompt_sha256,
            'status', status, 'error_sha256', {_sha256("error")}, 'finish_reason', finish_reason,
            'prompt_tokens', prompt_tokens, 'completion_tokens', completion_tokens, 'cost_usd', cost_usd::text,
            'kept', kept, 'hedged', hedged, 'reply_sha256', {_sha256("reply_text")})
        FROM model_calls WHERE query_id = :q
        UNION ALL
        SELECT 5, ARRAY[row_number() OVER (ORDER BY round, step COLLATE "C", item COLLATE "C")], 'outcome',
            jsonb_build_object('round', round, 'step', step, 'item', item, 'sha256', {_sha256("value::text")})
        FROM done
        UNION ALL
        SELECT 6, ARRAY[round], 'answer', jsonb_build_object(
            'round', round, 'model', model, 'abstained', abstained, 'sha256', {_sha256("text")},
            'original_sha256', {_sha256("original_text")}, 'reason_sha256', {_sha256("abstain_reason")},
            'references_sha256', {_sha256('jsonb_build_array("references", removed_citations)::text')})
        FROM written
        UNION ALL
        SELECT 7, ARRAY[round, place], 'edit', jsonb_build_object(
            'round', round, 'index', place - 1, 'edit', edit ->> 'kind', 'sha256', {_sha256("edit::text")})
        FROM written, jsonb_array_elements(edits) WITH ORDINALITY AS each (edit, place)
        UNION ALL
        SELECT 8, ARRAY[round, position], 'citation', jsonb_build_object(
            'round', round, 'position', position, 'number', number, 'chunk_id', chunk_id, 'document_id', document_id,
            'status', citations.status,
            'sha256', {_sha256("(SELECT to_jsonb(kept) FROM (SELECT " + _CITATION + ") AS kept)::text")})
        FROM citations JOIN written ON written.id = answer_id
        UNION ALL
        SELECT 9, ARRAY[id], 'verification', jsonb_build_object(
            'verification', id, 'round', round, 'of', kind, 'verifier', verifier,
            'scores_sha256', {_sha256("(SELECT to_jsonb(kept) FROM (SELECT " + _SCORES + ") AS kept)::text")},
            'claims_sha256', {
    _sha256('''coalesce((
                SELECT jsonb_agg(jsonb_build_array(claim, status, evidence, source, reasoning) ORDER BY position)
                FROM verification_claims WHERE verification_id = judged.id)::text, '')''')
},
            'checks_sha256', {
    _sha256(f'''coalesce((
                SELECT jsonb_agg((SELECT to_jsonb(kept) FROM (SELECT {_CHECK}) AS kept) ORDER BY item COLLATE "C")
                FROM citation_checks WHERE verification_id = judged.id)::text, '')''')
})
        FROM judged
        UNION ALL
        SELECT 10, ARRAY[verification_id, position], 'verdict', jsonb_build_object(
            'verification', verification_id, 'position', position, 'status', status,
            'sha256', {_sha256('jsonb_build_array(start, "end", text, reason, support, evidence, source)::text')})
        FROM verification_sentences WHERE verification_id IN (SELECT id FROM judged)
        UNION ALL
        SELECT 11, ARRAY[0], 'result', jsonb_build_object(
            'status', status, 'round', round, 'error_sha256', {_sha256("error::text")},
            'finished_at', {_utc("finished_at")})
        FROM query
    )
    SELECT part, kind, jsonb_strip_nulls(record) AS record FROM contents ORDER BY part, place
""")  # noqa: S608 - only constants are put together
PROMPTS_PART = 3
"""The position of the prompts among the parts; the database does not store them."""


def list_contents(session: Session, query_id: uuid.UUID) -> list[tuple[int, dict[str, Any]]]:
    """Return (part, record) of everything that proves the query's result as stored now, in order, except the
    prompts."""
    rows = session.execute(_CONTENTS, {"q": query_id})
    return [(row.part, {"kind": row.kind, **row.record}) for row in rows]


def add_chain(session: Session, query_id: uuid.UUID, made: Chain) -> None:
    hashes = bytes.fromhex("".join(made.hashes))
    session.execute(
        _ADD,
        {
            "q": query_id,
            "format": FORMAT,
            "head": made.head,
            "length": len(made.records),
            "records": text_array(made.records),
            "hashes": hashes,
        },
    )


_ADD = text("""
    INSERT INTO audit_chains (query_id, format, head, length, records, hashes)
    VALUES (:q, :format, :head, :length, CAST(:records AS text[]), :hashes)
""")


class StoredChain(NamedTuple):
    """A stored chain, with the head published when the query ended."""

    chain: Chain
    head: str
    format: int


def find_chain(session: Session, query_id: uuid.UUID) -> StoredChain | None:
    chain = session.get(AuditChain, query_id)
    if chain is None:
        return None
    whole = chain.hashes.hex()
    hashes = [whole[start : start + 2 * _BYTES] for start in range(0, len(whole), 2 * _BYTES)]
    return StoredChain(Chain(chain.records, hashes), chain.head, chain.format)


def find_head(session: Session, query_id: uuid.UUID) -> dict[str, Any] | None:
    row = session.execute(
        select(AuditChain.head, AuditChain.length).where(AuditChain.query_id == query_id)
    ).one_or_none()
    return {"head": row.head, "records": row.length} if row else None


def erase_old_replies(session: Session, older_than_s: float) -> int:
    before = func.now() - func.make_interval(0, 0, 0, 0, 0, 0, older_than_s)
    ended = (
        select(Query.id)
        .where(Query.finished_at < before, Query.replies_erased_at.is_(None))
        .order_by(Query.finished_at)
        .limit(ERASED_AT_A_TIME)
    )
    erased = list(session.scalars(ended.with_for_update(skip_locked=True, key_share=True)))
    session.execute(update(ModelCall).where(ModelCall.query_id.in_(erased)).values(reply_text=None))
    session.execute(update(Query).where(Query.id.in_(erased)).values(replies_erased_at=func.now()))
    return len(erased)
