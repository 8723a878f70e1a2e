"""API keys of the caller's tenant."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from api.schemas.keys import KeyCreate, KeyCreated, KeyList
from api.uploads import require_json
from domain.keys import ID_LENGTH
from services import keys

router = APIRouter(prefix="/v1/keys", tags=["keys"])

KeyId = Annotated[str, Path(pattern=f"^[0-9A-Za-z]{{{ID_LENGTH}}}$")]


@router.post("", status_code=201, response_model=KeyCreated, dependencies=[Depends(require_json)])
def create(new: KeyCreate, response: Response) -> object:
    """Make a key for this tenant. The key is shown in this response and never again."""
    # No proxy and no browser is to keep what is shown once.
    response.headers["Cache-Control"] = "no-store"
    return keys.create_key(keys.NewKey(new.name, new.scopes, new.expires_in_days, new.requests_per_minute))


@router.get("", response_model=KeyList)
def list_keys() -> object:
    """The newest keys first, those that were revoked included."""
    return {"keys": keys.read_keys()}


@router.delete("/{key_id}", status_code=204)
def revoke(key_id: KeyId) -> None:
    """Revoke a key: within 5 seconds no server accepts it any more. Again is the same."""
    keys.revoke_key(key_id)
