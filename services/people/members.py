"""People of a tenant, and the members of its workspaces, for owners and administrators."""

import uuid
from typing import Any

from db.base import row_json
from db.models import Person
from db.queries.access import people as rows
from db.queries.access.workspaces import get_open_workspace
from db.session import limited_to, reading, transaction
from domain.errors.access import RoleOfGroup
from domain.people import Rights, Role
from services.operations import api_keys
from services.people import sessions


def read_people() -> list[dict[str, Any]]:
    with reading() as session:
        return [_person(person) for person in rows.list_people(session)]


def revoke_person(person_id: uuid.UUID, *, revoked: bool) -> dict[str, Any]:
    """Exclude a person and end their sessions and personal keys, or let them in again. Raises PersonNotFound."""
    with transaction() as session:
        person = _person(rows.revoke_person(session, person_id, revoked=revoked))
    _forget()
    return person


def read_members(workspace: str | None) -> list[dict[str, Any]]:
    """Return members of the workspaces that the caller may manage, or of one of them."""
    with reading() as session:
        return [_member(listed) for listed in rows.list_members(session, workspace, limited_to())]


def set_member(workspace: str, person_id: uuid.UUID, role: Role, set_by: str | None) -> dict[str, Any]:
    """Give a person of the tenant a role in a workspace. Raises PersonNotFound, WorkspaceNotFound, WorkspaceForbidden,
    WorkspaceDeleting.
    """
    with transaction() as session:
        member_id = rows.set_member(session, get_open_workspace(session, workspace).id, person_id, role, set_by)
        member = _member(rows.get_member(session, member_id))
    _forget()
    return member


def remove_member(member_id: uuid.UUID) -> None:
    """End a membership that an owner gave. Raises MemberNotFound, and RoleOfGroup for a membership that a group
    gives."""
    with transaction() as session:
        if rows.get_member(session, member_id).member.origin == rows.GROUP:
            raise RoleOfGroup
        rows.delete_member(session, member_id)
    _forget()


def read_deeds(actor: str | None, before: int | None, limit: int) -> list[dict[str, Any]]:
    with reading() as session:
        deeds = rows.list_deeds(session, actor, before, limit)
        return [row_json(deed, "id actor operation path created_at") for deed in deeds]


def names_of_workspaces(rights: Rights) -> list[dict[str, str]]:
    """Return the person's own workspaces, each with their role there."""
    with reading() as session:
        names = rows.names_of(session, rights.roles.keys())
    named = [{"name": name, "role": rights.roles[id_].value} for id_, name in names.items()]
    return sorted(named, key=lambda known: known["name"])


def read_person(person_id: uuid.UUID) -> dict[str, Any]:
    with reading() as session:
        return _person(rows.get_person(session, person_id))


def is_own(actor: str, query: uuid.UUID) -> bool:
    """Return whether `actor` asked the question, as far as the transaction sees. False when there is no such
    question."""
    with reading() as session:
        return rows.asked_by(session, actor, query)


def record_deed(actor: str, operation: str, path: str) -> None:
    with transaction() as session:
        rows.add_deed(session, actor, operation, path)


def _forget() -> None:
    sessions.forget_all()
    api_keys.forget_all()


def _person(person: Person) -> dict[str, Any]:
    return row_json(person, "id name email everywhere signed_in_at revoked_at created_at")


def _member(listed: rows.ListedMember) -> dict[str, Any]:
    member, workspace, person = listed
    return {
        **row_json(member, "id role origin set_by created_at"),
        **row_json(person, "name email"),
        "workspace": workspace,
        "person_id": str(person.id),
    }
