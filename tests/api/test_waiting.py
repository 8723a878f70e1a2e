"""Waiting costs no thread: many clients may wait while others are served."""

import asyncio
import uuid

import httpx

from db.models import QueryStatus
from db.queries.queries import mark_finished
from db.session import transaction
from tests.factories import make_query

WAITING = 80


def test_many_wait_at_once_and_others_are_served_meanwhile(http: httpx.Client) -> None:  # A1
    with transaction() as session:
        query_id = make_query(session).id
    asyncio.run(wait_together(str(http.base_url.join(f"/v1/queries/{query_id}")), query_id))


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


def finish(query_id: uuid.UUID) -> None:
    with transaction() as session:
        mark_finished(session, query_id, QueryStatus.CANCELLED)
