"""Default deadline and cost ceiling of a query; a request can override both."""

from pydantic import Field

from config.group import Group


class BudgetSettings(Group):
    """The deadline counts from acceptance, for an item of a batch from its start. Docs: api.md, "Deadline and cost
    ceiling".
    """

    deadline_s: float = Field(default=300.0, gt=0, le=86_400)
    max_cost_usd: float | None = Field(default=None, gt=0, description="of one query; None: no ceiling")
    grace_s: float = Field(
        default=30.0, gt=0, description="nobody works on a query for so long behind its deadline: it fails"
    )
