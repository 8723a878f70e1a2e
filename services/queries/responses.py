"""Responses of OpenAI's API: questions that also store the client's further fields, and the response that they
follow."""

import uuid
from dataclasses import replace
from typing import Any

from config.settings import Settings
from db.models import QueryKind
from db.queries.runs import conversations, responses
from db.queries.runs.queries import get_named_query
from db.session import acting, reading, transaction
from domain.errors.missing import PreviousResponseNotFound, ResponseNotFound
from domain.errors.requests import ConversationElsewhere
from domain.errors.state import TurnUnfinished
from domain.query.conversation import MOST_TURNS
from services.queries.conversations import ask, continue_question, said_in
from services.queries.results import FINAL
from services.queries.submission import NewQuery, submit_query


def said_beside(query_id: uuid.UUID) -> dict[str, Any]:
    """Return the `NewQuery.beside` of a question that is a response. Raises ResponseNotFound."""
    with reading() as session:
        asked = responses.find_response(session, query_id)
    if asked is None:
        raise ResponseNotFound
    return asked


def forget(query_id: uuid.UUID) -> None:
    """Delete a response. The question and its audit stay, like those of all answers. Raises ResponseNotFound."""
    with transaction() as session:
        responses.delete_response(session, query_id)


def ask_after(previous: uuid.UUID, new: NewQuery, settings: Settings) -> uuid.UUID:
    """Store a question as the next turn after another one; together they begin a conversation, if there is none. A
    second question after the same one, or one in a conversation that another caller began, is a branch: it knows the
    turns before, and belongs to no conversation.

    Raises PreviousResponseNotFound, TurnUnfinished, ConversationElsewhere, TurnNotFound for a turn that was replaced,
    and the errors of `submit_query`.
    """
    try:
        said_beside(previous)
    except ResponseNotFound:
        raise PreviousResponseNotFound from None
    with reading() as session:
        query, own = get_named_query(session, previous, QueryKind.ANSWER)
    if query.status not in FINAL:
        raise TurnUnfinished("The previous response is still in work, and the question may refer to it; wait for it.")
    if own != new.workspace:
        raise ConversationElsewhere(f"The previous response is about the workspace {own!r}, not {new.workspace!r}.")
    conversation, _ = continue_question(previous, None, as_own=True)
    conversation_id = uuid.UUID(conversation["id"])
    with reading() as session:
        position = conversations.get_current_position(session, conversation_id, previous)
        last = conversations.find_last_turn(session, conversation_id)
        before = conversations.last_turns_before(session, conversation_id, position + 1, MOST_TURNS)
        said = said_in(before)
        begun_by = conversations.get_conversation(session, conversation_id).conversation.begun_by
    if begun_by == acting().actor and (last is None or last[1] == previous):
        return ask(conversation_id, new, settings).query_id
    return submit_query(replace(new, conversation=said), settings)
