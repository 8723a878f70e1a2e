"""Conversations: each question is restated from the questions before it, and answered and verified as any other.

Threads are conversations, and questions outside conversations, as one list.
"""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response

from api.adapters.completions import places_at
from api.adapters.exports import TurnsFormat, exported_turns
from api.http.accepted_requests import require_json
from api.http.capacity import REPLAYED, ROOM_FOR_A_QUESTION, MaybeRepeated, hand_on
from api.http.downloads import download, page_url
from api.http.paging import After, AfterTurn, next_cursor, turn_cursor
from api.routes.queries import EXPORTS, as_new_query, links_of
from api.schemas.questions.conversations import (
    BranchCreate,
    ConversationChange,
    ConversationCreate,
    ConversationList,
    ConversationRead,
    FirstTurnCreate,
    ThreadList,
    ThreadRead,
    TurnAccepted,
    TurnCreate,
    TurnList,
)
from api.schemas.texts import PlainText, WorkspaceName
from clients.notifications import notify_end
from domain.errors.state import QueryUnfinished
from domain.exports.file_name import file_name
from services.core.model_choice import current_settings
from services.queries import conversations, overview

router = APIRouter(prefix=conversations.PATH, tags=["conversations"])

_JSON = [Depends(require_json)]
# A turn has the workspace of its conversation.
_NO_WORKSPACE = ""


@router.post("", name="create_conversation", status_code=201, response_model=ConversationRead, dependencies=_JSON)
def begin_conversation(conversation: ConversationCreate, repeatable: MaybeRepeated, response: Response) -> object:
    """Begin a conversation about the documents of a workspace, or go on with a question that was asked alone."""
    if conversation.query_id is not None:
        begun, repeated = conversations.continue_question(conversation.query_id, conversation.title, repeatable)
    else:
        begun, repeated = conversations.begin(conversation.workspace, conversation.title, repeatable)
    return _created(begun, response, repeated=repeated)


@router.post("/turns", name="create_conversation_by_turn", status_code=202, dependencies=[*_JSON, ROOM_FOR_A_QUESTION])
def ask_first(turn: FirstTurnCreate, repeatable: MaybeRepeated, response: Response) -> TurnAccepted:
    """Begin a conversation with its first question."""
    asked = conversations.ask_first(as_new_query(turn), current_settings(), repeatable)
    return _accepted(asked, response)


@router.get("", response_model=ConversationList)
def list_conversations(
    after: After,
    workspace: Annotated[WorkspaceName | None, Query(description="Only conversations of this workspace.")] = None,
    search: Annotated[
        PlainText | None,
        Query(
            max_length=200,
            description="Only conversations with this text in the title or in a question, ignoring case.",
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> object:
    """The conversations, ordered by their last question, newest first; `next_cursor` leads to the next page."""
    listed = conversations.read_conversations(workspace, search, after=after, limit=limit)
    return {"conversations": listed, "next_cursor": next_cursor(listed, limit, by="last_asked_at")}


@router.get("/{conversation_id}", response_model=ConversationRead)
def get_conversation(conversation_id: UUID) -> object:
    """One conversation, without its turns."""
    return conversations.read_conversation(conversation_id)


@router.patch("/{conversation_id}", name="update_conversation", response_model=ConversationRead, dependencies=_JSON)
def rename_conversation(conversation_id: UUID, change: ConversationChange) -> object:
    """Give the conversation a title."""
    return conversations.rename(conversation_id, change.title)


@router.delete("/{conversation_id}", status_code=204)
def delete_conversation(conversation_id: UUID) -> None:
    """Delete the conversation. Its questions stay in the history, with their answers and audits; those still in work
    are cancelled."""
    for query_id in conversations.remove(conversation_id):
        notify_end(query_id)


@router.post(
    "/{conversation_id}/turns",
    name="create_conversation_turn",
    status_code=202,
    dependencies=[*_JSON, ROOM_FOR_A_QUESTION],
)
def ask_turn(conversation_id: UUID, turn: TurnCreate, repeatable: MaybeRepeated, response: Response) -> TurnAccepted:
    """Ask the next question. Workers restate it from the turns before, and answer it; `links.self` shows the progress.

    The turn before must have ended, otherwise the response is 409 `turn_unfinished`; a turn that `replaces` another one
    may be asked at any time.
    """
    new = as_new_query(turn, workspace=_NO_WORKSPACE)
    asked = conversations.ask(conversation_id, new, current_settings(), replaces=turn.replaces, request=repeatable)
    return _accepted(asked, response)


@router.get("/{conversation_id}/turns", name="list_conversation_turns", response_model=TurnList)
def list_turns(
    conversation_id: UUID,
    after: AfterTurn,
    set_aside: Annotated[
        bool, Query(description="Include the turns that were replaced, and those that followed them.")
    ] = False,
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> object:
    """The turns with their answers, the first one first."""
    turns, last = conversations.read_turns(conversation_id, with_set_aside=set_aside, after=after, limit=limit)
    return {"turns": turns, "next_cursor": turn_cursor(last)}


@router.post(
    "/{conversation_id}/branches",
    name="create_conversation_branch",
    status_code=201,
    response_model=ConversationRead,
    dependencies=_JSON,
)
def branch_conversation(
    conversation_id: UUID, branch: BranchCreate, repeatable: MaybeRepeated, response: Response
) -> object:
    """Begin a conversation that keeps the turns of this one up to one of them. This one stays as it is."""
    begun, repeated = conversations.branch(conversation_id, branch.turn, branch.title, repeatable)
    return _created(begun, response, repeated=repeated)


@router.get("/{conversation_id}/export", name="export_conversation", response_class=Response, responses=EXPORTS)
def export_conversation(
    request: Request,
    conversation_id: UUID,
    format: Annotated[
        TurnsFormat, Query(description="The form of the file; all forms have the same content.")
    ] = "markdown",
) -> Response:
    """The questions of a conversation with their answers as one file, each as `GET /v1/queries/{id}/export` has it."""
    title, queries = conversations.read_whole(conversation_id)
    if not queries:
        raise QueryUnfinished("Nothing was asked in this conversation yet, so there is nothing to save.")
    made = exported_turns(title or queries[0]["question"], queries, format, places_at(page_url(request)))
    at = datetime.fromisoformat(queries[-1]["finished_at"] or queries[-1]["created_at"])
    return download(made.content, file_name(title or queries[0]["question"], at, made.suffix), made.media_type)


def _created(begun: dict[str, Any], response: Response, *, repeated: bool) -> dict[str, Any]:
    if repeated:
        response.headers.update(REPLAYED)
    response.headers["Location"] = begun["links"]["self"]
    return begun


def _accepted(asked: conversations.Asked, response: Response) -> TurnAccepted:
    hand_on(response, repeated=asked.repeated)
    for query_id in asked.cancelled:
        notify_end(query_id)
    links = links_of(asked.query_id)
    response.headers["Location"] = links.self
    return TurnAccepted(id=asked.query_id, status="queued", links=links, conversation_id=asked.conversation_id)


threads_router = APIRouter(prefix="/v1/threads", tags=["conversations"])


@threads_router.get("", response_model=ThreadList)
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


@threads_router.get("/{thread_id}", response_model=ThreadRead)
def get_thread(thread_id: UUID) -> object:
    """The thread of a conversation or of a question, by either's id."""
    return overview.read_thread(thread_id)
