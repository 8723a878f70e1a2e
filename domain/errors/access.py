"""Callers who are unknown, or may not do what they ask for (401, 403)."""

from citewell_verify.errors import CitewellError


class Unauthenticated(CitewellError):
    """Nobody is known who may do this."""

    status = 401


class KeyRequired(Unauthenticated):
    """Send a key as `Authorization: Bearer cw_…`; `citewell keys create` makes one."""


class KeyInvalid(Unauthenticated):
    """There is no such key; check that it was copied whole."""


class KeyExpired(Unauthenticated):
    """The key has expired; use another one."""


class KeyRevoked(Unauthenticated):
    """The key was revoked; use another one."""


class SignInRequired(Unauthenticated):
    """Sign in; a program sends a key as `Authorization: Bearer cw_…`."""


class Forbidden(CitewellError):
    """This is not allowed."""

    status = 403


class ScopeMissing(Forbidden):
    """The key does not have the scope that this needs."""


class SharingOff(Forbidden):
    """Answers are not shared here; `access.share_max_hours` allows it."""


class ModelChoiceForbidden(Forbidden):
    """Models are not chosen on the page here; `models.from_page` allows it."""


class KeyRequiredHere(Forbidden):
    """Without a key only this machine is served, at a loopback address; or make a key: `citewell keys create`"""


class WorkspaceForbidden(Forbidden):
    """This workspace is not open to you."""


class RoleMissing(Forbidden):
    """This needs a role that you do not have."""


class ConversationOfAnother(Forbidden):
    """Somebody else began this conversation. Go on in one of your own: POST to its `branches`, and ask there; or ask an
    owner of its workspace for the role 'contributor'."""


class PersonRequired(Forbidden):
    """Only a person who is signed in has personal keys."""


class ForeignPage(Forbidden):
    """A session counts only for requests of Citewell's own page; a program sends a key."""


class RoleOfGroup(Forbidden):
    """This role comes from a group at the identity provider, and ends there."""


class KeyLimited(Forbidden):
    """This concerns all workspaces, and you may use some; ask an administrator, or use a key without a limit."""
