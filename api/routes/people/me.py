"""The caller, and a person's own keys."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from api.http.accepted_requests import require_json
from api.http.security import caller_of
from api.schemas.operations.keys import KeyCreated, KeyList, OwnKeyCreate
from api.schemas.operations.people import Me
from domain.errors.access import PersonRequired
from domain.errors.missing import KeyNotFound
from domain.keys import ID_LENGTH, Scope
from domain.people import Rights
from services.operations import api_keys
from services.people import members

router = APIRouter(prefix="/v1/me", tags=["people"])

KeyId = Annotated[str, Path(pattern=f"^[0-9A-Za-z]{{{ID_LENGTH}}}$")]


@router.get("", response_model=Me)
def get_me(request: Request) -> object:
    """The caller: a person with their roles, a key, or the local user of a machine that needs no key."""
    caller = caller_of(request)
    if caller is None or caller.rights is None:
        return {"kind": "local" if caller is None else "key"}
    person = members.read_person(caller.rights.person_id)
    workspaces = members.names_of_workspaces(caller.rights)
    return {"kind": "person", **{name: person[name] for name in _SHOWN}, "workspaces": workspaces}


_SHOWN = ("id", "name", "email", "everywhere")


@router.get("/keys", response_model=KeyList)
def list_own_keys(request: Request) -> object:
    """Your personal keys, newest first. A caller that is not a person has none."""
    rights = _rights(request)
    return {"keys": [] if rights is None else api_keys.read_keys(rights.person_id)}


@router.post("/keys", status_code=201, response_model=KeyCreated, dependencies=[Depends(require_json)])
def create_own_key(new: OwnKeyCreate, request: Request, response: Response) -> object:
    """Create a key for your programs. At any time it may do what you may do, within its scopes and workspaces, and it
    ends with your access. Only this response shows it."""
    caller, rights = caller_of(request), _rights(request)
    if caller is None or rights is None or not caller.is_signed_in:
        raise PersonRequired
    response.headers["Cache-Control"] = "no-store"
    wanted = api_keys.NewKey(
        new.name,
        [Scope(scope) for scope in new.scopes],
        new.expires_in_days,
        None,
        new.workspaces,
        person_id=rights.person_id,
    )
    return api_keys.create_key(wanted)


@router.delete("/keys/{key_id}", status_code=204)
def revoke_own_key(key_id: KeyId, request: Request) -> None:
    """Revoke one of your keys: within 5 seconds no server accepts it any more."""
    rights = _rights(request)
    if rights is None:
        raise KeyNotFound
    api_keys.revoke_key(key_id, rights.person_id)


def _rights(request: Request) -> Rights | None:
    caller = caller_of(request)
    return None if caller is None else caller.rights
