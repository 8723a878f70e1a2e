"""Finds the one slot in which a statement differs from a sentence of its source: a stub until the real one is merged."""

from domain.facts.kinds import Disagreement


def plain_substitution(statement: str, source: str, context: str = "") -> Disagreement | None:
    """Return the difference of a statement that is otherwise a sentence of the source; None if it is none."""
    del statement, source, context
    return None
