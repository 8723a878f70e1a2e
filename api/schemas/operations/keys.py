"""API keys as JSON."""

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
    expires_in_days: int | None = Field(
        default=None, ge=1, le=MAX_DAYS, description="If omitted, the key never expires."
    )
    requests_per_minute: int | None = Field(
        default=None, ge=1, le=MAX_PER_MINUTE, description="If omitted, the limit of the configuration applies."
    )
    workspaces: list[WorkspaceName] | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        description="The only workspaces that the key opens; all workspaces of the tenant if omitted. Such a key has "
        "neither the scope `webhooks` nor `admin`.",
        examples=[["finance"]],
    )


class OwnKeyCreate(Input):
    """The properties of a new personal key."""

    name: KeyName
    scopes: list[Literal["read", "ask", "documents"]] = Field(min_length=1, max_length=10, examples=[["read", "ask"]])
    expires_in_days: int = Field(default=90, ge=1, le=365, description="A personal key always expires.")
    workspaces: list[WorkspaceName] | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        description="The only workspaces that the key opens; if omitted, all that are open to you.",
    )


class KeyRead(BaseModel):
    """A key without its secret part."""

    id: str = Field(description="The public part of the key, after `cw_`.")
    tenant: str
    name: str
    person_id: UUID | None = Field(description="The owner of a personal key; null for a key of a program.")
    scopes: list[Scope]
    workspaces: list[str] | None = Field(
        description="The only workspaces that the key opens; null: all of them. A deleted workspace leaves the list."
    )
    requests_per_minute: int | None = Field(description="Null: the limit of the configuration applies.")
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None = Field(description="Exact to the minute.")
    revoked_at: datetime | None


class KeyCreated(KeyRead):
    """A new key; only this response contains its secret part."""

    key: str = Field(description="Send it as `Authorization: Bearer cw_…`; it cannot be shown again.")


class KeyList(BaseModel):
    """The keys of the tenant, including revoked ones."""

    keys: list[KeyRead]
