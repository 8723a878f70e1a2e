"""Process metrics: reported periodically by each process, added to totals when it ends, summed for readers."""

import json
import uuid
from collections.abc import Mapping
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

FOLDED_AFTER_S = 300.0
"""A process that is silent for this long counts as ended; if it comes back, it reports only what it has counted
since."""
GAUGES_FOR_S = 30.0
"""Gauges older than this are ignored."""

Counts = Mapping[str, Mapping[str, Mapping[str, float]]]
Gauges = Mapping[str, Mapping[str, float]]

_ADD = text("""
    INSERT INTO process_meters (id, counts, gauges)
    VALUES (:id, CAST(:counts AS jsonb), CAST(:gauges AS jsonb))
""")
# Unchanged counts are not rewritten: they may be large.
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
# All processes use the same order, so that two that end together do not deadlock.
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
    session.execute(_ADD, {"id": process_id, **_as_json(counts, gauges)})


def report_meter(session: Session, process_id: uuid.UUID, counts: Counts | None, gauges: Gauges) -> bool:
    """Update a process's counts (None: unchanged) and gauges; False when its row is gone because the process was
    considered dead."""
    return session.scalar(_TELL, {"id": process_id, **_as_json(counts, gauges)}) is not None


def fold_meter(session: Session, process_id: uuid.UUID) -> None:
    session.execute(_FOLD_ONE, {"id": process_id})


def fold_dead_meters(session: Session) -> None:
    session.execute(_FOLD_THE_DEAD, {"silent_s": FOLDED_AFTER_S})


def sum_meters(session: Session) -> dict[str, dict[str, dict[str, float]]]:
    """Return the totals of all processes, by family, labels (a JSON list) and place. The cost grows only with live
    processes."""
    sums: dict[str, dict[str, dict[str, float]]] = {}
    for family, labels, place, value in session.execute(_SUM):
        sums.setdefault(family, {}).setdefault(labels, {})[place] = value
    return sums


def sum_gauges(session: Session) -> dict[str, dict[str, float]]:
    sums: dict[str, dict[str, float]] = {}
    for gauge, labels, value in session.execute(_GAUGES, {"fresh_s": GAUGES_FOR_S}):
        sums.setdefault(gauge, {})[labels] = value
    return sums


def _as_json(counts: Counts | None, gauges: Gauges) -> dict[str, Any]:
    return {"counts": None if counts is None else json.dumps(counts), "gauges": json.dumps(gauges)}
