"""outcomes that a step takes over are stored in the same call

`leave_steps_v4` is `leave_steps_v3`, and stores outcomes that were produced elsewhere (`p_adopted_*`), for which a
transaction of several statements was needed.
"""

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_LEAVE = """
CREATE FUNCTION leave_steps_v4(
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
    v_left record;
BEGIN
    SELECT * INTO v_left FROM leave_steps_v3(
        p_tenant, p_query, p_round, p_steps, p_items, p_attempts, p_values, p_also_steps, p_also_values, p_calls,
        p_settled, p_note, p_types, p_data, p_next_round, p_next_steps, p_next_items, p_worker, p_lease_s, p_launch,
        p_tries, p_stage, p_passages);
    IF v_left.kept AND cardinality(p_adopted_steps) > 0 THEN
        INSERT INTO step_outcomes (query_id, round, step, item, worker, lease_until, value, finished_at)
        SELECT p_query, p_round, adopted.step, adopted.item, 'early', now(), adopted.value, now()
        FROM unnest(p_adopted_steps, p_adopted_items, p_adopted_values) AS adopted (step, item, value)
        ON CONFLICT (query_id, round, step, item) DO UPDATE
        SET value = excluded.value, finished_at = excluded.finished_at, attempt = step_outcomes.attempt + 1
        WHERE step_outcomes.value IS NULL;
    END IF;
    RETURN QUERY SELECT v_left.kept, v_left.claimed, v_left.used_s, v_left.spent_usd, v_left.entered, v_left.passages;
END
$$
"""


def upgrade() -> None:
    op.execute(_LEAVE)


def downgrade() -> None:
    op.execute("DROP FUNCTION leave_steps_v4")
