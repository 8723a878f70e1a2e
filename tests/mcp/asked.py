"""Questions asked by a tool call, read from the database."""

import uuid
from typing import Any

import anyio
from mcp import Client
from sqlalchemy import select

from db.models import Query, QueryStatus
from db.session import reading

WORK: list[tuple[str, dict[str, Any]]] = [
    ("ask", {"question": "How long?", "workspace": "w"}),
    ("verify", {"answer": "It is so.", "sources": [{"text": "So it is."}]}),
    ("verify", {"answer": "It is so.", "sources": ["So it is."]}),
]


async def accepted(after: uuid.UUID | None = None) -> uuid.UUID:
    """The latest accepted question or verification other than `after`, as soon as there is one."""
    with anyio.fail_after(60):
        while True:
            with reading() as session:
                found = session.scalar(select(Query.id).order_by(Query.created_at.desc()))
                if found not in (None, after):
                    return found
            await anyio.sleep(0.02)


def status_of(query_id: uuid.UUID) -> str:
    with reading() as session:
        return session.get_one(Query, query_id).status


async def status_after_leaving(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    """Begin a call, cancel it, and return the state of its work after at most thirty seconds."""
    with reading() as session:
        earlier = session.scalar(select(Query.id).order_by(Query.created_at.desc()))
    query_id = uuid.UUID(int=0)
    async with anyio.create_task_group() as calls:
        calls.start_soon(client.call_tool, tool, arguments)
        query_id = await accepted(earlier)
        await anyio.sleep(0.1)
        calls.cancel_scope.cancel()
    with anyio.move_on_after(30):
        while status_of(query_id) != QueryStatus.CANCELLED:
            await anyio.sleep(0.02)
    return status_of(query_id)
