"""People and their memberships as JSON."""

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
    role: MemberRole = Field(description="The person's role there.")


class Me(BaseModel):
    """The caller: a person, a key, or the local user; the fields after `kind` are for people only."""

    kind: Literal["person", "key", "local"] = Field(description="`local` is any user of a machine that needs no key.")
    id: UUID | None = None
    name: str | None = None
    email: str | None = Field(default=None, description="The email address that the provider has verified.")
    everywhere: TenantRole | None = Field(
        default=None, description="The person's role in every workspace of the tenant."
    )
    workspaces: list[OwnWorkspace] = Field(default=[], description="The person's roles in single workspaces.")


class PersonRead(BaseModel):
    """Somebody who has signed in."""

    id: UUID
    name: str
    email: str | None = Field(description="The email address that the provider has verified; null when there is none.")
    everywhere: TenantRole = Field(
        description="The person's role in every workspace of the tenant, which comes from groups."
    )
    signed_in_at: datetime = Field(description="The last sign-in.")
    revoked_at: datetime | None
    created_at: datetime


class PersonList(BaseModel):
    """The people of the tenant."""

    people: list[PersonRead] = Field(description="The people, ordered by name.")


class PersonChange(Input):
    """A change of a person's access."""

    revoked: bool = Field(
        description="True ends the person's sessions and personal keys, and prevents further sign-ins.", examples=[True]
    )


# JSON has no UUIDs, only strings.
PersonId = Annotated[UUID, Field(strict=False, examples=["7d4c3b0e-5a0f-4a57-9a3c-0c5d0e3f6b11"])]


class MemberSet(Input):
    """A role for a person in a workspace."""

    workspace: WorkspaceName
    person_id: PersonId
    role: MemberRole = Field(description="The role in that workspace.", examples=["contributor"])


class MemberRead(BaseModel):
    """A membership."""

    id: UUID
    workspace: str
    person_id: UUID
    name: str = Field(description="The name of the person.")
    email: str | None = Field(description="The email address that the provider has verified; null when there is none.")
    role: MemberRole = Field(description="The role in that workspace.")
    origin: Literal["group", "owner"] = Field(
        description="The origin of the membership: a group at the provider, or an owner of the workspace."
    )
    set_by: str | None = Field(description="Who gave the membership: `person:` and an id, or the id of a key.")
    created_at: datetime


class MemberList(BaseModel):
    """Memberships, ordered by workspace and name."""

    members: list[MemberRead] = Field(description="The memberships; one person may have two in a workspace.")


class DeedRead(BaseModel):
    """One request by a person that may have changed something."""

    id: int
    actor: str = Field(description="The person: `person:` and an id.")
    operation: str = Field(description="The operation's id in this description.")
    path: str = Field(description="The path of the request.")
    created_at: datetime


class DeedList(BaseModel):
    """A page of the requests by people that may have changed something."""

    deeds: list[DeedRead] = Field(description="The requests, newest first.")
