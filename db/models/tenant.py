from sqlalchemy import CheckConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, CreatedAt

DEFAULT_TENANT = 1
"""The tenant of an installation without keys; the migrations create it."""


class Tenant(Base):
    """`callback_secret` signs deliveries to the callback URLs of single requests.

    While both have queries waiting, a tenant with `weight` 2 runs twice as many as one with weight 1.
    """

    __tablename__ = "tenants"
    __table_args__ = (CheckConstraint("weight > 0", name="weight"),)

    id: Mapped[BigId]
    name: Mapped[str] = mapped_column(unique=True)
    callback_secret: Mapped[str]
    weight: Mapped[float] = mapped_column(server_default="1")
    created_at: Mapped[CreatedAt]
