"""Settings for answers whose sources change, and for how long raw replies are stored."""

from pydantic import Field

from config.group import Group


class StandingSettings(Group):
    """Standing verification (N7). Without `reverify` no model is called: the cited passages are compared as text."""

    enabled: bool = Field(default=True, description="false: changes are noted, and looked at when it is true again")
    reverify: bool = Field(default=False, description="verify again what may still hold; costs model calls")
    max_per_change: int = Field(default=100, ge=0, description="answers that are verified again for one change")
    batch: int = Field(default=50, ge=1, description="citations that are looked at in one transaction")
    check_s: float = Field(default=5.0, gt=0, description="how often changes are looked for")
    settle_s: float = Field(
        default=900.0, ge=0, description="until a second look, for answers that were being written meanwhile"
    )


class AuditSettings(Group):
    keep_replies_s: float | None = Field(
        default=None, gt=0, description="raw replies are erased so long after the end; their hashes stay. None: never"
    )
