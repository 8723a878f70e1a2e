"""Claims and outcomes under natural keys."""

import uuid
from itertools import count
from typing import Any

import pytest
from sqlalchemy import text

from db.queries.runs import steps
from db.session import reading, transaction
from tests.factories import finish_items, make_query

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def query_id() -> uuid.UUID:
    with transaction() as session:
        return make_query(session).id


_launches = count(1)


def claim(query_id: uuid.UUID, items: list[str], worker: str = "w1", **over: Any) -> dict[str, int]:
    """Claim for a message of a newer launch each time, unless `launch` is given."""
    values: dict[str, Any] = {"worker": worker, "lease_s": 10.0, "launch": next(_launches), **over}
    with transaction() as session:
        return steps.claim_items(session, str(query_id), 0, "score", items, **values)


def finish(query_id: uuid.UUID, values: dict[str, dict[str, object]], attempts: dict[str, int]) -> bool:
    with transaction() as session:
        return finish_items(session, query_id, 0, "score", values, attempts)


def outcomes(query_id: uuid.UUID) -> dict[tuple[str, str], dict[str, object]]:
    with reading() as session:
        return steps.list_outcomes(session, query_id).get(0, {})


def test_a_finished_item_is_not_claimed_again(query_id: uuid.UUID) -> None:  # A5
    attempts = claim(query_id, ["1", "2"])
    assert finish(query_id, {"1": {"score": 0.5}}, attempts)
    assert claim(query_id, ["1", "2"]) == {"2": attempts["2"] + 1}


def test_a_claim_alone_is_no_outcome(query_id: uuid.UUID) -> None:
    claim(query_id, ["1"])
    assert outcomes(query_id) == {}


def test_a_late_writer_is_fenced_and_leaves_nothing(query_id: uuid.UUID) -> None:  # A5
    late = claim(query_id, ["1", "2"], worker="frozen")
    assert claim(query_id, ["2"], worker="successor") == {"2": late["2"] + 1}
    assert not finish(query_id, {"1": {"score": 0.1}, "2": {"score": 0.1}}, late)
    assert outcomes(query_id) == {}


def test_a_claim_that_a_crash_undid_does_not_pass_for_the_next_one(query_id: uuid.UUID) -> None:  # A5
    undone = claim(query_id, ["1"], worker="frozen")
    with transaction() as session:
        session.execute(text("DELETE FROM step_outcomes"))
    attempts = claim(query_id, ["1"], worker="successor")
    assert not any(map(steps.is_taken_over, [*undone.values(), *attempts.values()]))
    assert not finish(query_id, {"1": {"score": 0.1}}, undone)
    assert finish(query_id, {"1": {"score": 0.5}}, attempts)


def test_the_first_outcome_stays(query_id: uuid.UUID) -> None:
    attempts = claim(query_id, ["1"])
    assert finish(query_id, {"1": {"score": 0.5}}, attempts)
    assert not finish(query_id, {"1": {"score": 0.9}}, attempts)
    assert outcomes(query_id) == {("score", "1"): {"score": 0.5}}


def test_a_lease_is_renewed_only_by_its_holder(query_id: uuid.UUID) -> None:
    claim(query_id, ["1"], worker="w1", lease_s=1)
    with transaction() as session:
        held = [steps.HeldItem(str(query_id), 0, "score", "1")]
        assert steps.renew_leases(session, held, "w2", 1000) == set()
        untouched = session.scalar(text("SELECT lease_until < now() + interval '10 s' FROM step_outcomes"))
        assert steps.renew_leases(session, held, "w1", 1000) == set()
        renewed = session.scalar(text("SELECT lease_until > now() + interval '900 s' FROM step_outcomes"))
    assert (untouched, renewed) == (True, True)


def test_timings_cover_a_step_from_its_first_start_to_its_last_end(query_id: uuid.UUID) -> None:  # A4
    attempts = claim(query_id, ["1", "2"])
    assert finish(query_id, {"1": {}, "2": {}}, attempts)
    with transaction() as session:
        session.execute(text("UPDATE step_outcomes SET started_at = now(), finished_at = now() + interval '250 ms'"))
        late = "started_at = now() + interval '100 ms', finished_at = now() + interval '500 ms'"
        session.execute(text(f"UPDATE step_outcomes SET {late} WHERE item = '2'"))
        timings = steps.stage_timings(session, query_id)
    assert timings == {"score": 500.0}
