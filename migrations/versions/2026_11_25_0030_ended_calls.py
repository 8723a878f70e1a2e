"""a call that had ended when its process was killed has its row in the ledger

`begun_calls.ended` is what is known of a call at its end: written as its reply is kept, and booked when the process that
made it is found to be gone. A late process, which books its own calls, books none a second time: one execution of a step
makes a call for an item and a prompt once per attempt. Programs of before leave the column null.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

_CALL_COLUMNS = """
    query_id uuid, round int, step text, item text, provider text, model text, prompt text, prompt_version text,
    attempt int, status int, error text, finish_reason text, request_id text, prompt_tokens int, cached_tokens int,
    completion_tokens int, reasoning_tokens int, estimated bool, cost_usd numeric, duration_ms float, reply_text text,
    kept bool, hedged bool, prompt_sha256 text, execution uuid
"""
_CALL_NAMES = ", ".join(column.split()[0] for column in _CALL_COLUMNS.split(","))

# As `leave_steps_v2`, but looks for each call whether it is booked, not for its execution.
_LEAVE = f"""
CREATE FUNCTION leave_steps_v3(
    p_tenant bigint, p_query uuid, p_round int, p_steps text[], p_items text[], p_attempts int[], p_values jsonb[],
    p_also_steps text[], p_also_values jsonb[], p_calls json, p_settled uuid[],
    p_note boolean, p_types text[], p_data jsonb[],
    p_next_round int, p_next_steps text[], p_next_items text[], p_worker text, p_lease_s float8, p_launch int,
    p_tries int, p_stage text, p_passages bigint[]
) RETURNS TABLE (
    kept boolean, claimed json, used_s float8, spent_usd float8, entered boolean, passages json
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    query queries;
    v_held int;
    v_kept boolean;
    v_claimed json := '[]';
    v_stage text;
    v_entered boolean := false;
BEGIN
    PERFORM set_config('citewell.tenant', p_tenant::text, true);
    IF cardinality(p_settled) > 0 THEN
        DELETE FROM begun_calls WHERE query_id = p_query AND token = ANY(p_settled);
    END IF;
    SELECT count(*) FILTER (WHERE locked.attempt = locked.given AND locked.value IS NULL) INTO v_held
    FROM (
        SELECT stored.attempt, stored.value, given.attempt AS given
        FROM step_outcomes AS stored JOIN unnest(p_steps, p_items, p_attempts) AS given (step, item, attempt)
            USING (step, item)
        WHERE stored.query_id = p_query AND stored.round = p_round
        FOR UPDATE OF stored
    ) AS locked;
    IF p_calls IS NOT NULL THEN
        INSERT INTO model_calls ({_CALL_NAMES})
        SELECT {_CALL_NAMES}
        FROM ROWS FROM (json_to_recordset(p_calls) AS ({_CALL_COLUMNS})) WITH ORDINALITY AS calls ({_CALL_NAMES}, place)
        WHERE NOT EXISTS (
            SELECT FROM model_calls AS booked
            WHERE booked.query_id = p_query AND booked.execution = calls.execution
                AND (booked.item, booked.attempt, booked.hedged, booked.kept)
                    = (calls.item, calls.attempt, calls.hedged, calls.kept)
                AND booked.prompt_sha256 IS NOT DISTINCT FROM calls.prompt_sha256)
        ORDER BY place;
    END IF;

    SELECT * INTO query FROM queries WHERE id = p_query AND status IN ('queued', 'running');
    v_kept := FOUND AND v_held = cardinality(p_steps);
    IF NOT v_kept THEN
        RETURN QUERY SELECT false, v_claimed, 0::float8, 0::float8, false, NULL::json;
        RETURN;
    END IF;

    UPDATE step_outcomes AS stored SET value = given.value, finished_at = clock_timestamp()
    FROM unnest(p_steps, p_items, p_values) AS given (step, item, value)
    WHERE stored.query_id = p_query AND stored.round = p_round AND stored.step = given.step
        AND stored.item = given.item;
    IF cardinality(p_also_steps) > 0 THEN
        INSERT INTO step_outcomes (query_id, round, step, item, worker, lease_until, launch, value, finished_at)
        SELECT p_query, p_round, also.step, '', p_worker, now(), p_launch, also.value, clock_timestamp()
        FROM unnest(p_also_steps, p_also_values) AS also (step, value)
        ON CONFLICT (query_id, round, step, item) DO UPDATE
        SET value = excluded.value, finished_at = excluded.finished_at, attempt = step_outcomes.attempt + 1
        WHERE step_outcomes.value IS NULL;
    END IF;

    IF cardinality(p_next_steps) > 0 AND query.launch = p_launch THEN
        v_claimed := claim_steps_v1(
            p_query, p_next_round, p_next_steps, p_next_items, p_worker, p_lease_s, p_launch, p_tries);
    END IF;
    -- What was not claimed as a whole is entered by the process that does it.
    v_stage := CASE WHEN json_array_length(v_claimed) = cardinality(p_next_steps) THEN p_stage END;
    IF p_note OR v_stage IS NOT NULL THEN
        v_entered := note_progress_v1(p_query, v_stage, p_types, p_data);
        v_kept := v_entered IS NOT NULL;
    END IF;
    RETURN QUERY SELECT
        v_kept, v_claimed, used.used_s, used.spent_usd, coalesce(v_entered, false),
        CASE WHEN cardinality(p_passages) > 0 THEN (
            SELECT json_agg(json_build_object(
                'key', chunks.id, 'document_id', documents.id, 'number', documents.number,
                'filename', documents.filename, 'source', documents.source, 'metadata', documents.metadata,
                'chunk_id', chunks.chunk_id, 'chunk_index', chunks.chunk_index, 'page', chunks.page,
                'section', chunks.section, 'start_index', chunks.start_index, 'end_index', chunks.end_index,
                'text', chunks.text, 'context', chunks.context, 'sections', (
                    SELECT jsonb_agg(section ORDER BY place)
                    FROM jsonb_array_elements(documents.sections) WITH ORDINALITY AS listed (section, place)
                    WHERE (section ->> 1)::int <= chunks.end_index AND (section ->> 2)::int > chunks.start_index)))
            FROM chunks JOIN documents ON documents.id = chunks.document_id WHERE chunks.id = ANY(p_passages)) END
    FROM used_v1(query) AS used;
END
$$
"""  # noqa: S608 - only constants are put together

# As `keep_replies_v1`; each call of `p_ended` is noted with its begun call. `key` is that of its reply, which is not stored
# twice.
_KEEP_REPLIES = """
CREATE FUNCTION keep_replies_v2(
    p_tenant bigint, p_keys bytea[], p_texts text[], p_models text[], p_keep_s float8, p_ended json
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM keep_replies_v1(p_tenant, p_keys, p_texts, p_models, p_keep_s);
    IF p_ended IS NOT NULL THEN
        UPDATE begun_calls SET ended = given.call || jsonb_build_object('key', given.key)
        FROM json_to_recordset(p_ended)
            AS given (key text, query_id uuid, token uuid, item text, prompt_sha256 text, call jsonb)
        WHERE begun_calls.query_id = given.query_id AND begun_calls.token = given.token
            AND begun_calls.number = (
                SELECT min(begun.number) FROM begun_calls AS begun
                WHERE begun.query_id = given.query_id AND begun.token = given.token AND begun.ended IS NULL
                    AND begun.call ->> 'item' = given.item AND begun.call ->> 'prompt_sha256' = given.prompt_sha256);
    END IF;
END
$$
"""

# As `find_replies_v1`, with `keep_replies_v2`.
_FIND_REPLIES = """
CREATE FUNCTION find_replies_v2(
    p_tenant bigint, p_keys bytea[], p_keep_s float8, p_begun json,
    p_new_keys bytea[], p_new_texts text[], p_new_models text[], p_ended json
) RETURNS TABLE (key bytea, reply_text text, model text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_stale bytea[];
BEGIN
    PERFORM set_config('citewell.tenant', p_tenant::text, true);
    IF cardinality(p_new_keys) > 0 THEN
        PERFORM keep_replies_v2(p_tenant, p_new_keys, p_new_texts, p_new_models, p_keep_s, p_ended);
    ELSE
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    RETURN QUERY SELECT kept_replies.key, kept_replies.reply_text::text, kept_replies.model::text FROM kept_replies
    WHERE kept_replies.key = ANY(p_keys) AND created_at > now() - make_interval(secs => p_keep_s);
    IF FOUND THEN
        v_stale := ARRAY(
            SELECT kept_replies.key FROM kept_replies
            WHERE kept_replies.key = ANY(p_keys) AND used_at < now() - interval '1 hour' FOR UPDATE SKIP LOCKED);
        IF cardinality(v_stale) > 0 THEN
            UPDATE kept_replies SET used_at = now() WHERE kept_replies.key = ANY(v_stale);
        END IF;
    END IF;
    IF p_begun IS NOT NULL THEN
        INSERT INTO begun_calls (query_id, token, worker, round, step, call)
        SELECT begun.query_id, begun.token, begun.worker, begun.round, begun.step, begun.call
        FROM json_to_recordset(p_begun)
            AS begun (key text, query_id uuid, token uuid, worker text, round int, step text, call jsonb)
        WHERE NOT EXISTS (
            SELECT FROM kept_replies AS there
            WHERE there.key = decode(begun.key, 'hex') AND there.created_at > now() - make_interval(secs => p_keep_s))
        AND EXISTS (
            SELECT FROM step_outcomes AS held
            WHERE held.query_id = begun.query_id AND held.round = begun.round AND held.step = begun.step
                AND held.worker = begun.worker AND held.value IS NULL);
    END IF;
END
$$
"""


def upgrade() -> None:
    op.add_column("begun_calls", sa.Column("ended", postgresql.JSONB(), nullable=True))
    for function in (_LEAVE, _KEEP_REPLIES, _FIND_REPLIES):
        op.execute(function)


def downgrade() -> None:
    for function in ("find_replies_v2", "keep_replies_v2", "leave_steps_v3"):
        op.execute(f"DROP FUNCTION {function}")
    op.drop_column("begun_calls", "ended")
