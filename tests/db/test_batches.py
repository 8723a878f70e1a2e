"""Locks of a batch, on separate connections (N2)."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Event

import pytest

from config.settings import settings
from db.models import QueryStatus
from db.queries.runs.events import add_event
from db.queries.verifications.batches import lock_batch, unfinished_items
from db.session import reading, transaction
from services.external.acceptance import submit_batch
from services.external.request import NewSource, NewVerification
from services.finishing.completion import finish

pytestmark = pytest.mark.usefixtures("database")


def test_cancelling_waits_for_a_step_that_changes_its_item_twice() -> None:  # N2
    given = NewVerification("Returns take 30 days [1].", [NewSource("Returns take 30 days.")])
    batch_id = submit_batch([given], None, settings()).query_id
    with reading() as session:
        (item,) = unfinished_items(session, batch_id, 1)
    locked = Event()
    with ThreadPoolExecutor(1) as thread:
        with transaction() as session:
            add_event(session, "step", {}, query_id=item)
            ended = thread.submit(copy_context().run, end, batch_id, item, locked)
            assert locked.wait(60)
            add_event(session, "step", {}, query_id=item)
        assert ended.result(timeout=60)


def end(batch_id: uuid.UUID, item: uuid.UUID, locked: Event) -> bool:
    with transaction() as session:
        lock_batch(session, batch_id)
        locked.set()
        return finish(session, item, QueryStatus.CANCELLED)
