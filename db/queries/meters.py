"""What processes have counted: told by each of them again and again, kept when they end, added up for whoever asks."""

import json
import uuid
from collections.abc import Mapping
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

FOLDED_AFTER_S = 300.0
"""A process that was silent for so long has ended; one that comes back tells what it has counted since."""
GAUGES_FOR_S = 30.0
"""What goes up and down is believed for so long."""

Counts = Mapping[str, Mapping[str, Mapping[str, float]]]
Gauges = Mapping[str, Mapping[str, float]]

_ADD = text("""
    INSERT INTO process_meters (id, counts, gauges)
    VALUES (:id, CAST(:counts AS jsonb), CAST(:gauges AS jsonb))
""")
# What has not changed is not written again: it may be large.
_TELL = text("""
    UPDATE process_meters SET counts = coalesce(CAST(:counts AS jsonb), counts), gauges = CAST(:gauges AS jsonb),
        seen_at = clock_timestamp()
    WHERE id = :id RETURNING id
""")
_FLAT = """
    SELECT family.key AS family, series.key AS labels, place.key AS place, place.value::float8 AS value
    FROM {rows}, jsonb_each(counts) AS family, jsonb_each(family.value) AS series,
        jsonb_each_text(series.value) AS place
"""
# In one order, so that two that end together do not wait for each other.
_FOLD = """
    WITH gone AS (DELETE FROM process_meters WHERE {which} RETURNING counts), flat AS ({flat})
    INSERT INTO meter_totals (family, labels, place, value)
    SELECT family, labels, place, sum(value) FROM flat GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (family, labels, place) DO UPDATE SET value = meter_totals.value + excluded.value
"""
_FOLD_ONE = text(_FOLD.format(which="id = :id", flat=_FLAT.format(rows="gone")))
_FOLD_THE_DEAD = text(
    _FOLD.format(which="seen_at < clock_timestamp() - make_interval(secs => :silent_s)", flat=_FLAT.format(rows="gone"))
)
_SUM = text(f"""
    SELECT family, labels, place, sum(value) FROM (
        SELECT family, labels, place, value FROM meter_totals UNION ALL {_FLAT.format(rows="process_meters")}
    ) AS everything GROUP BY 1, 2, 3
""")  # noqa: S608 - only constants are put together
_GAUGES = text("""
    SELECT gauge.key, series.key, sum(series.value::float8)
    FROM process_meters, jsonb_each(gauges) AS gauge, jsonb_each_text(gauge.value) AS series
    WHERE seen_at > clock_timestamp() - make_interval(secs => :fresh_s)
    GROUP BY 1, 2
""")


def add_meter(session: Session, process_id: uuid.UUID, counts: Counts, gauges: Gauges) -> None:
    """The first that a process tells."""
    session.execute(_ADD, {"id": process_id, **_as_json(counts, gauges)})


def tell_meter(session: Session, process_id: uuid.UUID, counts: Counts | None, gauges: Gauges) -> bool:
    """What it has counted by now, None if no more than before; False when its row is gone: it was taken for dead."""
    return session.scalar(_TELL, {"id": process_id, **_as_json(counts, gauges)}) is not None


def fold_meter(session: Session, process_id: uuid.UUID) -> None:
    """The process ends: what it told goes into the totals."""
    session.execute(_FOLD_ONE, {"id": process_id})


def fold_the_dead(session: Session) -> None:
    """The same for processes that have been silent for long."""
    session.execute(_FOLD_THE_DEAD, {"silent_s": FOLDED_AFTER_S})


def sum_meters(session: Session) -> dict[str, dict[str, dict[str, float]]]:
    """All that was ever counted: by family, labels as a JSON list, place. Its cost grows with the living processes."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for family, labels, place, value in session.execute(_SUM):
        found.setdefault(family, {}).setdefault(labels, {})[place] = value
    return found


def sum_gauges(session: Session) -> dict[str, dict[str, float]]:
    """What goes up and down, of the processes that live."""
    found: dict[str, dict[str, float]] = {}
    for gauge, labels, value in session.execute(_GAUGES, {"fresh_s": GAUGES_FOR_S}):
        found.setdefault(gauge, {})[labels] = value
    return found


def _as_json(counts: Counts | None, gauges: Gauges) -> dict[str, Any]:
    return {"counts": None if counts is None else json.dumps(counts), "gauges": json.dumps(gauges)}
