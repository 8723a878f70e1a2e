"""Threads: conversations, and questions outside conversations, as one list."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Uuid, bindparam, text
from sqlalchemy.orm import Session

from db.queries.paging import Place
from domain.errors.missing import ThreadNotFound


class ListedThread(NamedTuple):
    """A thread; `id` is that of the conversation or of the question. `first_question` of a branch is its own first
    question, if it has one. This field, `status` and `abstained` (of the last turn that is not set aside) are None for
    a conversation without turns."""

    id: uuid.UUID
    is_conversation: bool
    title: str | None
    workspace: str
    turns: int
    last_asked_at: datetime
    first_question: str | None
    status: str | None
    abstained: bool | None
    branched_from: uuid.UUID | None


def list_threads(session: Session, *, search: str | None, after: Place | None, limit: int) -> Sequence[ListedThread]:
    """Return threads ordered by their last question, newest first; each word of `search` is a part of the title, of a
    question or of its published answer."""
    at, id_ = after or (_LATEST, uuid.UUID(int=2**128 - 1))
    words = search.split() if search else None
    rows = session.execute(_NEWEST, {"words": words, "at": at, "id": id_, "limit": limit})
    return [ListedThread(*row) for row in rows]


def get_thread(session: Session, id_: uuid.UUID) -> ListedThread:
    """Return the thread of a conversation or of a question; a turn belongs to the thread of its conversation. Raises
    ThreadNotFound."""
    row = session.execute(_OF, {"id": id_}).one_or_none()
    if row is None:
        raise ThreadNotFound(f"There is no thread {id_}.")
    return ListedThread(*row)


_LATEST = "infinity"
_SHOWN = """
    SELECT listed.id, listed.is_conversation, listed.title, workspaces.name,
        CASE WHEN listed.is_conversation THEN asked.turns ELSE 1 END, listed.asked_at, first.question, last.status,
        answer.abstained, listed.branched_from
    FROM listed
    JOIN workspaces ON workspaces.id = listed.workspace_id
    CROSS JOIN LATERAL (
        SELECT count(*) AS turns, (array_agg(query_id ORDER BY is_inherited, position))[1] AS first,
            (array_agg(query_id ORDER BY position DESC))[1] AS last
        FROM conversation_turns WHERE conversation_id = listed.id AND set_aside_at IS NULL
    ) AS asked
    LEFT JOIN queries AS first ON first.id = CASE WHEN listed.is_conversation THEN asked.first ELSE listed.id END
    LEFT JOIN queries AS last ON last.id = CASE WHEN listed.is_conversation THEN asked.last ELSE listed.id END
    LEFT JOIN LATERAL (
        SELECT abstained FROM answers WHERE query_id = last.id ORDER BY round DESC LIMIT 1
    ) AS answer ON last.status = 'succeeded'
    ORDER BY listed.asked_at DESC, listed.id DESC
"""
# Lower-casing is most of the cost of searching answers; this collation does it in a third of the time.
_SAYS_WORD = """queries.status = 'succeeded' AND strpos(
    lower((SELECT text FROM answers WHERE query_id = queries.id ORDER BY round DESC LIMIT 1) COLLATE pg_c_utf8),
    lower(word COLLATE pg_c_utf8)) > 0"""
# Each half is read in the order of its index, and no further than the page needs.
_NEWEST = text(
    f"""
    WITH listed AS (
        (SELECT id, title, workspace_id, last_asked_at AS asked_at, true AS is_conversation, branched_from
         FROM conversations
         WHERE tenant_id = current_setting('citewell.tenant')::bigint
            AND (last_asked_at, id) < (CAST(:at AS timestamptz), :id)
            AND NOT EXISTS (SELECT FROM unnest(CAST(:words AS text[])) AS word
                WHERE strpos(lower(coalesce(title, '')), lower(word)) = 0 AND NOT EXISTS (
                    SELECT FROM conversation_texts
                    WHERE conversation_id = conversations.id AND strpos(asked, lower(word)) > 0) AND NOT EXISTS (
                    SELECT FROM conversation_turns JOIN queries ON queries.id = query_id
                    WHERE conversation_id = conversations.id AND set_aside_at IS NULL AND {_SAYS_WORD}))
         ORDER BY last_asked_at DESC, id DESC LIMIT :limit)
        UNION ALL
        (SELECT id, NULL, workspace_id, created_at, false, NULL FROM queries
         WHERE tenant_id = current_setting('citewell.tenant')::bigint AND is_thread AND kind = 'answer'
            AND (created_at, id) < (CAST(:at AS timestamptz), :id)
            AND NOT EXISTS (SELECT FROM unnest(CAST(:words AS text[])) AS word
                WHERE strpos(lower(question), lower(word)) = 0 AND ({_SAYS_WORD}) IS NOT TRUE)
         ORDER BY created_at DESC, id DESC LIMIT :limit)
        ORDER BY asked_at DESC, id DESC LIMIT :limit
    )
    {_SHOWN}
"""  # noqa: S608 - only constants are put together
).bindparams(bindparam("id", type_=Uuid()))
_OF = text(
    f"""
    WITH listed AS (
        SELECT id, title, workspace_id, last_asked_at AS asked_at, true AS is_conversation, branched_from
        FROM conversations
        WHERE id = coalesce((
            SELECT conversation_id FROM conversation_turns JOIN queries ON queries.id = query_id
            WHERE query_id = :id AND (NOT is_thread OR NOT is_inherited) ORDER BY is_inherited, conversation_turns.id
            LIMIT 1), :id)
        UNION ALL
        SELECT id, NULL, workspace_id, created_at, false, NULL FROM queries
        WHERE id = :id AND kind = 'answer'
            AND (is_thread OR NOT EXISTS (SELECT FROM conversation_turns WHERE query_id = :id))
    )
    {_SHOWN}
"""  # noqa: S608 - only constants are put together
).bindparams(bindparam("id", type_=Uuid()))
