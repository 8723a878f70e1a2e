"""People of the tenant, the members of its workspaces, and the requests by people that may have changed something."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request

from api.http.accepted_requests import require_json
from api.http.security import caller_of
from api.schemas.operations.people import (
    DeedList,
    MemberList,
    MemberRead,
    MemberSet,
    PersonChange,
    PersonList,
    PersonRead,
)
from api.schemas.texts import WorkspaceName
from domain.people import Role
from services.people import members

router = APIRouter(prefix="/v1", tags=["people"])

_JSON = [Depends(require_json)]


@router.get("/people", response_model=PersonList)
def list_people() -> object:
    """Everybody who has signed in to the tenant, by name."""
    return {"people": members.read_people()}


@router.patch("/people/{person_id}", name="update_person", response_model=PersonRead, dependencies=_JSON)
def change_person(person_id: UUID, change: PersonChange) -> object:
    """Exclude a person and end their sessions and personal keys, or let the person sign in again."""
    return members.revoke_person(person_id, revoked=change.revoked)


@router.get("/members", response_model=MemberList)
def list_members(
    workspace: Annotated[WorkspaceName | None, Query(description="Only members of this workspace.")] = None,
) -> object:
    """The members of the workspaces that you own. A person may be a member twice: through a group, and through an
    owner."""
    return {"members": members.read_members(workspace)}


@router.post("/members", name="set_member", response_model=MemberRead, dependencies=_JSON)
def set_member(wanted: MemberSet, request: Request) -> object:
    """Give a person a role in a workspace, or another role. A role from a group stays; the higher role counts."""
    caller = caller_of(request)
    return members.set_member(wanted.workspace, wanted.person_id, Role(wanted.role), caller and caller.actor)


@router.delete("/members/{member_id}", name="delete_member", status_code=204)
def remove_member(member_id: UUID) -> None:
    """End a membership that an owner gave. The person's questions and documents stay."""
    members.remove_member(member_id)


@router.get("/deeds", response_model=DeedList)
def list_deeds(
    actor: Annotated[
        str | None, Query(max_length=100, description="Only requests by this person, as `person:` and an id.")
    ] = None,
    before: Annotated[
        int | None, Query(ge=1, le=2**62, description="Only requests before the one with this id.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> object:
    """The requests by people that may have changed something, recorded when they were admitted, newest first."""
    return {"deeds": members.read_deeds(actor, before, limit)}
