"""The reconciler starts abandoned documents and archives, and leaves waiting ones alone."""

import uuid
from typing import Any

import pytest
from sqlalchemy import text

from config.settings import RecoverySettings
from db.queries.access.workspaces import get_or_add_workspace
from db.queries.admission.documents import admit_documents
from db.queries.documents.imports import add_import, get_import
from db.queries.documents.ingestion import claim_document
from db.session import reading, system_transaction, transaction
from tests.factories import make_document
from tests.processes import living
from workers.background.reconciler import reconcile

pytestmark = pytest.mark.usefixtures("database")


def waiting(number: int, age_s: int) -> uuid.UUID:
    """A queued document of that age."""
    with transaction() as session:
        document = make_document(session, "words", number=number, filename=f"{number}.txt", status="queued")
        aged = text("UPDATE documents SET progress_at = now() - make_interval(secs => :age) WHERE id = :id")
        session.execute(aged, {"age": age_s, "id": document.id})
        return document.id


def lost() -> list[uuid.UUID]:
    """The documents that are published again; this records nothing."""
    with system_transaction() as session:
        found = [each for each, _ in admit_documents(session, older_than_s=10)]
        session.rollback()
    return found


def published(document_id: uuid.UUID) -> uuid.UUID:
    with transaction() as session:
        session.execute(text("UPDATE documents SET launched_at = progress_at WHERE id = :id"), {"id": document_id})
    return document_id


def test_a_queue_that_moves_is_not_taken_for_a_lost_one() -> None:  # A5
    young, old, ancient = published(waiting(0, 5)), published(waiting(1, 20)), published(waiting(2, 1000))
    with living("ingestion", concurrency=9):
        assert set(lost()) == {ancient, old}
        with transaction() as session:
            assert claim_document(session, young, lease_s=20)
        assert lost() == [ancient]


def test_a_document_of_a_dead_worker_is_started_again_while_others_are_read() -> None:  # A5
    busy, dead = waiting(0, 20), waiting(1, 20)
    with transaction() as session:
        assert claim_document(session, busy, lease_s=20)
        assert claim_document(session, dead, lease_s=-1)
        session.execute(text("UPDATE documents SET progress_at = now() - interval '20 s'"))
    assert lost() == [dead]


def test_what_waits_is_published_by_the_reconciler_too_and_only_once(broker: Any) -> None:  # A5
    waiting(0, 0)
    assert (reconcile(RecoverySettings()), reconcile(RecoverySettings())) == (1, 0)
    assert broker.llen("ingestion") == 1


def test_an_archive_that_nobody_unpacks_is_started_and_one_without_open_documents_is_finished(
    broker: Any,
) -> None:  # A5
    values: dict[str, Any] = {"filename": "a.zip", "sha256": "0", "size_bytes": 1, "source": "test", "details": {}}
    with transaction() as session:
        workspace = get_or_add_workspace(session, "w").id
        lost, done = (add_import(session, workspace, **values).id for _ in range(2))
        session.execute(text("UPDATE imports SET progress_at = now() - interval '1 min' WHERE id = :id"), {"id": lost})
        unpacked = text("UPDATE imports SET status = 'running', unpacked_at = now() WHERE id = :id")
        session.execute(unpacked, {"id": done})
    assert (reconcile(RecoverySettings()), broker.llen("ingestion")) == (1, 1)
    assert reconcile(RecoverySettings()) == 0
    with reading() as session:
        assert [get_import(session, each).status for each in (lost, done)] == ["queued", "finished"]
