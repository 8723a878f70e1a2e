"""API keys: permissions and tenant of a caller (A8)."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, CreatedAt


class ApiKey(Base):
    """`id` is the public part of the key. Only the SHA-256 of the whole key is stored, so the key can be shown only
    once.
    """

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(primary_key=True)
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT, index=True
    )
    name: Mapped[str]
    digest: Mapped[str]
    scopes: Mapped[list[str]]
    requests_per_minute: Mapped[int | None]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    created_at: Mapped[CreatedAt]
