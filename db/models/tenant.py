"""Tenants: whose data a row is."""

from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, CreatedAt

DEFAULT_TENANT = 1
"""The tenant of an installation without keys; the migrations make it."""


class Tenant(Base):
    """`callback_secret` signs what is sent to the callback URLs of single requests."""

    __tablename__ = "tenants"

    id: Mapped[BigId]
    name: Mapped[str] = mapped_column(unique=True)
    callback_secret: Mapped[str]
    created_at: Mapped[CreatedAt]
