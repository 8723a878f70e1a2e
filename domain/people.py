"""The rights of people: a role in each workspace, given by the groups of their company and by a workspace's owners.

A key has scopes; a person has roles. An operation needs one role, and the person acts within the workspaces in which
they have at least that role, like a key that is limited to these workspaces (`db.session.act_for`).
"""

import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Role(StrEnum):
    """The role of a person, from the weakest to the strongest; each role includes the ones before it."""

    NONE = "none"
    """Be known, and see no workspace."""
    READER = "reader"
    """Read documents and answers, ask, and say what they think of an answer."""
    CONTRIBUTOR = "contributor"
    """Add, correct and delete documents, share answers, and end what others began."""
    OWNER = "owner"
    """Change and delete the workspace and its sources, and choose its members."""
    ADMIN = "admin"
    """Everything in the tenant: all workspaces, people, keys, webhooks, and models where that is allowed."""

    @property
    def rank(self) -> int:
        return _ORDER.index(self)


_ORDER = tuple(Role)
EVERYBODY = "*"
"""As the group of a rule, this means everybody whom the provider lets in."""


@dataclass(frozen=True, slots=True)
class Rights:
    """The rights of a person in their tenant: `roles` by the id of a workspace; `everywhere` is the least role in
    any.
    """

    person_id: uuid.UUID
    everywhere: Role = Role.NONE
    roles: Mapping[int, Role] = field(default_factory=dict[int, Role])

    def opens(self, needed: Role) -> tuple[int, ...] | None:
        """The ids of the workspaces in which the person has at least the role `needed`; None means all workspaces, also
        future ones."""
        if self.everywhere.rank >= max(needed.rank, Role.READER.rank):
            return None
        return tuple(sorted(id_ for id_, role in self.roles.items() if role.rank >= needed.rank))


class Rule(Protocol):
    """The role that the members of a group get in `workspaces`, or in the whole tenant if there are none."""

    @property
    def group(self) -> str: ...
    @property
    def tenant(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def workspaces(self) -> Collection[str]: ...


@dataclass(frozen=True, slots=True)
class Grant:
    """The roles that a person has through groups: by the name of a workspace, and `everywhere` the role in all of
    them.
    """

    tenant: str
    everywhere: Role
    roles: Mapping[str, Role]


def granted(rules: Iterable[Rule], groups: Collection[str]) -> Grant | None:
    """The roles that the rules give to somebody in these groups; None when no rule lets them in.

    A person belongs to one tenant, that of the first rule that matches; rules of others then do not count.
    """
    matching = [rule for rule in rules if rule.group == EVERYBODY or rule.group in groups]
    if not matching:
        return None
    tenant = matching[0].tenant
    everywhere, roles = Role.NONE, dict[str, Role]()
    for rule in matching:
        role = Role(rule.role)
        if rule.tenant != tenant:
            continue
        if not rule.workspaces:
            everywhere = max(everywhere, role, key=lambda known: known.rank)
        for name in rule.workspaces:
            roles[name] = max(roles.get(name, Role.NONE), role, key=lambda known: known.rank)
    return Grant(tenant, everywhere, roles)
