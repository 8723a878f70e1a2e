"""Cancels a query: it ends at once, and work on it stops within seconds."""

import uuid
from typing import Any

from db.models import QueryKind, QueryStatus
from db.queries.runs.queries import get_query
from db.session import transaction
from domain.errors import QueryFinished
from services.finishing.completion import finish
from services.queries.results import read_head


def cancel_query(query_id: uuid.UUID, kind: QueryKind = QueryKind.ANSWER) -> dict[str, Any]:
    """End the query as cancelled and return it without its answer; repeating it changes nothing.

    After the commit its messages are stale: workers drop them, and stop a running call when they renew their lease.
    Nothing of it is stored or sent. Raises QueryNotFound, VerificationNotFound, and QueryFinished when it has ended
    otherwise.
    """
    with transaction() as session:
        finish(session, query_id, QueryStatus.CANCELLED)
        # A query of another kind raises here, which rolls the end back.
        status = get_query(session, query_id, kind).status
        if status != QueryStatus.CANCELLED:
            raise QueryFinished(f"The query has ended already ({status}); there is nothing left to cancel.")
    return read_head(query_id)
