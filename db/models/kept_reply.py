"""Cache of paid model replies for identical requests (A5, S4.7)."""

from datetime import datetime

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CreatedAt, OwnedKey


class KeptReply(Base):
    """`key` is the SHA-256 of everything a reply depends on (clients.llm.calling.reply_cache); `used_at` is accurate to
    the hour."""

    __tablename__ = "kept_replies"

    tenant_id: Mapped[OwnedKey]
    key: Mapped[bytes] = mapped_column(primary_key=True)
    reply_text: Mapped[str]
    model: Mapped[str]
    created_at: Mapped[CreatedAt] = mapped_column(index=True)
    used_at: Mapped[datetime] = mapped_column(server_default=func.now())
