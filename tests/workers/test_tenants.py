"""A message that names the wrong tenant finds nothing and changes nothing (A8)."""

import uuid

import pytest

from db.models import DEFAULT_TENANT, Document, Query
from db.queries.access.keys import get_or_add_tenant
from db.queries.runs import queries
from db.session import reading, system_transaction, transaction
from tests.factories import make_document, make_query
from workers.tasks.ingestion import ingest_document
from workers.tasks.questions import retrieve_task

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def stranger() -> int:
    with system_transaction() as session:
        return get_or_add_tenant(session, "stranger", "whsec_")


@pytest.fixture
def query_id() -> uuid.UUID:
    with transaction() as session:
        created = make_query(session).id
    with transaction() as session:
        assert queries.mark_launched(session, created, 0) == 1
    return created


def test_a_query_is_not_touched(query_id: uuid.UUID, stranger: int) -> None:  # A8
    def status_after(tenant: int) -> str:
        retrieve_task.apply(args=(str(query_id), 1, 0, tenant), throw=True)
        with reading() as session:
            query = session.get_one(Query, query_id)
            return f"{query.status} {query.stage}"

    before = status_after(stranger)
    assert before.startswith("running")
    assert status_after(DEFAULT_TENANT) != before


def test_a_document_is_not_read(stranger: int) -> None:  # A8
    with transaction() as session:
        document_id = make_document(session, "text", status="queued").id
    ingest_document.apply(args=(str(document_id), stranger), throw=True)
    with reading() as session:
        document = session.get_one(Document, document_id)
        assert (document.status, document.attempt) == ("queued", 0)
