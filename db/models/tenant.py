"""Tenants: whose data a row is."""

from sqlalchemy import CheckConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, CreatedAt

DEFAULT_TENANT = 1
"""The tenant of an installation without keys; the migrations make it."""


class Tenant(Base):
    """`callback_secret` signs what is sent to the callback URLs of single requests.

    Of what runs at a time, a tenant with `weight` 2 gets twice as much as one with 1, while both have more waiting.
    """

    __tablename__ = "tenants"
    __table_args__ = (CheckConstraint("weight > 0", name="weight"),)

    id: Mapped[BigId]
    name: Mapped[str] = mapped_column(unique=True)
    callback_secret: Mapped[str]
    weight: Mapped[float] = mapped_column(server_default="1")
    created_at: Mapped[CreatedAt]
