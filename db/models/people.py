"""People who sign in (A8): their names, roles and sessions."""

import uuid
from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import TENANT_DEFAULT, Base, BigId, CreatedAt, Owned


class Person(Base):
    """A person, whom the provider `issuer` calls `subject`; that never changes, while name and address may.

    `everywhere` is the role that their groups give them in all workspaces of the tenant. A revoked person cannot sign
    in.
    """

    __tablename__ = "persons"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("tenants.id", ondelete="CASCADE"), server_default=TENANT_DEFAULT, index=True
    )
    issuer: Mapped[str]
    subject: Mapped[str]
    name: Mapped[str]
    email: Mapped[str | None]
    everywhere: Mapped[str] = mapped_column(server_default="none")
    signed_in_at: Mapped[CreatedAt]
    revoked_at: Mapped[datetime | None]
    created_at: Mapped[CreatedAt]


class Member(Base):
    """A person's role in a workspace. `origin` is `group`, replaced at every sign-in, or `owner`: given by `set_by`.
    The higher role counts."""

    __tablename__ = "members"
    __table_args__ = (UniqueConstraint("workspace_id", "person_id", "origin"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[Owned]
    workspace_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("workspaces.id", ondelete="CASCADE"))
    person_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("persons.id", ondelete="CASCADE"), index=True)
    origin: Mapped[str]
    role: Mapped[str]
    set_by: Mapped[str | None]
    created_at: Mapped[CreatedAt]


class PersonSession(Base):
    """A browser in which a person is signed in. Only the SHA-256 of its cookie is stored.

    `provider_session` is the id of the session at the provider, if that has named one (the claim `sid`).
    """

    __tablename__ = "person_sessions"

    digest: Mapped[str] = mapped_column(primary_key=True)
    tenant_id: Mapped[Owned]
    person_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("persons.id", ondelete="CASCADE"), index=True)
    provider_session: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    seen_at: Mapped[CreatedAt]
    expires_at: Mapped[datetime] = mapped_column(index=True)


class SignIn(Base):
    """A sign-in that has begun at the provider: used once, by the browser that began it. `place` is the page to return
    to.
    """

    __tablename__ = "sign_ins"

    state_digest: Mapped[str] = mapped_column(primary_key=True)
    browser_digest: Mapped[str]
    nonce: Mapped[str]
    verifier: Mapped[str]
    place: Mapped[str]
    created_at: Mapped[CreatedAt] = mapped_column(index=True)


class Deed(Base):
    """One request by a person that may have changed something, recorded when it was admitted."""

    __tablename__ = "deeds"

    id: Mapped[BigId]
    tenant_id: Mapped[Owned] = mapped_column(index=True)
    actor: Mapped[str]
    operation: Mapped[str]
    path: Mapped[str]
    created_at: Mapped[CreatedAt] = mapped_column(index=True)
