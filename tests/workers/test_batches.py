"""Items of a batch wait for their turn, and nothing lost keeps them waiting (N2, A5)."""

import uuid
from typing import Any

import pytest
from celery import Signature
from kombu.exceptions import OperationalError
from sqlalchemy import text

from config.settings import RecoverySettings, settings
from db.models import DEFAULT_TENANT, QueryStatus
from db.session import acting_for, transaction
from services.external.acceptance import submit_batch
from services.external.batches import cancel_batch, read_batch
from services.external.request import NewSource, NewVerification
from services.finishing.completion import finish
from workers.background.reconciler import reconcile
from workers.starting.launch import BATCH_IN_FLIGHT, NotPublished, launch_waiting

RECOVERY = RecoverySettings()


def batch_of(count: int) -> uuid.UUID:
    new = NewVerification("Returns take 30 days [1].", [NewSource("Returns take 30 days.")])
    batch_id = submit_batch([new] * count, None, settings()).query_id
    with transaction() as session:
        session.execute(text("UPDATE queries SET created_at = now() - interval '1 h'"))
    return batch_id


def end_one(batch_id: uuid.UUID, status: QueryStatus = QueryStatus.SUCCEEDED) -> None:
    with transaction() as session:
        query_id = session.scalar(
            text("SELECT id FROM queries WHERE batch_id = :b AND status = 'running' ORDER BY position LIMIT 1"),
            {"b": batch_id},
        )
        assert finish(session, query_id, status)


def counts(batch_id: uuid.UUID) -> tuple[int, int]:
    batch = read_batch(batch_id)
    return batch["queued"], batch["running"]


def test_few_items_run_at_a_time_and_the_reconciler_starts_no_more(broker: Any) -> None:  # N2
    batch_id = batch_of(BATCH_IN_FLIGHT + 3)
    assert read_batch(batch_id)["status"] == "queued"
    assert launch_waiting() == BATCH_IN_FLIGHT
    assert (launch_waiting(), reconcile(RECOVERY)) == (0, 0)
    assert counts(batch_id) == (3, BATCH_IN_FLIGHT)
    assert broker.llen("verification") == BATCH_IN_FLIGHT


def test_a_lost_hint_is_made_up_for(broker: Any) -> None:  # A5
    batch_id = batch_of(BATCH_IN_FLIGHT + 3)
    assert reconcile(RECOVERY) == BATCH_IN_FLIGHT
    end_one(batch_id)
    end_one(batch_id, QueryStatus.FAILED)
    assert reconcile(RECOVERY) == 2
    assert counts(batch_id) == (1, BATCH_IN_FLIGHT)
    assert broker.llen("verification") == BATCH_IN_FLIGHT + 2


def test_an_item_that_could_not_be_published_is_started_later(broker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    batch_id = batch_of(2)

    def refuse(*_: object, **__: object) -> None:
        raise OperationalError

    with monkeypatch.context() as away:
        away.setattr(Signature, "apply_async", refuse)
        with pytest.raises(NotPublished):
            launch_waiting()
    assert counts(batch_id) == (2, 0)
    assert reconcile(RECOVERY) == 2
    assert broker.llen("verification") == 2


def test_the_batch_ends_once_with_its_last_item(broker: Any) -> None:  # N2
    assert broker is not None
    batch_id = batch_of(2)
    launch_waiting()
    end_one(batch_id)
    assert read_batch(batch_id)["finished_at"] is None
    end_one(batch_id, QueryStatus.FAILED)
    batch = read_batch(batch_id)
    assert (batch["status"], batch["succeeded"], batch["failed"]) == ("finished", 1, 1)
    assert batch["finished_at"] is not None


@pytest.mark.slow
def test_the_first_items_of_a_cancelled_batch_end_at_once_and_the_others_by_the_reconciler(broker: Any) -> None:
    batch_id = batch_of(405)  # N2, A5: only the reconciler continues it
    assert launch_waiting() == BATCH_IN_FLIGHT
    assert len(cancel_batch(batch_id)) == 200
    assert counts(batch_id) == (205, 0)
    with acting_for(DEFAULT_TENANT + 1):
        assert [reconcile(RECOVERY), reconcile(RECOVERY)] == [0, 0]
    batch = read_batch(batch_id)
    assert (batch["status"], batch["cancelled"]) == ("cancelled", 405)
    assert batch["finished_at"] is not None
    assert reconcile(RECOVERY) == 0
    assert broker.llen("verification") == BATCH_IN_FLIGHT
