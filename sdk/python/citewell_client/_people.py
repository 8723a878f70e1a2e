"""People who sign in, and their roles in workspaces: `client.people` and `client.members` of both clients."""

from typing import Any

from citewell_client._calls import JSON_TYPE, Call, at, json_body, list_of, nothing_of, object_of, without_none
from citewell_client._transport import AsyncTransport, Transport
from citewell_client.types import Deed, Me, Member, Person


def _me() -> Call[Me]:
    return Call("GET", at("me"), object_of)


def _people() -> Call[list[Person]]:
    return Call("GET", at("people"), list_of("people"))


def _revoke(person_id: str, *, revoked: bool) -> Call[Person]:
    return Call("PATCH", at("people", person_id), object_of, headers=JSON_TYPE, body=json_body({"revoked": revoked}))


def _deeds(filters: dict[str, Any]) -> Call[list[Deed]]:
    return Call("GET", at("deeds"), list_of("deeds"), without_none(**filters))


def _members(workspace: str | None) -> Call[list[Member]]:
    return Call("GET", at("members"), list_of("members"), without_none(workspace=workspace))


def _set(workspace: str, person_id: str, role: str) -> Call[Member]:
    fields = {"workspace": workspace, "person_id": person_id, "role": role}
    return Call("POST", at("members"), object_of, headers=JSON_TYPE, body=json_body(fields))


def _remove(member_id: str) -> Call[None]:
    return Call("DELETE", at("members", member_id), nothing_of)


class People:
    """The people of the tenant."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def me(self) -> Me:
        """Return whom the client acts for: a person with their roles, a key, or the local user of a machine without
        keys."""
        return self._transport.send(_me())

    def deeds(self, *, actor: str | None = None, before: int | None = None, limit: int | None = None) -> list[Deed]:
        """Return requests by people that may have changed something, the newest first; `before` is the id of the last
        one that was read."""
        return self._transport.send(_deeds({"actor": actor, "before": before, "limit": limit}))

    def list(self) -> list[Person]:
        """Return everybody who has signed in, by name."""
        return self._transport.send(_people())

    def revoke(self, person_id: str, *, revoked: bool = True) -> Person:
        """Exclude a person and end their sessions and personal keys; with `revoked=False` they may sign in again."""
        return self._transport.send(_revoke(person_id, revoked=revoked))


class Members:
    """Roles of people in workspaces."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, workspace: str | None = None) -> list[Member]:
        """Return the members of a workspace, or of all workspaces that the caller may manage."""
        return self._transport.send(_members(workspace))

    def set(self, workspace: str, person_id: str, role: str) -> Member:
        """Give a person a role: `reader`, `contributor` or `owner`. A role from a group stays."""
        return self._transport.send(_set(workspace, person_id, role))

    def remove(self, member_id: str) -> None:
        """End a membership that an owner gave."""
        self._transport.send(_remove(member_id))


class AsyncPeople:
    """The people of the tenant."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def me(self) -> Me:
        """Return whom the client acts for: a person with their roles, a key, or the local user of a machine without
        keys."""
        return await self._transport.send(_me())

    async def deeds(
        self, *, actor: str | None = None, before: int | None = None, limit: int | None = None
    ) -> list[Deed]:
        """Return requests by people that may have changed something, the newest first; `before` is the id of the last
        one that was read."""
        return await self._transport.send(_deeds({"actor": actor, "before": before, "limit": limit}))

    async def list(self) -> list[Person]:
        """Return everybody who has signed in, by name."""
        return await self._transport.send(_people())

    async def revoke(self, person_id: str, *, revoked: bool = True) -> Person:
        """Exclude a person and end their sessions and personal keys; with `revoked=False` they may sign in again."""
        return await self._transport.send(_revoke(person_id, revoked=revoked))


class AsyncMembers:
    """Roles of people in workspaces."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, workspace: str | None = None) -> list[Member]:
        """Return the members of a workspace, or of all workspaces that the caller may manage."""
        return await self._transport.send(_members(workspace))

    async def set(self, workspace: str, person_id: str, role: str) -> Member:
        """Give a person a role: `reader`, `contributor` or `owner`. A role from a group stays."""
        return await self._transport.send(_set(workspace, person_id, role))

    async def remove(self, member_id: str) -> None:
        """End a membership that an owner gave."""
        await self._transport.send(_remove(member_id))
