"""Conversations and their turns. A transaction that adds or sets aside turns locks the conversation first."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    Row,
    Select,
    Uuid,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    text,
    true,
    tuple_,
    update,
)
from sqlalchemy.orm import Session

from db.models import (
    Answer,
    Conversation,
    ConversationText,
    ConversationTurn,
    Query,
    QueryStatus,
    StepOutcome,
    Workspace,
)
from db.queries.paging import Place, page
from db.queries.runs.queries import workspace_id_of
from db.session import acting
from domain.errors.access import ConversationOfAnother
from domain.errors.missing import ConversationNotFound, TurnNotFound

_RESTATING = "restate_question"
_Stored = Select[ConversationTurn, Query, Any, Any, Any, Any]
_IS_CURRENT = ConversationTurn.set_aside_at.is_(None)


class ListedConversation(NamedTuple):
    """A conversation, its workspace's name, its first question (of a branch its own first question, if it has one), and
    the number of its current turns."""

    conversation: Conversation
    workspace: str
    first_question: str | None
    turns: int


class TurnPlace(NamedTuple):
    """A turn in the order of its conversation, for paging."""

    position: int
    id: int


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn with the part of its query that a conversation shows. `answer` is the text of the last round."""

    turn: ConversationTurn
    query: Query
    restated: str | None
    answer: str | None
    abstained: bool | None
    references: list[str]


def add_conversation(
    session: Session,
    conversation_id: uuid.UUID,
    workspace_id: int,
    title: str | None,
    branched_from: uuid.UUID | None = None,
    *,
    begun_by: str | None,
) -> None:
    values = {"title": title, "branched_from": branched_from, "begun_by": begun_by}
    session.add(Conversation(id=conversation_id, workspace_id=workspace_id, **values))
    session.flush()


def inherit_turns(session: Session, branch_id: uuid.UUID, original_id: uuid.UUID, until: int) -> None:
    """Give a new conversation the current turns of another one up to position `until`; their queries still belong to
    the original conversation."""
    kept = select(
        literal(branch_id), ConversationTurn.query_id, ConversationTurn.position, ConversationTurn.replaces, true()
    ).where(ConversationTurn.conversation_id == original_id, _IS_CURRENT, ConversationTurn.position <= until)
    columns = ["conversation_id", "query_id", "position", "replaces", "is_inherited"]
    session.execute(insert(ConversationTurn).from_select(columns, kept))
    session.execute(_KEEP_TEXT, {"id": branch_id})


def lock_conversation(session: Session, conversation_id: uuid.UUID) -> Conversation:
    """Keep others from adding turns until the transaction ends. Raises ConversationNotFound."""
    # This is the weaker lock: the foreign keys of stored turns do not wait for it.
    conversation = session.get(
        Conversation, conversation_id, with_for_update={"key_share": True}, populate_existing=True
    )
    if conversation is None:
        raise _not_found(conversation_id)
    return conversation


def lock_own(session: Session, conversation_id: uuid.UUID) -> Conversation:
    """Lock the conversation like `lock_conversation`, before its turns or title change: only its owner may change them,
    or a caller whose role allows changes to conversations of others. Raises ConversationOfAnother,
    ConversationNotFound."""
    conversation = lock_conversation(session, conversation_id)
    if not acting().may_change(conversation.begun_by, conversation.workspace_id):
        raise ConversationOfAnother
    return conversation


def get_conversation(session: Session, conversation_id: uuid.UUID) -> ListedConversation:
    row = session.execute(_listed().where(Conversation.id == conversation_id)).one_or_none()
    if row is None:
        raise _not_found(conversation_id)
    return ListedConversation(*row)


def list_conversations(
    session: Session, *, workspace: str | None, search: str | None, after: Place | None, limit: int
) -> list[ListedConversation]:
    statement = _listed()
    if workspace is not None:
        statement = statement.where(Conversation.workspace_id == workspace_id_of(workspace))
    if search is not None:
        # One narrow row for each conversation is read, because no index serves a text below row-level security.
        wanted, own = func.lower(search), ConversationText.conversation_id == Conversation.id
        title = func.strpos(func.lower(Conversation.title), wanted) > 0
        asked = func.strpos(ConversationText.asked, wanted) > 0
        statement = statement.outerjoin(ConversationText, own).where(or_(title, asked))
    rows = session.execute(page(statement, Conversation.last_asked_at, Conversation.id, after=after, limit=limit))
    return [ListedConversation(*row) for row in rows]


def delete_conversation(session: Session, conversation_id: uuid.UUID) -> None:
    session.execute(delete(Conversation).where(Conversation.id == conversation_id))


def list_turns(
    session: Session, conversation_id: uuid.UUID, *, with_set_aside: bool, after: TurnPlace | None, limit: int
) -> list[StoredTurn]:
    """Return one page in order of their positions; a turn that was replaced comes before the one that replaces it."""
    statement = _stored().where(ConversationTurn.conversation_id == conversation_id)
    if not with_set_aside:
        statement = statement.where(_IS_CURRENT)
    if after is not None:
        statement = statement.where(tuple_(ConversationTurn.position, ConversationTurn.id) > tuple_(*after))
    ordered = statement.order_by(ConversationTurn.position, ConversationTurn.id).limit(limit)
    return [_stored_turn(row) for row in session.execute(ordered)]


def last_turns_before(session: Session, conversation_id: uuid.UUID, position: int, most: int) -> list[StoredTurn]:
    statement = _stored().where(
        ConversationTurn.conversation_id == conversation_id, _IS_CURRENT, ConversationTurn.position < position
    )
    rows = session.execute(statement.order_by(ConversationTurn.position.desc()).limit(most)).all()
    return [_stored_turn(row) for row in reversed(rows)]


def find_last_turn(session: Session, conversation_id: uuid.UUID) -> tuple[int, uuid.UUID, datetime | None] | None:
    """Return (position, query, end of the query) of the last current turn."""
    row = session.execute(
        select(ConversationTurn.position, Query.id, Query.finished_at)
        .join(Query, Query.id == ConversationTurn.query_id)
        .where(ConversationTurn.conversation_id == conversation_id, _IS_CURRENT)
        .order_by(ConversationTurn.position.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else (row[0], row[1], row[2])


def get_current_position(session: Session, conversation_id: uuid.UUID, query_id: uuid.UUID) -> int:
    position = session.scalar(
        select(ConversationTurn.position).where(
            ConversationTurn.conversation_id == conversation_id, ConversationTurn.query_id == query_id, _IS_CURRENT
        )
    )
    if position is None:
        raise TurnNotFound(f"The conversation has no current turn {query_id}; GET its turns to see which it has.")
    return position


def list_current_turns(session: Session, query_id: uuid.UUID) -> Sequence[ConversationTurn]:
    """Return the query's place in each conversation that contains it: in the one where it was asked, and in the
    branches of that."""
    places = select(ConversationTurn).where(ConversationTurn.query_id == query_id, _IS_CURRENT)
    return session.scalars(places.order_by(ConversationTurn.conversation_id)).all()


def set_aside(session: Session, conversation_id: uuid.UUID, since: int) -> list[uuid.UUID]:
    """Set the current turns from position `since` aside; return the queries of those that were asked here."""
    turns = session.execute(
        update(ConversationTurn)
        .where(ConversationTurn.conversation_id == conversation_id, _IS_CURRENT, ConversationTurn.position >= since)
        .values(set_aside_at=func.now())
        .returning(ConversationTurn.query_id, ConversationTurn.is_inherited)
    )
    return [query_id for query_id, is_inherited in turns if not is_inherited]


def set_turn_aside(session: Session, turn_id: int) -> bool:
    """Set a turn aside; return whether it was a current turn until now."""
    turn = update(ConversationTurn).where(ConversationTurn.id == turn_id, _IS_CURRENT).values(set_aside_at=func.now())
    return session.scalar(turn.returning(ConversationTurn.id)) is not None


def add_turn(
    session: Session,
    conversation_id: uuid.UUID,
    query_id: uuid.UUID,
    position: int,
    replaces: uuid.UUID | None = None,
    *,
    asked_at: datetime | None = None,
    is_inherited: bool = False,
) -> None:
    """Add a question as a turn; `asked_at` is when it was asked, None means now."""
    session.execute(
        insert(ConversationTurn).values(
            conversation_id=conversation_id,
            query_id=query_id,
            position=position,
            replaces=replaces,
            is_inherited=is_inherited,
        )
    )
    session.execute(
        update(Conversation)
        .where(Conversation.id == conversation_id)
        .values(last_asked_at=asked_at or func.clock_timestamp())
    )
    # The conversation's searched text follows its current turns.
    session.execute(_KEEP_TEXT, {"id": conversation_id})


def get_conversation_of(session: Session, query_id: uuid.UUID) -> uuid.UUID:
    if (conversation_id := find_conversation_of(session, query_id)) is None:
        raise ConversationNotFound(f"The conversation of the question {query_id} was deleted.")
    return conversation_id


def find_conversation_of(session: Session, query_id: uuid.UUID) -> uuid.UUID | None:
    """Return the conversation that the question was asked in, or if that was deleted, the first branch that keeps it.
    None for a question that is a thread of its own, even if others began a conversation with it."""
    places = (
        select(ConversationTurn.conversation_id)
        .join(Query, Query.id == ConversationTurn.query_id)
        .where(Query.id == query_id, or_(~Query.is_thread, ~ConversationTurn.is_inherited))
    )
    return session.scalar(places.order_by(ConversationTurn.is_inherited, ConversationTurn.id).limit(1))


def find_begun_with(session: Session, query_id: uuid.UUID, begun_by: str | None) -> uuid.UUID | None:
    """Return the conversation that `begun_by` began with a question of another caller, while it is the first turn
    there."""
    places = (
        select(Conversation.id)
        .join(ConversationTurn, ConversationTurn.conversation_id == Conversation.id)
        .where(
            ConversationTurn.query_id == query_id,
            ConversationTurn.is_inherited,
            _IS_CURRENT,
            Conversation.branched_from.is_(None),
            Conversation.begun_by.is_not_distinct_from(begun_by),
        )
    )
    return session.scalar(places.order_by(ConversationTurn.id).limit(1))


def list_unfinished(session: Session, conversation_id: uuid.UUID) -> list[uuid.UUID]:
    """Return the unfinished queries that were asked here."""
    return list(
        session.scalars(
            select(Query.id)
            .join(ConversationTurn, ConversationTurn.query_id == Query.id)
            .where(
                ConversationTurn.conversation_id == conversation_id,
                ~ConversationTurn.is_inherited,
                Query.finished_at.is_(None),
            )
        )
    )


def _current() -> Select[Any]:
    return (
        select(ConversationTurn.id)
        .join(Query, Query.id == ConversationTurn.query_id)
        .where(ConversationTurn.conversation_id == Conversation.id, _IS_CURRENT)
        .correlate(Conversation)
    )


_KEEP_TEXT = text("""
    INSERT INTO conversation_texts (conversation_id, asked)
    SELECT :id, coalesce(lower(string_agg(queries.question, E'\\n' ORDER BY turns.position)), '')
    FROM conversation_turns AS turns JOIN queries ON queries.id = turns.query_id
    WHERE turns.conversation_id = :id AND turns.set_aside_at IS NULL
    ON CONFLICT (conversation_id) DO UPDATE SET asked = excluded.asked
""").bindparams(bindparam("id", type_=Uuid()))


def _listed() -> Select[Conversation, str, str, int]:
    first = _current().with_only_columns(Query.question).limit(1)
    first = first.order_by(ConversationTurn.is_inherited, ConversationTurn.position)
    count = _current().with_only_columns(func.count())
    return select(Conversation, Workspace.name, first.scalar_subquery(), count.scalar_subquery()).join(
        Workspace, Workspace.id == Conversation.workspace_id
    )


def _stored() -> _Stored:
    answer = (
        select(Answer.text, Answer.abstained, Answer.references)
        .where(Answer.query_id == Query.id, Query.status == QueryStatus.SUCCEEDED)
        .order_by(Answer.round.desc())
        .limit(1)
        .lateral()
    )
    restated = and_(
        StepOutcome.query_id == Query.id, StepOutcome.round == 0, StepOutcome.step == _RESTATING, StepOutcome.item == ""
    )
    return (
        select(
            ConversationTurn,
            Query,
            StepOutcome.value["question"].astext,
            answer.c.text,
            answer.c.abstained,
            answer.c.references,
        )
        .join(Query, Query.id == ConversationTurn.query_id)
        .outerjoin(StepOutcome, restated)
        .outerjoin(answer, true())
    )


def _stored_turn(row: Row[ConversationTurn, Query, Any, Any, Any, Any]) -> StoredTurn:
    turn, query, restated, answer, abstained, references = row
    return StoredTurn(
        turn, query, restated if restated != query.question else None, answer, abstained, references or []
    )


def _not_found(conversation_id: uuid.UUID) -> ConversationNotFound:
    return ConversationNotFound(f"There is no conversation {conversation_id}.")
