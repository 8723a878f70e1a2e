"""Conversations: questions of one workspace, each understood from those before it."""

import uuid
from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, func
from sqlalchemy import text as sql_text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, BigId, CreatedAt, Owned


class Conversation(Base):
    """`title` is null until a user gives one; the first question serves meanwhile."""

    __tablename__ = "conversations"
    __table_args__ = (
        Index(None, "tenant_id", "last_asked_at", "id"),
        Index(None, "workspace_id", "last_asked_at", "id"),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT
    )
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    title: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    last_asked_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ConversationTurn(Base):
    """The place of an ordinary query in a conversation; a deleted conversation leaves its queries.

    `position` counts from 1. A turn that another one `replaces`, and every turn after it, is set aside: kept, and no
    longer part of what follows.
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
        Index(None, "conversation_id", "position", "id"),
    )

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    conversation_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("conversations.id", ondelete="CASCADE"))
    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), unique=True)
    position: Mapped[int]
    replaces: Mapped[uuid.UUID | None]
    set_aside_at: Mapped[datetime | None]


class ConversationText(Base):
    """What is searched: the questions of the current turns in small letters, a line each."""

    __tablename__ = "conversation_texts"

    conversation_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True
    )
    tenant_id: Mapped[Owned]
    asked: Mapped[str]
