"""Chooses what a model sees of the sources to judge a whole answer."""

from citewell_verify.judging.shown import Shown, excerpts, numbered_sources
from services.core.context import StepContext


def shown_to_judge(context: StepContext, most: int | None = None) -> Shown:
    """The `most` best retrieved passages, or those that the answer is written from; of given sources what their
    statements need. Raises SourceDeleted."""
    if context.query.is_external:
        return excerpts(context.selected_passages(), context.statements)
    found = context.selected_passages() if most is None else context.passages(context.selection["ranked"][:most])
    return Shown(found, numbered_sources(found))
