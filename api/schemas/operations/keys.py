"""API keys on the wire."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from api.schemas.texts import Input, KeyName, WorkspaceName
from domain.keys import Scope

MAX_DAYS = 3650
MAX_PER_MINUTE = 1_000_000


class KeyCreate(Input):
    """The properties of a new key."""

    name: KeyName
    # JSON has no enumerations, only strings.
    scopes: list[Annotated[Scope, Field(strict=False)]] = Field(min_length=1, max_length=10, examples=[["read", "ask"]])
    expires_in_days: int | None = Field(default=None, ge=1, le=MAX_DAYS, description="Without it the key never does.")
    requests_per_minute: int | None = Field(
        default=None, ge=1, le=MAX_PER_MINUTE, description="Without it the limit of the configuration holds."
    )
    workspaces: list[WorkspaceName] | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        description="The key opens only these; without it all of the tenant. Such a key has neither the scope "
        "`webhooks` nor `admin`.",
        examples=[["finance"]],
    )


class OwnKeyCreate(Input):
    """The properties of a new personal key."""

    name: KeyName
    scopes: list[Literal["read", "ask", "documents"]] = Field(min_length=1, max_length=10, examples=[["read", "ask"]])
    expires_in_days: int = Field(default=90, ge=1, le=365, description="A personal key always ends.")
    workspaces: list[WorkspaceName] | None = Field(
        default=None, min_length=1, max_length=100, description="Only these; without it all that are open to you."
    )


class KeyRead(BaseModel):
    """A key without its secret part."""

    id: str = Field(description="The public part of the key, after `cw_`.")
    tenant: str
    name: str
    person_id: UUID | None = Field(description="Whose personal key it is; null for a key of a program.")
    scopes: list[Scope]
    workspaces: list[str] | None = Field(
        description="What the key is limited to; null: nothing. A deleted workspace leaves the list."
    )
    requests_per_minute: int | None = Field(description="Null: the limit of the configuration.")
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None = Field(description="To the minute.")
    revoked_at: datetime | None


class KeyCreated(KeyRead):
    """A new key; only this response contains the whole of it."""

    key: str = Field(description="Send it as `Authorization: Bearer cw_…`; it cannot be shown again.")


class KeyList(BaseModel):
    """The keys of the tenant, including revoked ones."""

    keys: list[KeyRead]
