"""A thread that replaces the workers."""

import threading
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager

import httpx
from sqlalchemy.orm import Session

from db.models import DEFAULT_TENANT, Query
from db.queries.runs.queries import get_query
from db.session import acting_for, transaction
from workers.processes.notifying import notify_end

Work = Callable[[Session, Query], None]


def _unfinished(http: httpx.Client) -> list[str]:
    listed = http.get("/v1/queries").json()["queries"]
    return [query["id"] for query in listed if query["finished_at"] is None]


@contextmanager
def worker(http: httpx.Client, work: Work) -> Generator[None]:
    """Do `work` with the first query that is unfinished."""

    def run() -> None:
        deadline = time.monotonic() + 20
        while not (found := _unfinished(http)):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        query_id = uuid.UUID(found[0])
        with acting_for(DEFAULT_TENANT), transaction() as session:
            work(session, get_query(session, query_id))
        notify_end(query_id)

    thread = threading.Thread(target=run)
    thread.start()
    yield
    thread.join()
