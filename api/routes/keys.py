"""API keys of the caller's tenant."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from api.http.accepted_requests import require_json
from api.schemas.operations.keys import KeyCreate, KeyCreated, KeyList
from domain.keys import ID_LENGTH
from services.operations import api_keys

router = APIRouter(prefix="/v1/keys", tags=["keys"])

KeyId = Annotated[str, Path(pattern=f"^[0-9A-Za-z]{{{ID_LENGTH}}}$")]


@router.post("", name="create_key", status_code=201, response_model=KeyCreated, dependencies=[Depends(require_json)])
def create(new: KeyCreate, response: Response) -> object:
    """Create a key for this tenant. Only this response shows it."""
    # No proxy or browser may store a secret that is shown once.
    response.headers["Cache-Control"] = "no-store"
    wanted = api_keys.NewKey(new.name, new.scopes, new.expires_in_days, new.requests_per_minute, new.workspaces)
    return api_keys.create_key(wanted)


@router.get("", response_model=KeyList)
def list_keys() -> object:
    """The newest keys first, including revoked ones."""
    return {"keys": api_keys.read_keys()}


@router.delete("/{key_id}", name="revoke_key", status_code=204)
def revoke(key_id: KeyId) -> None:
    """Revoke a key: within 5 seconds no server accepts it any more. Repeating it is harmless."""
    api_keys.revoke_key(key_id)
