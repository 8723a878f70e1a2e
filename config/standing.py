"""Settings for answers whose sources change, and for how long raw replies are stored."""

from pydantic import Field

from config.group import Group


class StandingSettings(Group):
    """Standing verification (N7). Without `reverify` no model is called: the cited passages are compared as text."""

    enabled: bool = Field(default=True, description="false: changes are recorded and processed once it is true again")
    reverify: bool = Field(default=False, description="Verify affected answers again; costs model calls")
    max_per_change: int = Field(
        default=100,
        ge=0,
        description="Answers verified again for one change; the others are judged by comparing text",
    )
    batch: int = Field(default=50, ge=1, description="Citations checked per transaction")
    check_s: float = Field(default=5.0, gt=0, description="How often changes are looked for")
    settle_s: float = Field(
        default=900.0, ge=0, description="Delay of a second look, for answers being written during the change"
    )


class AuditSettings(Group):
    keep_replies_s: float | None = Field(
        default=None,
        gt=0,
        description="Erase raw replies this long after the end of the query; hashes stay. null: never",
    )
