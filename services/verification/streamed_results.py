"""Results of the checks made while the answer was still being written (N1).

They are stored by what was checked. The complete answer uses those that it needs; missing ones are made then, and the
others are wasted.
"""

from collections.abc import Collection, Iterator, Set

from citewell_verify.answers.statements import check_keys
from citewell_verify.judging.model import Checked
from db.queries.runs.steps import list_values
from db.session import reading
from domain.query.outcomes import CHECK_EARLY, CHECK_STATEMENTS, SENTENCES, CheckedEarly, Closed, ClosedSentence
from services.core.context import StepContext

PublishedSentence = tuple[int, int, int, str, str]
"""(index, start, end, text, status)."""


def early_checks(context: StepContext) -> dict[str, Checked]:
    return {key: checked for _, early in _batches(context) for key, checked in early["checks"].items()}


def states_so_far(context: StepContext, batches: Collection[str]) -> list[str]:
    with reading() as session:
        values = list_values(session, context.query.id, context.round, CHECK_EARLY, batches)
    return [status for value in values for _, status in value.get("told", [])]


def published_early(context: StepContext) -> Set[PublishedSentence]:
    return {
        (said["index"], said["start"], said["end"], said["text"], status)
        for sentences, early in _batches(context)
        for place, status in early["told"]
        for said in (sentences[place],)
    }


def _batches(context: StepContext) -> Iterator[tuple[list[ClosedSentence], CheckedEarly]]:
    for (step, item), outcome in context.outcomes.items():
        # A batch that broke, or was left out, has no checks; its sentences are checked with the rest.
        if step == CHECK_EARLY and "checks" in outcome:
            yield Closed(**context.outcomes[SENTENCES, item])["sentences"], CheckedEarly(**outcome)


def draft_keys(context: StepContext) -> dict[str, str]:
    return check_keys(context.draft["text"], context.citable)


def adopted_checks(context: StepContext) -> dict[str, Checked]:
    if not (early := early_checks(context)):
        return {}
    return {item: early[key] for item, key in draft_keys(context).items() if key in early}


def unchecked_items(context: StepContext) -> list[str]:
    early = early_checks(context)
    keys = draft_keys(context).items()
    return [item for item, key in keys if key not in early and context.read(CHECK_STATEMENTS, item) is None]


def undispatched_items(context: StepContext) -> list[str]:
    keys, dispatched = draft_keys(context), context.draft.get("early", [])
    return [item for item in unchecked_items(context) if keys[item] not in dispatched]
