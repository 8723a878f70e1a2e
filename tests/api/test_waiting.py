"""Waiting costs no thread: many clients may wait while others are served."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from api.answers import waiting
from db.models import QueryStatus
from db.queries.runs.queries import mark_finished
from db.session import transaction
from services.queries import results
from tests.factories import make_query

WAITING = 80


async def test_many_wait_at_once_and_others_are_served_meanwhile(http: httpx.Client) -> None:  # A1
    with transaction() as session:
        query_id = make_query(session).id
    await wait_together(str(http.base_url.join(f"/v1/queries/{query_id}")), query_id)


async def wait_together(address: str, query_id: uuid.UUID) -> None:
    async with httpx.AsyncClient(timeout=90, limits=httpx.Limits(max_connections=WAITING + 1)) as client:
        waiting = [asyncio.create_task(client.get(address, params={"wait": 60})) for _ in range(WAITING)]
        await asyncio.sleep(1)
        assert (await client.get(address)).json()["status"] == "queued"
        # With a thread for each, this one would have been served only after some of them had given up.
        assert not any(task.done() for task in waiting)
        finish(query_id)
        responses = await asyncio.wait_for(asyncio.gather(*waiting), timeout=40)
    assert {response.json()["status"] for response in responses} == {"cancelled"}


class Subscriptions:
    """The query ends while somebody waits for it; a notification says so or is lost."""

    def __init__(self, notified: bool) -> None:
        self._notified = notified

    @asynccontextmanager
    async def subscribed(self, query_id: uuid.UUID) -> AsyncGenerator["Subscriptions"]:
        self._query_id = query_id
        yield self

    async def woken(self, _: float) -> bool:
        await asyncio.to_thread(finish, self._query_id)
        return self._notified


@pytest.mark.parametrize(("notified", "wait"), [(True, 30.0), (False, 0.01)])
def test_each_wait_reads_the_status_once_and_the_result_once(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch, notified: bool, wait: float
) -> None:  # A2
    looks: list[str] = []

    def noting(look: str, read: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any) -> Any:
            looks.append(look)
            return read(*args)

        return noted

    monkeypatch.setattr(waiting, "subscriptions", lambda: Subscriptions(notified))
    monkeypatch.setattr(results, "read_status", noting("status", results.read_status))
    monkeypatch.setattr(results, "read_query", noting("all", results.read_query))
    with transaction() as session:
        query_id = make_query(session).id
    assert http.get(f"/v1/queries/{query_id}", params={"wait": wait}).json()["status"] == "cancelled"
    assert looks == ["status", "all"]


def finish(query_id: uuid.UUID) -> None:
    with transaction() as session:
        mark_finished(session, query_id, QueryStatus.CANCELLED)
