"""People and their memberships on the wire."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from api.schemas.texts import Input, WorkspaceName

TenantRole = Literal["none", "reader", "contributor", "owner", "admin"]
MemberRole = Literal["reader", "contributor", "owner"]


class OwnWorkspace(BaseModel):
    """A workspace that a person is a member of."""

    name: str
    role: MemberRole = Field(description="What the person may do there.")


class Me(BaseModel):
    """Who the caller is; only a person has the rest."""

    kind: Literal["person", "key", "local"] = Field(description="`local` is anybody at a machine that needs no key.")
    id: UUID | None = None
    name: str | None = None
    email: str | None = Field(default=None, description="As the provider has verified it.")
    everywhere: TenantRole | None = Field(default=None, description="The role in every workspace of the tenant.")
    workspaces: list[OwnWorkspace] = Field(default=[], description="The roles in single workspaces.")


class PersonRead(BaseModel):
    """Somebody who has signed in."""

    id: UUID
    name: str
    email: str | None = Field(description="As the provider has verified it; null when it has not.")
    everywhere: TenantRole = Field(description="The role in every workspace of the tenant, from groups.")
    signed_in_at: datetime = Field(description="The last time.")
    revoked_at: datetime | None
    created_at: datetime


class PersonList(BaseModel):
    """The people of the tenant."""

    people: list[PersonRead] = Field(description="By name.")


class PersonChange(Input):
    """Whether somebody may sign in."""

    revoked: bool = Field(
        description="True ends their sessions and personal keys, and lets them sign in no more.", examples=[True]
    )


# JSON has no UUIDs, only strings.
PersonId = Annotated[UUID, Field(strict=False, examples=["7d4c3b0e-5a0f-4a57-9a3c-0c5d0e3f6b11"])]


class MemberSet(Input):
    """A role for a person in a workspace."""

    workspace: WorkspaceName
    person_id: PersonId
    role: MemberRole = Field(description="What they may do there.", examples=["contributor"])


class MemberRead(BaseModel):
    """A membership."""

    id: UUID
    workspace: str
    person_id: UUID
    name: str = Field(description="Of the person.")
    email: str | None = Field(description="As the provider has verified it; null when it has not.")
    role: MemberRole = Field(description="What they may do there.")
    origin: Literal["group", "owner"] = Field(description="A group at the provider gives it, or an owner gave it.")
    set_by: str | None = Field(description="Who gave it: `person:` and an id, or the id of a key.")
    created_at: datetime


class MemberList(BaseModel):
    """Memberships by workspace and name."""

    members: list[MemberRead] = Field(description="Somebody may be there twice.")


class DeedRead(BaseModel):
    """A request of a person that may have changed something."""

    id: int
    actor: str = Field(description="`person:` and an id.")
    operation: str = Field(description="The operation's id in this description.")
    path: str = Field(description="What it was sent to.")
    created_at: datetime


class DeedList(BaseModel):
    """What people did."""

    deeds: list[DeedRead] = Field(description="Newest first.")
