"""each model call is booked once, also when a process cannot know whether it was stored

`model_calls.execution` is the execution of a step that made the calls; those of one are stored together. Programs of
before leave it null and go on with `leave_steps_v1`.
"""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_CALL_COLUMNS = """
    query_id uuid, round int, step text, item text, provider text, model text, prompt text, prompt_version text,
    attempt int, status int, error text, finish_reason text, request_id text, prompt_tokens int, cached_tokens int,
    completion_tokens int, reasoning_tokens int, estimated bool, cost_usd numeric, duration_ms float, reply_text text,
    kept bool, hedged bool, prompt_sha256 text, execution uuid
"""
_CALL_NAMES = ", ".join(column.split()[0] for column in _CALL_COLUMNS.split(","))

# As `leave_steps_v1`, but calls are booked once per execution of a step. A process whose connection broke while this ran
# does not know whether it was committed, and books them again behind handing back its claims: therefore the rows of the
# claims are locked before the calls are stored, even if another process holds them by now.
# Calls are stored whatever becomes of the outcomes: they were paid for. The outcomes are stored all or none: none when
# the query has ended, or another process took over one of the claims (the fence). All rows of steps come before the query's
# row, so that two never wait for each other crosswise.
_LEAVE = f"""
CREATE FUNCTION leave_steps_v2(
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
            SELECT FROM model_calls AS booked WHERE booked.query_id = p_query AND booked.execution = calls.execution)
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


def upgrade() -> None:
    op.execute("ALTER TABLE model_calls ADD COLUMN execution uuid")
    op.execute(_LEAVE)


def downgrade() -> None:
    op.execute("DROP FUNCTION leave_steps_v2")
    op.execute("ALTER TABLE model_calls DROP COLUMN execution")
