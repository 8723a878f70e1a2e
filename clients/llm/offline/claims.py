"""Targeted searches for unsupported claims, and small repairs, without a model (S2.3, N5)."""

from domain.correction.substitution import corrected
from domain.prompting.judgements import Rewritten, TargetedQueries
from domain.prompting.numbered_sources import Sources


def plan_queries(claims: str, count: int) -> TargetedQueries:
    """S2.3: search for the claims themselves, one per line."""
    lines = [line.strip().removeprefix("- ").strip() for line in claims.splitlines()]
    return TargetedQueries(queries=[line for line in lines if line][:count])


def rewrite_statement(statement: str, sources: Sources) -> Rewritten:
    """N5, V6: the statement with wrong figures replaced by the source's; empty if that does not repair it."""
    for source in sources:
        if text := corrected(statement, source.text, source.context):
            return Rewritten(text=text, source=source.number)
    return Rewritten(text="", source=0)
