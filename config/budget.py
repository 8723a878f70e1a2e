"""Default deadline and cost ceiling of a query; a request can override both."""

from pydantic import Field

from config.group import Group


class BudgetSettings(Group):
    """The deadline counts from acceptance, for an item of a batch from its start. Docs: api.md, "Deadline and cost
    ceiling".
    """

    deadline_s: float = Field(default=300.0, gt=0, le=86_400, description="Default deadline of a query")
    max_cost_usd: float | None = Field(default=None, gt=0, description="Default cost ceiling of a query; null: none")
    grace_s: float = Field(
        default=30.0, gt=0, description="A query that no worker has touched for this long after its deadline fails"
    )
