"""The remaining time and money of a query, and what is left out when they run short.

| used   | left out                                                                                     |
|--------|----------------------------------------------------------------------------------------------|
| 50 %   | waiting for models that fail, by steps that the query can do without                         |
| 70 %   | further corrective rounds                                                                    |
| 85 %   | repairs that ask a model: failing citations are removed, failing sentences keep their state   |
| 90 %   | waiting for models that fail, by the step that writes the answer: the rest is left for it     |
| 100 %  | every model call: what was not checked is `not_checked`; without an answer the query fails    |
"""

from dataclasses import dataclass

NO_OPTIONAL_WAIT = 0.50
NO_ROUND = 0.70
NO_REPAIR = 0.85
NO_WAIT = 0.90
NO_CALL = 1.0

DEADLINE, CEILING = "deadline_exceeded", "cost_ceiling"
CODES = frozenset({DEADLINE, CEILING})


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds since acceptance and US dollars spent, with their limits; None means no limit."""

    used_s: float = 0.0
    deadline_s: float | None = None
    spent_usd: float = 0.0
    max_cost_usd: float | None = None

    @property
    def left_s(self) -> float | None:
        """Seconds until the deadline, negative after it; None without one."""
        return None if self.deadline_s is None else self.deadline_s - self.used_s

    def until_s(self, share: float) -> float | None:
        """Seconds until this share of the time is used, negative after it; None without a deadline."""
        return None if self.deadline_s is None else share * self.deadline_s - self.used_s

    @property
    def time_share(self) -> float:
        """The share of the time used; above 1 after the deadline."""
        return self.used_s / self.deadline_s if self.deadline_s else 0.0

    @property
    def cost_share(self) -> float:
        return self.spent_usd / self.max_cost_usd if self.max_cost_usd else 0.0

    def has_used(self, share: float) -> bool:
        return max(self.time_share, self.cost_share) >= share

    @property
    def code(self) -> str:
        return DEADLINE if self.time_share >= self.cost_share else CEILING

    @property
    def reason(self) -> str:
        if self.code == DEADLINE:
            if self.time_share >= NO_CALL:
                return "the query's deadline passed"
            return f"{self.time_share:.0%} of the query's time was used"
        if self.cost_share >= NO_CALL:
            return "the query's cost ceiling was reached"
        return f"{self.cost_share:.0%} of the query's cost ceiling was spent"
