"""Settings of access to the API: keys, other pages, and people who sign in at their company's provider."""

import re
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from config import Group


class GroupRule(Group):
    """The rights of a group's members (domain.people.granted)."""

    group: str = Field(min_length=1)
    role: Literal["none", "reader", "contributor", "owner", "admin"]
    workspaces: tuple[str, ...] = ()
    tenant: str = Field(default="default", min_length=1)

    @model_validator(mode="after")
    def _of_workspaces(self) -> "GroupRule":
        if self.workspaces and self.role in ("none", "admin"):
            raise ValueError(f"the role {self.role!r} is of a whole tenant; leave `workspaces` out")
        return self


class OidcSettings(Group):
    """Sign-in by OpenID Connect; without `issuer` there is none."""

    issuer: str | None = Field(
        default=None, description="Address of the provider, as its tokens name it; sets up sign-in (docs/access.md)"
    )
    client_id: str = Field(default="", description="Name by which the provider knows Citewell")
    client_secret: SecretStr | None = Field(
        default=None, description="Citewell's secret at the provider; none for a public client"
    )
    scopes: tuple[str, ...] = Field(
        default=("openid", "profile", "email"), description="Scopes to request; must contain `openid`"
    )
    groups_claim: str = Field(default="groups", description="The claim with a person's groups")
    groups: tuple[GroupRule, ...] = Field(
        default=(),
        description='Rights of groups, as `[{"group": "finance", "role": "reader", "workspaces": ["reports"]}]`; '
        "without `workspaces` in all of them, the group `*` is everybody",
    )
    session_hours: float = Field(
        default=10.0, gt=0, le=24 * 30, description="A session ends after this; groups are read when people sign in"
    )
    session_idle_minutes: float = Field(default=120.0, gt=0, description="A session ends when unused for this long")
    personal_keys_days: float = Field(
        default=30.0,
        gt=0,
        description="Personal keys stop working when their owner has not signed in for this many days",
    )

    @field_validator("issuer")
    @classmethod
    def _address(cls, issuer: str | None) -> str | None:
        if issuer is None:
            return None
        if not is_safe(issuer):
            raise ValueError("must begin with https://; http:// is for a provider on this machine only")
        return issuer.rstrip("/") if urlsplit(issuer).path in ("", "/") else issuer

    @model_validator(mode="after")
    def _whole(self) -> "OidcSettings":
        if self.issuer and not self.client_id:
            raise ValueError("`issuer` needs `client_id`, too")
        if self.issuer and "openid" not in self.scopes:
            raise ValueError("`scopes` must have `openid`")
        return self


def is_safe(address: str) -> bool:
    """Return whether nobody on the way can read or change data for this address: https, or this very machine."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost"))


SHARE_MAX_HOURS = 87_600
"""The longest life of a link that any setting or request can allow: ten years."""
_ORIGIN = re.compile(r"https?://(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?")


class AccessSettings(Group):
    """Settings of access to the API (A8). `keys: auto` requires a key unless the API listens on loopback only."""

    keys: Literal["auto", "required"] = Field(
        default="auto", description="`auto` requires a key unless the API listens on loopback only"
    )
    requests_per_minute: int = Field(
        default=600, ge=1, description="`POST` requests per key; a key can have its own limit"
    )
    share_max_hours: int = Field(
        default=720,
        ge=0,
        le=SHARE_MAX_HOURS,
        description="Longest life of a link that opens an answer without a key; 0 allows none",
    )
    origins: tuple[str, ...] = Field(
        default=(),
        description="Origins of other pages that may use the API from a browser, with a key; `*` for all (CORS)",
    )
    keep_deeds_days: float | None = Field(
        default=None, gt=0, description="Days for which the record of people's requests is kept; null: for good"
    )
    oidc: OidcSettings = OidcSettings()

    @field_validator("origins")
    @classmethod
    def _origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"{origin!r} is no origin; write it as browsers send it, such as https://app.example.com or "
                    "http://localhost:5173: in small letters, without a path and without a slash at its end"
                )
        if "*" in origins and len(origins) > 1:
            raise ValueError("`*` allows all origins; give it alone")
        return origins
