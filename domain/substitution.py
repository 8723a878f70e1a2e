"""The smallest repair of a wrong figure: the source's own in its place (N5)."""

from collections.abc import Sequence

from domain.disagreements import Disagreement


def substituted(claim: str, found: Sequence[Disagreement]) -> str | None:
    """Return `claim` with each wrong value replaced by the source's; None when one is unknown or nothing changes."""
    text = claim
    for each in found:
        if each.source_value is None or each.kind == "negation" or each.claim_value not in text:
            return None
        text = text.replace(each.claim_value, each.source_value)
    return text if text != claim else None
