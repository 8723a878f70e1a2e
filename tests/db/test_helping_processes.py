"""Which processes help others: those that live and serve only some of their queues."""

import pytest
from sqlalchemy import text

from db.queries.admission import processes
from db.session import system_transaction
from tests.processes import living

ALL = ["retrieval", "verification"]


def helped() -> list[str]:
    with system_transaction() as session:
        return sorted(queue.name for queue in processes.list_served_queues(session, ALL) if queue.helpers)


@pytest.mark.usefixtures("database")
def test_a_process_that_serves_some_of_the_queues_helps_with_them_while_it_lives() -> None:  # A1
    with living(*ALL, room=3), living(*ALL, "graph", room=3):
        assert helped() == []
        with living("verification"):
            assert helped() == ["verification"]
            with system_transaction() as session:
                session.execute(text("UPDATE worker_processes SET seen_at = now() - interval '20 s'"))
            assert helped() == []


@pytest.mark.usefixtures("database")
def test_all_live_processes_of_a_queue_are_counted() -> None:  # A1
    with living(*ALL), living(*ALL), living("reranking"), living("verification", "reranking"):
        with system_transaction() as session:
            served = {queue.name: queue[1:] for queue in processes.list_served_queues(session, ALL)}
        assert served == {"retrieval": (2, 0), "verification": (3, 1), "reranking": (2, 2)}
