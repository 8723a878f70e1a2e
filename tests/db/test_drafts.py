"""Drafts are kept for a while after the end of their query; its other events are kept for ever."""

import uuid

import pytest
from sqlalchemy import text

from db.models import QueryStatus
from db.queries.runs import events, queries
from db.session import reading, transaction
from tests.factories import make_query

pytestmark = pytest.mark.usefixtures("database")


def query_with_a_draft(*, ended_s: float | None, written_s: float) -> uuid.UUID:
    with transaction() as session:
        query_id = make_query(session).id
        events.add_events(session, query_id, [("stage", {"stage": "generating"}), (events.DRAFT, {"text": "So"})])
        if ended_s is not None:
            queries.mark_finished(session, query_id, QueryStatus.SUCCEEDED)
            session.execute(text("UPDATE queries SET finished_at = now() - make_interval(secs => :ago)"
                                 " WHERE id = :id"), {"ago": ended_s, "id": query_id})  # fmt: skip
        session.execute(text("UPDATE events SET created_at = now() - make_interval(secs => :ago)"
                             " WHERE query_id = :id"), {"ago": written_s, "id": query_id})  # fmt: skip
    return query_id


@pytest.mark.parametrize(
    ("ended_s", "written_s", "left"),
    [
        (7200, 7260, ["stage"]),
        (400_000, 400_010, ["stage"]),
        (60, 7200, ["stage", "draft"]),
        (None, 7200, ["stage", "draft"]),
    ],
    ids=["ended long ago", "ended days ago", "ended just now", "still running"],
)
def test_a_draft_goes_an_hour_after_the_end(ended_s: float | None, written_s: float, left: list[str]) -> None:  # A3
    query_id = query_with_a_draft(ended_s=ended_s, written_s=written_s)
    with transaction() as session:
        events.drop_old_drafts(session, 3600)
    with reading() as session:
        assert [event.type for event in events.list_events(session, query_id)] == left
