"""People who sign in, their sessions and memberships, and their requests that may have changed something."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import Deed, Member, Person, PersonSession, Query, SignIn, Workspace
from domain.errors.missing import MemberNotFound, PersonNotFound
from domain.people import Rights, Role

_USE_NOTED_EVERY = timedelta(minutes=1)
SIGN_IN_WITHIN = timedelta(minutes=10)
"""The time that people may take at the provider."""


class BegunSignIn(NamedTuple):
    """The stored values of a sign-in that has begun."""

    browser_digest: str
    nonce: str
    verifier: str
    place: str


def add_sign_in(session: Session, state_digest: str, begun: BegunSignIn) -> None:
    session.execute(delete(SignIn).where(SignIn.created_at < func.now() - SIGN_IN_WITHIN))
    session.add(SignIn(state_digest=state_digest, **begun._asdict()))


def take_sign_in(session: Session, state_digest: str) -> BegunSignIn | None:
    """Take the sign-in, which can be taken once; None if there is none or it has expired."""
    taken = delete(SignIn).where(SignIn.state_digest == state_digest)
    columns = (SignIn.browser_digest, SignIn.nonce, SignIn.verifier, SignIn.place)
    in_time = SignIn.created_at > func.now() - SIGN_IN_WITHIN
    row = session.execute(taken.returning(*columns, in_time)).one_or_none()
    return BegunSignIn(*row[:4]) if row is not None and row[4] else None


def add_session(session: Session, added: PersonSession, hours: float) -> None:
    session.execute(delete(PersonSession).where(PersonSession.expires_at < func.now()))
    added.expires_at = func.now() + timedelta(hours=hours)
    session.add(added)


def find_session(session: Session, digest: str, idle_minutes: float) -> PersonSession | None:
    """Return the session, unless it has ended by its age or by being idle."""
    in_use = PersonSession.seen_at > func.now() - timedelta(minutes=idle_minutes)
    young = PersonSession.expires_at > func.now()
    return session.scalar(select(PersonSession).where(PersonSession.digest == digest, in_use, young))


def record_use(session: Session, digest: str) -> None:
    noted = PersonSession.seen_at < func.now() - _USE_NOTED_EVERY
    session.execute(update(PersonSession).where(PersonSession.digest == digest, noted).values(seen_at=func.now()))


def delete_session(session: Session, digest: str) -> None:
    session.execute(delete(PersonSession).where(PersonSession.digest == digest))


def delete_sessions(
    session: Session, issuer: str, subject: str | None, provider_session: str | None, until: float
) -> None:
    """Delete the sessions of a person, or of one session at the provider, or of both, that began until `until`, in
    seconds since 1970.

    With both, sessions of the person for which the provider named no session of its own are deleted, too.
    """
    persons = select(Person.id).where(Person.issuer == issuer)
    ended = [PersonSession.created_at <= func.to_timestamp(until)]
    if provider_session is not None:
        ended.append(PersonSession.provider_session == provider_session)
    if subject is not None:
        persons = persons.where(Person.subject == subject)
        if provider_session is not None:
            ended[-1] |= PersonSession.provider_session.is_(None)
    session.execute(delete(PersonSession).where(PersonSession.person_id.in_(persons), *ended))


GROUP, OWNER = "group", "owner"
"""The origin of a membership: the provider's groups, or an owner of the workspace."""


class ListedMember(NamedTuple):
    """A membership with the name of its workspace and its person."""

    member: Member
    workspace: str
    person: Person


def find_rights(session: Session, person_id: uuid.UUID, tenant_id: int) -> Rights | None:
    """Return the person's current rights in the tenant; None when they were revoked or have moved to another tenant."""
    person = session.get(Person, person_id)
    if person is None or person.revoked_at is not None or person.tenant_id != tenant_id:
        return None
    roles = dict[int, Role]()
    stored = select(Member.workspace_id, Member.role).where(Member.person_id == person_id)
    for workspace_id, role in session.execute(stored.where(Member.tenant_id == tenant_id)):
        roles[workspace_id] = max(roles.get(workspace_id, Role.NONE), Role(role), key=lambda known: known.rank)
    return Rights(person.id, Role(person.everywhere), roles)


def signed_in_within(session: Session, person_id: uuid.UUID, days: float) -> bool:
    recent = Person.signed_in_at > func.now() - timedelta(days=days)
    return session.scalar(select(Person.id).where(Person.id == person_id, recent)) is not None


def store_person(
    session: Session, tenant_id: int, *, issuer: str, subject: str, name: str, email: str | None, everywhere: Role
) -> Person:
    """Store the person as they sign in now, created if missing. Rights in another tenant end with the move."""
    told = {"name": name, "email": email, "everywhere": everywhere.value, "tenant_id": tenant_id}
    adding = insert(Person).values(id=uuid.uuid4(), issuer=issuer, subject=subject, **told)
    signed_in = {**told, "signed_in_at": func.now()}
    person_id = session.scalar(
        adding.on_conflict_do_update(index_elements=["issuer", "subject"], set_=signed_in).returning(Person.id)
    )
    session.execute(delete(Member).where(Member.person_id == person_id, Member.tenant_id != tenant_id))
    return session.get_one(Person, person_id, populate_existing=True)


def replace_groups_roles(session: Session, person_id: uuid.UUID, tenant_id: int, roles: Mapping[int, Role]) -> None:
    """Set the roles by workspace that the person has from groups; roles from owners stay."""
    session.execute(delete(Member).where(Member.person_id == person_id, Member.origin == GROUP))
    rows = [
        {
            "id": uuid.uuid4(),
            "tenant_id": tenant_id,
            "workspace_id": workspace_id,
            "person_id": person_id,
            "origin": GROUP,
            "role": role.value,
        }
        for workspace_id, role in sorted(roles.items())
    ]
    if rows:
        session.execute(insert(Member).values(rows))


def expel(session: Session, issuer: str, subject: str) -> None:
    """End the sessions and all roles, from groups and owners, of a person whom no rule admits any more."""
    person_id = select(Person.id).where(Person.issuer == issuer, Person.subject == subject).scalar_subquery()
    session.execute(delete(PersonSession).where(PersonSession.person_id == person_id))
    session.execute(delete(Member).where(Member.person_id == person_id))
    session.execute(update(Person).where(Person.id == person_id).values(everywhere=Role.NONE.value))


def list_people(session: Session) -> Sequence[Person]:
    return session.scalars(select(Person).order_by(func.lower(Person.name), Person.id)).all()


def get_person(session: Session, person_id: uuid.UUID) -> Person:
    """Return a person of the transaction's tenant. Raises PersonNotFound."""
    person = session.get(Person, person_id)
    if person is None:
        raise PersonNotFound
    return person


def revoke_person(session: Session, person_id: uuid.UUID, *, revoked: bool) -> Person:
    """Exclude a person and end their sessions, or let them sign in again. Raises PersonNotFound."""
    person = get_person(session, person_id)
    now = func.coalesce(Person.revoked_at, func.now()) if revoked else None
    session.execute(update(Person).where(Person.id == person_id).values(revoked_at=now))
    session.execute(delete(PersonSession).where(PersonSession.person_id == person_id))
    session.refresh(person)
    return person


def list_members(session: Session, workspace: str | None, visible: Collection[int] | None) -> list[ListedMember]:
    """Return members of the workspaces that the transaction sees, or of one of them."""
    statement = (
        select(Member, Workspace.name, Person)
        .join(Workspace, Workspace.id == Member.workspace_id)
        .join(Person, Person.id == Member.person_id)
        .order_by(Workspace.name, func.lower(Person.name), Person.id, Member.origin)
    )
    if workspace is not None:
        statement = statement.where(Workspace.name == workspace)
    if visible is not None:
        statement = statement.where(Workspace.id.in_(visible))
    return [ListedMember(*row) for row in session.execute(statement)]


def set_member(session: Session, workspace_id: int, person_id: uuid.UUID, role: Role, set_by: str | None) -> uuid.UUID:
    """Give a membership on behalf of an owner, new or changed; return its id."""
    get_person(session, person_id)
    values = {"workspace_id": workspace_id, "person_id": person_id, "origin": OWNER}
    changed = {"role": role.value, "set_by": set_by}
    adding = insert(Member).values(id=uuid.uuid4(), **values, **changed)
    made = adding.on_conflict_do_update(index_elements=list(values), set_=changed).returning(Member.id)
    return session.execute(made).scalar_one()


def get_member(session: Session, member_id: uuid.UUID) -> ListedMember:
    """Return a membership. Raises MemberNotFound."""
    row = session.execute(
        select(Member, Workspace.name, Person)
        .join(Workspace, Workspace.id == Member.workspace_id)
        .join(Person, Person.id == Member.person_id)
        .where(Member.id == member_id)
    ).one_or_none()
    if row is None:
        raise MemberNotFound
    return ListedMember(*row)


def delete_member(session: Session, member_id: uuid.UUID) -> None:
    session.execute(delete(Member).where(Member.id == member_id))


def names_of(session: Session, workspace_ids: Collection[int]) -> dict[int, str]:
    named = select(Workspace.id, Workspace.name).where(Workspace.id.in_(workspace_ids))
    return dict(session.execute(named).all())


def asked_by(session: Session, actor: str, query: uuid.UUID) -> bool:
    return session.scalar(select(Query.id).where(Query.id == query, Query.asked_by == actor)) is not None


def add_deed(session: Session, actor: str, operation: str, path: str) -> None:
    session.add(Deed(actor=actor, operation=operation, path=path))


def delete_old_deeds(session: Session, days: float) -> None:
    session.execute(delete(Deed).where(Deed.created_at < func.now() - timedelta(days=days)))


def list_deeds(session: Session, actor: str | None, before: int | None, limit: int) -> Sequence[Deed]:
    """Return the recorded requests, newest first."""
    statement = select(Deed).order_by(Deed.id.desc()).limit(limit)
    if actor is not None:
        statement = statement.where(Deed.actor == actor)
    if before is not None:
        statement = statement.where(Deed.id < before)
    return session.scalars(statement).all()
