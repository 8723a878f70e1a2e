"""Keys of the API."""

from typing import NotRequired, TypedDict


class Key(TypedDict):
    """`key` is the whole key, returned only when it is created; `id` is its public part."""

    id: str
    tenant: str
    name: str
    scopes: list[str]
    requests_per_minute: int | None
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None
    created_at: str
    key: NotRequired[str]
