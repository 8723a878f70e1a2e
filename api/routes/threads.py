"""Threads: conversations and single questions as one list."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.http.paging import After, next_cursor
from api.schemas.questions.conversations import ThreadList, ThreadRead
from api.schemas.texts import PlainText
from services.queries import overview

router = APIRouter(prefix="/v1/threads", tags=["conversations"])


@router.get("", response_model=ThreadList)
def list_threads(
    after: After,
    search: Annotated[
        PlainText | None,
        Query(
            max_length=200,
            description="Only threads with each of these words in their title, questions or answers, ignoring case.",
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> object:
    """Conversations, and questions outside conversations, ordered by their last question, newest first; `next_cursor`
    leads to the next page."""
    listed = overview.read_threads(search, after=after, limit=limit)
    return {"threads": listed, "next_cursor": next_cursor(listed, limit, by="last_asked_at")}


@router.get("/{thread_id}", response_model=ThreadRead)
def get_thread(thread_id: UUID) -> object:
    """The thread of a conversation or of a question, by either's id."""
    return overview.read_thread(thread_id)
