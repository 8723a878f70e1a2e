"""Threads: what a person sees as one list, whether a question was asked alone or in a conversation."""

import unicodedata
import uuid
from typing import Any

from db.queries.paging import Place
from db.queries.runs import threads
from db.queries.runs.threads import ListedThread
from db.session import reading
from domain.query.conversation import title_of

Json = dict[str, Any]


def read_threads(search: str | None, *, after: Place | None, limit: int) -> list[Json]:
    wanted = unicodedata.normalize("NFC", search).strip() if search else None
    with reading() as session:
        listed = threads.list_threads(session, search=wanted or None, after=after, limit=limit)
    return [_thread_json(thread) for thread in listed]


def read_thread(id_: uuid.UUID) -> Json:
    """Raise ThreadNotFound."""
    with reading() as session:
        return _thread_json(threads.get_thread(session, id_))


def _thread_json(thread: ListedThread) -> Json:
    return {
        "id": str(thread.id),
        "conversation_id": str(thread.id) if thread.is_conversation else None,
        "title": thread.title or (title_of(thread.first_question) if thread.first_question else None),
        "branched_from": str(thread.branched_from) if thread.branched_from else None,
        "workspace": thread.workspace,
        "turns": thread.turns,
        "state": _state(thread),
        "last_asked_at": thread.last_asked_at.isoformat(),
    }


def _state(thread: ListedThread) -> str:
    match thread.status:
        case None:
            return "empty"
        case "queued" | "running":
            return "running"
        case "succeeded":
            return "not_answered" if thread.abstained else "answered"
        case status:
            return status
