"""How people sign in: by OpenID Connect, at the identity provider of their company."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from config import Group


class GroupRule(Group):
    """What the members of a group get (domain.people.granted)."""

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
    client_id: str = Field(default="", description="What the provider calls Citewell")
    client_secret: SecretStr | None = Field(default=None, description="Its secret there; none for a public client")
    scopes: tuple[str, ...] = Field(
        default=("openid", "profile", "email"), description="What to ask for; `openid` has to be among it"
    )
    groups_claim: str = Field(default="groups", description="The claim with a person's groups")
    groups: tuple[GroupRule, ...] = Field(
        default=(),
        description='Who may do what, as `[{"group": "finance", "role": "reader", "workspaces": ["reports"]}]`; '
        "without `workspaces` in all of them, `*` is everybody",
    )
    session_hours: float = Field(
        default=10.0, gt=0, le=24 * 30, description="A session ends after this; groups are read when people sign in"
    )
    session_idle_minutes: float = Field(default=120.0, gt=0, description="A session ends when unused for this long")
    personal_keys_days: float = Field(
        default=30.0, gt=0, description="Personal keys stop working when their owner has not signed in for so many days"
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
    """Whether nobody on the way can read or change what is sent to this address: https, or this very machine."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost"))
