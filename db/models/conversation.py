"""Conversations: questions to one workspace, each understood from the questions before it; and the answers that the
Responses API of OpenAI keeps.
"""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, false, func
from sqlalchemy import text as sql_text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, BigId, CreatedAt, Owned


class Conversation(Base):
    """A conversation. `title` is null until a user gives one; the first question serves meanwhile. `branched_from` is
    the conversation whose turns it began with, null for none and when that was deleted. `begun_by` is its owner: the
    person (`person:` and an id) or the API key that created it, null without either."""

    __tablename__ = "conversations"
    __table_args__ = (
        Index(None, "tenant_id", "last_asked_at", "id"),
        Index(None, "workspace_id", "last_asked_at", "id"),
        Index(
            "ix_conversations_branched_from", "branched_from", postgresql_where=sql_text("branched_from IS NOT NULL")
        ),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT
    )
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    title: Mapped[str | None]
    branched_from: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("conversations.id", ondelete="SET NULL"))
    begun_by: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    last_asked_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ConversationTurn(Base):
    """The place of an ordinary query in a conversation; a deleted conversation leaves its queries.

    `position` counts from 1. A turn that another one `replaces`, and every turn after it, is set aside: kept, but no
    longer part of the conversation. A turn that `is_inherited` was asked in the conversation that this one branched
    from, and shares its query with the turn there.
    """

    __tablename__ = "conversation_turns"
    __table_args__ = (
        Index(
            "uq_conversation_turns_current",
            "conversation_id",
            "position",
            unique=True,
            postgresql_where=sql_text("set_aside_at IS NULL"),
        ),
        Index("uq_conversation_turns_own", "query_id", unique=True, postgresql_where=sql_text("NOT is_inherited")),
        Index(None, "conversation_id", "position", "id"),
        Index(None, "query_id", "is_inherited", "id"),
    )

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    conversation_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("conversations.id", ondelete="CASCADE"))
    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"))
    position: Mapped[int]
    replaces: Mapped[uuid.UUID | None]
    set_aside_at: Mapped[datetime | None]
    is_inherited: Mapped[bool] = mapped_column(server_default=false())


class ConversationText(Base):
    """The searched text of a conversation: the questions of the current turns in lower case, one per line."""

    __tablename__ = "conversation_texts"

    conversation_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True
    )
    tenant_id: Mapped[Owned]
    asked: Mapped[str]


class StoredResponse(Base):
    """What a client said beside its question, such as `metadata`: read with the response, until it deletes that."""

    __tablename__ = "stored_responses"

    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[Owned]
    asked: Mapped[dict[str, Any]] = mapped_column(JSONB)
    created_at: Mapped[CreatedAt]
