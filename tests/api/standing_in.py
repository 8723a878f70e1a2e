"""A thread that replaces the workers."""

import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager

import httpx
from sqlalchemy.orm import Session

from clients.notifications import notify_end
from db.models import DEFAULT_TENANT, Query
from db.queries.runs.queries import get_query
from db.session import acting_for, transaction
from tests.waiting import meanwhile, until

Work = Callable[[Session, Query], None]


def _unfinished(http: httpx.Client) -> list[str]:
    listed = http.get("/v1/queries").json()["queries"]
    return [query["id"] for query in listed if query["finished_at"] is None]


@contextmanager
def worker(http: httpx.Client, work: Work) -> Generator[None]:
    """Do `work` with the first query that is unfinished."""

    def run() -> None:
        until(lambda: _unfinished(http))
        query_id = uuid.UUID(_unfinished(http)[0])
        with acting_for(DEFAULT_TENANT), transaction() as session:
            work(session, get_query(session, query_id))
        notify_end(query_id)

    with meanwhile(run):
        yield
