"""Conversations: questions to one workspace, each understood from the questions before it.

A turn is an ordinary query that has a place in a conversation; every rule for queries applies to turns. The earlier
turns are copied into its options when it is asked, so that later changes of the conversation change no answer.
"""

import unicodedata
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

from config.settings import Settings
from db.base import row_json
from db.models import QueryKind, QueryStatus
from db.queries.access.idempotency import Repeatable, reserve_key
from db.queries.access.workspaces import get_open_workspace, require_access, require_open_workspace
from db.queries.paging import Place
from db.queries.runs import conversations
from db.queries.runs.conversations import ListedConversation, StoredTurn, TurnPlace
from db.queries.runs.queries import get_query, lock_query
from db.session import acting, reading, transaction
from domain.errors.requests import ConversationElsewhere, ConversationTooLong
from domain.errors.state import TurnUnfinished
from domain.query.conversation import MOST_TURNS, Turn, last_turns, title_of
from services.finishing.completion import finish
from services.queries.results import read_query
from services.queries.submission import NewQuery, check, store

Json = dict[str, Any]
PATH = "/v1/conversations"
_TURNS_AT_A_TIME = 200
MOST_OF_A_FILE = 300
"""The most turns of a conversation that is exported; each is read with its whole answer."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A stored turn; `repeated` as in `Submitted`. `cancelled` are the unfinished queries that it replaced."""

    query_id: uuid.UUID
    conversation_id: uuid.UUID
    repeated: bool
    cancelled: Sequence[uuid.UUID] = ()


def begin(workspace: str, title: str | None, request: Repeatable | None = None) -> tuple[Json, bool]:
    """Create a conversation, once for all requests with one Idempotency-Key: (conversation, whether it existed before).

    Raises WorkspaceNotFound, WorkspaceForbidden, WorkspaceDeleting, IdempotencyKeyReused, ConversationNotFound when
    that of a repeated request was deleted.
    """
    conversation_id = uuid.uuid4()
    with transaction() as session:
        require_access(session, [workspace])
        if request is not None and (first := reserve_key(session, request, conversation_id)) != conversation_id:
            return _conversation_json(conversations.get_conversation(session, first)), True
        workspace_id = get_open_workspace(session, workspace).id
        conversations.add_conversation(session, conversation_id, workspace_id, title, begun_by=acting().actor)
        return _conversation_json(conversations.get_conversation(session, conversation_id)), False


def ask(
    conversation_id: uuid.UUID,
    new: NewQuery,
    settings: Settings,
    *,
    replaces: uuid.UUID | None = None,
    request: Repeatable | None = None,
    workspace: str | None = None,
) -> Asked:
    """Store a question as the next turn; `new.workspace` and `new.conversation` are taken from the conversation, which
    has to be about `workspace`, if that is given.

    With `replaces` the question replaces that turn: this turn and all after it are set aside, and cancelled if
    unfinished. Raises ConversationNotFound, ConversationElsewhere, TurnNotFound, TurnUnfinished, and the errors of
    `submit_once`.
    """
    checked = check(new, settings)
    query_id = uuid.uuid4()
    with transaction() as session:
        own = conversations.get_conversation(session, conversation_id).workspace
        if workspace not in (None, own):
            raise ConversationElsewhere(f"The conversation is about the workspace {own!r}, not {workspace!r}.")
        if request is not None and (first := reserve_key(session, request, query_id)) != query_id:
            return Asked(first, conversation_id, repeated=True)
        conversations.lock_own(session, conversation_id)
        if replaces is None:
            position, cancelled = _next_position(session, conversation_id), ()
        else:
            position = conversations.get_current_position(session, conversation_id, replaces)
            cancelled = _cancel(session, conversations.set_aside(session, conversation_id, position))
        before = conversations.last_turns_before(session, conversation_id, position, MOST_TURNS)
        turn = replace(checked, workspace=own, conversation=said_in(before))
        store(session, query_id, turn, settings, is_thread=False)
        conversations.add_turn(session, conversation_id, query_id, position, replaces)
    return Asked(query_id, conversation_id, repeated=False, cancelled=cancelled)


def ask_first(new: NewQuery, settings: Settings, request: Repeatable | None = None) -> Asked:
    """Begin a conversation with a question. Raises the errors of `submit_once`, and ConversationNotFound when that of a
    repeated request was deleted."""
    checked = check(new, settings)
    conversation_id, query_id = uuid.uuid4(), uuid.uuid4()
    with transaction() as session:
        require_access(session, [new.workspace])
        if request is not None and (first := reserve_key(session, request, query_id)) != query_id:
            return Asked(first, conversations.get_conversation_of(session, first), repeated=True)
        workspace_id = get_open_workspace(session, new.workspace).id
        conversations.add_conversation(session, conversation_id, workspace_id, None, begun_by=acting().actor)
        store(session, query_id, checked, settings, is_thread=False)
        conversations.add_turn(session, conversation_id, query_id, 1)
    return Asked(query_id, conversation_id, repeated=False)


def continue_question(
    query_id: uuid.UUID, title: str | None, request: Repeatable | None = None, *, as_own: bool = False
) -> tuple[Json, bool]:
    """Make a question the first turn of a conversation, once: (its conversation, whether it existed before). The
    conversation belongs to the person who asked the question. For others who may not change it, or who want one
    `as_own`, a conversation of their own begins with the question, once for each of them, as a branch does.

    Raises QueryNotFound, ConversationElsewhere for a question to several workspaces, WorkspaceDeleting,
    IdempotencyKeyReused, ConversationNotFound when that of a repeated request was deleted.
    """
    with transaction() as session:
        query, caller = lock_query(session, query_id, QueryKind.ANSWER), acting()
        existing = conversations.find_begun_with(session, query_id, caller.actor)
        existing = existing or conversations.find_conversation_of(session, query_id)
        conversation_id = existing or uuid.uuid4()
        if request is not None and (first := reserve_key(session, request, conversation_id)) != conversation_id:
            return _conversation_json(conversations.get_conversation(session, first)), True
        if existing is None:
            require_open_workspace(session, query.workspace_id)
            if len(query.options.get("workspaces", ())) > 1:
                raise ConversationElsewhere(
                    "This question was asked of several workspaces, and a conversation is about one; begin a new one."
                )
            is_own = query.asked_by == caller.actor
            is_own = is_own or (not as_own and caller.may_change(query.asked_by, query.workspace_id))
            begun_by = query.asked_by if is_own else caller.actor
            conversations.add_conversation(session, conversation_id, query.workspace_id, title, begun_by=begun_by)
            conversations.add_turn(
                session, conversation_id, query_id, 1, asked_at=query.created_at, is_inherited=not is_own
            )
            query.is_thread = query.is_thread and not is_own
            session.flush()
        return _conversation_json(conversations.get_conversation(session, conversation_id)), existing is not None


def branch(
    conversation_id: uuid.UUID, last: uuid.UUID, title: str | None, request: Repeatable | None = None
) -> tuple[Json, bool]:
    """Begin a conversation that keeps the current turns of another one up to that of the query `last`, once:
    (conversation, whether it existed before).

    Raises ConversationNotFound, TurnNotFound, TurnUnfinished, WorkspaceDeleting, IdempotencyKeyReused.
    """
    branch_id = uuid.uuid4()
    with transaction() as session:
        original = conversations.lock_conversation(session, conversation_id)
        if request is not None and (first := reserve_key(session, request, branch_id)) != branch_id:
            return _conversation_json(conversations.get_conversation(session, first)), True
        position = conversations.get_current_position(session, conversation_id, last)
        if get_query(session, last).finished_at is None:
            raise TurnUnfinished(
                f"The turn {last} is still in work; wait for its end, or branch from the turn before it."
            )
        require_open_workspace(session, original.workspace_id)
        conversations.add_conversation(
            session, branch_id, original.workspace_id, title, conversation_id, begun_by=acting().actor
        )
        conversations.inherit_turns(session, branch_id, conversation_id, position)
        return _conversation_json(conversations.get_conversation(session, branch_id)), False


def said_in(turns: Sequence[StoredTurn]) -> tuple[Turn, ...]:
    """Return the earlier turns as far as they help to understand the next question: each question as it was understood.

    The first of them may have come with earlier turns of its own.
    """
    earlier = turns[0].query.options.get("conversation", ()) if turns else ()
    messages = [(message["role"], message["text"]) for message in earlier]
    for turn in turns:
        messages.append(("user", turn.restated or turn.query.question))
        if turn.answer is not None:
            messages.append(("assistant", turn.answer))
    return last_turns(messages)


def take_place(session: Session, old_id: uuid.UUID, new_id: uuid.UUID) -> None:
    """Give a query that retries a turn the place of that turn, also in branches; does nothing for other queries."""
    for turn in conversations.list_current_turns(session, old_id):
        conversations.lock_conversation(session, turn.conversation_id)
        # The turn may have been replaced while this transaction waited for the lock.
        if conversations.set_turn_aside(session, turn.id):
            conversations.add_turn(
                session, turn.conversation_id, new_id, turn.position, old_id, is_inherited=turn.is_inherited
            )


def read_conversation(conversation_id: uuid.UUID) -> Json:
    with reading() as session:
        return _conversation_json(conversations.get_conversation(session, conversation_id))


def read_conversations(workspace: str | None, search: str | None, *, after: Place | None, limit: int) -> list[Json]:
    wanted = unicodedata.normalize("NFC", search).strip() if search else None
    with reading() as session:
        listed = conversations.list_conversations(
            session, workspace=workspace, search=wanted or None, after=after, limit=limit
        )
        return [_conversation_json(conversation) for conversation in listed]


def read_turns(
    conversation_id: uuid.UUID, *, with_set_aside: bool, after: TurnPlace | None, limit: int
) -> tuple[list[Json], TurnPlace | None]:
    with reading() as session:
        conversations.get_conversation(session, conversation_id)
        turns = conversations.list_turns(
            session, conversation_id, with_set_aside=with_set_aside, after=after, limit=limit
        )
        last = turns[-1].turn if len(turns) == limit else None
        return [_turn_json(turn) for turn in turns], TurnPlace(last.position, last.id) if last else None


def read_whole(conversation_id: uuid.UUID) -> tuple[str | None, list[Json]]:
    """Return the title, and the query of each current turn, in order. Raises ConversationNotFound,
    ConversationTooLong."""
    query_ids: list[uuid.UUID] = []
    place: TurnPlace | None = None
    title = read_conversation(conversation_id)["title"]
    while True:
        turns, place = read_turns(conversation_id, with_set_aside=False, after=place, limit=_TURNS_AT_A_TIME)
        query_ids += (uuid.UUID(turn["id"]) for turn in turns)
        if len(query_ids) > MOST_OF_A_FILE:
            raise ConversationTooLong(
                f"The conversation has more than {MOST_OF_A_FILE} turns, too many for one file; save its answers one "
                "by one, or read its turns page by page with GET /v1/conversations/{id}/turns."
            )
        if place is None:
            return title, [read_query(query_id) for query_id in query_ids]


def rename(conversation_id: uuid.UUID, title: str | None) -> Json:
    """Give a conversation a title; None takes it from the first question again. Raises ConversationNotFound."""
    with transaction() as session:
        conversations.lock_own(session, conversation_id).title = title
        session.flush()
        return _conversation_json(conversations.get_conversation(session, conversation_id))


def remove(conversation_id: uuid.UUID) -> Sequence[uuid.UUID]:
    """Delete a conversation and return its unfinished queries, which are cancelled.

    The queries stay, because answers are links of the tenant's audit (N6), and are kept as long as it is. Raises
    ConversationNotFound.
    """
    with transaction() as session:
        conversations.lock_own(session, conversation_id)
        cancelled = _cancel(session, conversations.list_unfinished(session, conversation_id))
        conversations.delete_conversation(session, conversation_id)
        return cancelled


def _next_position(session: Session, conversation_id: uuid.UUID) -> int:
    last = conversations.find_last_turn(session, conversation_id)
    if last is None:
        return 1
    position, query_id, finished_at = last
    if finished_at is None:
        raise TurnUnfinished(
            f"The turn before, {query_id}, is still in work, and the next question may refer to it. Wait for its end, "
            f"cancel it with DELETE /v1/queries/{query_id}, or send its id as `replaces` to ask this instead."
        )
    return position + 1


def _cancel(session: Session, query_ids: Sequence[uuid.UUID]) -> Sequence[uuid.UUID]:
    return [query_id for query_id in query_ids if finish(session, query_id, QueryStatus.CANCELLED)]


def _conversation_json(listed: ListedConversation) -> Json:
    conversation = listed.conversation
    here = f"{PATH}/{conversation.id}"
    return {
        **row_json(conversation, "id branched_from created_at last_asked_at"),
        "title": conversation.title or (title_of(listed.first_question) if listed.first_question else None),
        "workspace": listed.workspace,
        "turns": listed.turns,
        "links": {"self": here, "turns": f"{here}/turns"},
    }


def _turn_json(stored: StoredTurn) -> Json:
    turn, query = stored.turn, stored.query
    here = f"/v1/queries/{query.id}"
    return {
        **row_json(query, "id status stage question error created_at finished_at"),
        **row_json(turn, "position replaces set_aside_at"),
        **row_json(stored, "answer abstained references"),
        "inherited": turn.is_inherited,
        "restated_question": stored.restated,
        "links": {"self": here, "events": f"{here}/events", "verifications": f"{here}/verifications"},
    }
