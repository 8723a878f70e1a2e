"""Functions for what a step begins with and what it leaves: each is one transaction in one round trip (db.round_trips).

They belong to the first revision. A function is never changed after a release, since programs of two releases call it
during a rolling upgrade: what replaces it gets the next number in its name, in a revision of its own, and the old one
goes when no supported program calls it any more.

All but the short `used_v1` are in PL/pgSQL: it keeps the plans of its statements for the life of a connection, as
functions in SQL do not before Postgres 18.
"""

# In one order, so that two that want the same rows do not wait for each other. A claim of another worker is taken over
# when its lease ran out, when it was handed back for now, or when the launch is newer.
_CLAIM = """
CREATE FUNCTION claim_steps_v1(
    p_query uuid, p_round int, p_steps text[], p_items text[], p_worker text, p_lease_s float8, p_launch int,
    p_tries int
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
    v_claimed json;
BEGIN
    WITH claimed AS (
        INSERT INTO step_outcomes (query_id, round, step, item, worker, lease_until, launch, tries)
        SELECT p_query, p_round, asked.step, asked.item, p_worker, now() + make_interval(secs => p_lease_s), p_launch, 1
        FROM unnest(p_steps, p_items) AS asked (step, item)
        ON CONFLICT (query_id, round, step, item) DO UPDATE
        SET attempt = step_outcomes.attempt + 1, tries = step_outcomes.tries + 1, worker = excluded.worker,
            lease_until = excluded.lease_until, launch = excluded.launch, started_at = now()
        WHERE step_outcomes.value IS NULL AND step_outcomes.parked_at IS NULL AND step_outcomes.tries < p_tries
            AND (step_outcomes.worker = '' AND step_outcomes.lease_until - make_interval(secs => p_lease_s) <= now()
                 OR step_outcomes.lease_until < now() OR step_outcomes.launch < p_launch)
        RETURNING step, item, attempt
    )
    SELECT coalesce(json_agg(json_build_array(step, item, attempt)), '[]') INTO v_claimed FROM claimed;
    RETURN v_claimed;
END
$$
"""

# True when the stage has just been entered; null, and nothing is noted, when the query has ended. Its row is locked
# from here on: what is numbered becomes visible in that order.
_NOTE = """
CREATE FUNCTION note_progress_v1(p_query uuid, p_stage text, p_types text[], p_data jsonb[])
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_entered boolean;
BEGIN
    WITH was AS (
        SELECT id, stage, event_seq FROM queries
        WHERE id = p_query AND status IN ('queued', 'running') FOR NO KEY UPDATE
    ), noted AS (
        UPDATE queries SET stage = coalesce(p_stage, was.stage), progress_at = now(),
            event_seq = was.event_seq + cardinality(p_types)
                + CAST(was.stage IS DISTINCT FROM coalesce(p_stage, was.stage) AS int)
        FROM was WHERE queries.id = was.id
        RETURNING was.event_seq AS before, was.stage IS DISTINCT FROM queries.stage AS entered
    ), told AS (
        INSERT INTO events (query_id, seq, type, data)
        SELECT p_query, noted.before + given.position, given.type, given.data
        FROM noted, unnest(p_types || 'stage'::text, p_data || jsonb_build_object('stage', p_stage))
            WITH ORDINALITY AS given (type, data, position)
        WHERE given.position <= cardinality(p_types) OR noted.entered
    )
    SELECT noted.entered INTO v_entered FROM noted;
    RETURN v_entered;
END
$$
"""

# By the database's clock: no worker's counts. An item of a batch has its time from its turn on.
_USED = """
CREATE FUNCTION used_v1(queries) RETURNS TABLE (used_s float8, spent_usd float8) LANGUAGE sql STABLE AS $$
    SELECT coalesce(extract(epoch FROM clock_timestamp()
                            - CASE WHEN $1.batch_id IS NULL THEN $1.created_at ELSE $1.started_at END), 0)::float8,
           CASE WHEN $1.options ->> 'max_cost_usd' IS NULL THEN 0
           ELSE (SELECT coalesce(sum(cost_usd), 0) FROM model_calls WHERE query_id = $1.id) END::float8
$$
"""

# `accepted_at`: among the calls that wait for the provider a person's take the turn of the oldest scripted query that
# runs of the same tenant, just before it and in their own order. Outcomes are read behind the claim: what could not be
# claimed because another worker finished it is seen.
_ENTER = """
CREATE FUNCTION enter_steps_v1(
    p_tenant bigint, p_query uuid, p_round int, p_steps text[], p_items text[], p_worker text, p_lease_s float8,
    p_launch int, p_tries int, p_stage text, p_note_every_s float8
) RETURNS TABLE (
    id uuid, workspace_id bigint, question text, mode text, provider text, kind text, options jsonb, batch_id uuid,
    traceparent text, accepted_at float8, used_s float8, spent_usd float8, claimed json, outcomes json, entered boolean
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    query queries;
    v_claimed json;
    v_entered boolean := false;
BEGIN
    PERFORM set_config('citewell.tenant', p_tenant::text, true);
    SELECT * INTO query FROM queries
    WHERE queries.id = p_query AND status IN ('queued', 'running') AND launch = p_launch;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    v_claimed := claim_steps_v1(p_query, p_round, p_steps, p_items, p_worker, p_lease_s, p_launch, p_tries);
    -- Of several messages that enter a stage at once one finds it unentered; the others need not wait for its row. One
    -- that comes late and claims nothing must not take the query back to a stage that is behind it.
    IF json_array_length(v_claimed) > 0 AND p_stage IS NOT NULL
        AND (query.stage IS DISTINCT FROM p_stage OR query.progress_at < now() - make_interval(secs => p_note_every_s))
    THEN
        v_entered := coalesce(note_progress_v1(p_query, p_stage, '{}', '{}'), false);
    END IF;
    RETURN QUERY SELECT
        query.id, query.workspace_id::bigint, query.question::text, query.mode::text, query.provider::text,
        query.kind::text, query.options, query.batch_id, query.traceparent::text,
        extract(epoch FROM CASE WHEN query.batch_id IS NOT NULL OR query.is_scripted THEN query.created_at
            ELSE least(query.created_at, (
                SELECT min(older.created_at) - interval '0.1 s' + least(
                    greatest(query.created_at - min(older.created_at), interval '0 s'), interval '1000 s') / 20000
                FROM queries AS older
                WHERE older.status = 'running' AND older.batch_id IS NULL AND older.is_scripted
                    AND older.tenant_id = query.tenant_id)) END)::float8,
        used.used_s, used.spent_usd, v_claimed,
        (SELECT json_agg(json_build_array(done.round, done.step, done.item, done.value)) FROM step_outcomes AS done
         WHERE done.query_id = p_query AND done.value IS NOT NULL),
        v_entered
    FROM used_v1(query) AS used;
END
$$
"""

_CALL_COLUMNS = """
    query_id uuid, round int, step text, item text, provider text, model text, prompt text, prompt_version text,
    attempt int, status int, error text, finish_reason text, request_id text, prompt_tokens int, cached_tokens int,
    completion_tokens int, reasoning_tokens int, estimated bool, cost_usd numeric, duration_ms float, reply_text text,
    kept bool, hedged bool, prompt_sha256 text, execution uuid
"""
_CALL_NAMES = ", ".join(column.split()[0] for column in _CALL_COLUMNS.split(","))

# Calls are stored whatever becomes of the outcomes, since they were paid for, and each is booked once. A process whose
# connection broke while this ran does not know whether it was committed, and books them again as it hands back its
# claims. Therefore the rows of the claims are locked before the calls are stored, even if another process holds them by
# now. The outcomes are stored all or none: none when the query has ended, or when another process took over one of the
# claims (the fence). All rows of steps come before the query's row, so that two never wait for each other crosswise.
# Adopted outcomes were produced elsewhere: a process that is busy with such an item loses its claim.
_LEAVE = f"""
CREATE FUNCTION leave_steps_v1(
    p_tenant bigint, p_query uuid, p_round int, p_steps text[], p_items text[], p_attempts int[], p_values jsonb[],
    p_also_steps text[], p_also_values jsonb[], p_calls json, p_settled uuid[],
    p_note boolean, p_types text[], p_data jsonb[],
    p_next_round int, p_next_steps text[], p_next_items text[], p_worker text, p_lease_s float8, p_launch int,
    p_tries int, p_stage text, p_passages bigint[],
    p_adopted_steps text[], p_adopted_items text[], p_adopted_values jsonb[]
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
    IF cardinality(p_adopted_steps) > 0 THEN
        INSERT INTO step_outcomes (query_id, round, step, item, worker, lease_until, value, finished_at)
        SELECT p_query, p_round, adopted.step, adopted.item, 'early', now(), adopted.value, now()
        FROM unnest(p_adopted_steps, p_adopted_items, p_adopted_values) AS adopted (step, item, value)
        ON CONFLICT (query_id, round, step, item) DO UPDATE
        SET value = excluded.value, finished_at = excluded.finished_at, attempt = step_outcomes.attempt + 1
        WHERE step_outcomes.value IS NULL;
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

# The first reply under a key stays until it is too old. Each call of `p_ended` is noted with its begun call, and with
# the `key` of its reply, which is not stored twice.
_KEEP_REPLIES = """
CREATE FUNCTION keep_replies_v1(
    p_tenant bigint, p_keys bytea[], p_texts text[], p_models text[], p_keep_s float8, p_ended json
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('citewell.tenant', p_tenant::text, true);
    INSERT INTO kept_replies (key, reply_text, model)
    SELECT given.key, given.reply_text, given.model
    FROM unnest(p_keys, p_texts, p_models) AS given (key, reply_text, model)
    ON CONFLICT (tenant_id, key) DO UPDATE
    SET reply_text = excluded.reply_text, model = excluded.model, created_at = now()
    WHERE kept_replies.created_at <= now() - make_interval(secs => p_keep_s);
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

# Keeps first what there is to be kept by then. Only a look-up that keeps nothing does not wait for the disk: calls that
# begin are written down for the death of a worker. When a reply was last used is known to the hour, so a row that
# another transaction is just writing is left out. `OFFSET 0` keeps the look-ups of each call from becoming a join with
# all that is kept, and with the items of all queries.
_FIND_REPLIES = """
CREATE FUNCTION find_replies_v1(
    p_tenant bigint, p_keys bytea[], p_keep_s float8, p_begun json,
    p_new_keys bytea[], p_new_texts text[], p_new_models text[], p_ended json
) RETURNS TABLE (key bytea, reply_text text, model text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_stale bytea[];
BEGIN
    PERFORM set_config('citewell.tenant', p_tenant::text, true);
    IF cardinality(p_new_keys) > 0 THEN
        PERFORM keep_replies_v1(p_tenant, p_new_keys, p_new_texts, p_new_models, p_keep_s, p_ended);
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
            WHERE there.key = decode(begun.key, 'hex') AND there.created_at > now() - make_interval(secs => p_keep_s)
            OFFSET 0)
        AND EXISTS (
            SELECT FROM step_outcomes AS held
            WHERE held.query_id = begun.query_id AND held.round = begun.round AND held.step = begun.step
                AND held.worker = begun.worker AND held.value IS NULL
            OFFSET 0);
    END IF;
END
$$
"""

FUNCTIONS = (_CLAIM, _NOTE, _USED, _ENTER, _LEAVE, _KEEP_REPLIES, _FIND_REPLIES)
