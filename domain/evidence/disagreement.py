"""A disagreement of a claim with its source, as `domain.evidence.contradictions` finds it."""

from dataclasses import dataclass

from domain.facts.kinds import Kind


@dataclass(frozen=True, slots=True)
class Disagreement:
    """`claim_value` is in the claim; `source_value` is what the source says instead, None if it says nothing about it.

    `message` states both in one sentence for users. Not `sure`: it has no positive ground (`domain.evidence.grounds`),
    so the claim is unproven rather than contradicted.
    """

    kind: Kind
    claim_value: str
    source_value: str | None
    message: str
    sure: bool = True
