"""The choices of models made on the dashboard; every statement needs a system transaction."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Integer, delete, exists, func, select, text, update
from sqlalchemy.orm import Session

from db.models import ModelChoice, Query
from domain.errors.missing import ModelTrialNotFound

_USABLE_FOR = timedelta(hours=1)
"""The time for which a trial can be used."""
_SETTLED = timedelta(minutes=1)
"""The time after which processes that had read an earlier choice have read the current one."""


def find_current(session: Session) -> ModelChoice | None:
    return session.scalar(select(ModelChoice).where(_IS_CURRENT))


def find_choice(session: Session, choice_id: int) -> ModelChoice | None:
    return session.get(ModelChoice, choice_id)


def begin_trial(session: Session) -> ModelChoice:
    begun = ModelChoice(settings={}, trials=[])
    session.add(begun)
    session.flush()
    session.refresh(begun)
    return begun


def end_trial(
    session: Session,
    trial_id: int,
    trials: Sequence[Mapping[str, object]],
    problem: str | None = None,
    *,
    settings: Mapping[str, Any] | None = None,
    api_key: str | None = None,
    told: Sequence[Mapping[str, object]] = (),
) -> None:
    """Store the result of a trial: settings that can be used, or the `problem`."""
    values = {"settings": dict(settings or {}), "api_key": api_key, "told": list(told)}
    ended = {**values, "trials": list(trials), "problem": problem, "tried_at": func.now()}
    session.execute(update(ModelChoice).where(ModelChoice.id == trial_id).values(ended))


def mark_chosen(session: Session, choice_id: int) -> ModelChoice:
    """Make a trial the current choice. Raises ModelTrialNotFound for a trial that is too old or was used before."""
    # If two trials are chosen at once, the later choice stays.
    session.execute(text("LOCK TABLE model_choices IN SHARE ROW EXCLUSIVE MODE"))
    tried = session.scalar(
        select(ModelChoice).where(
            ModelChoice.id == choice_id,
            ModelChoice.chosen_at.is_(None),
            ModelChoice.tried_at.is_not(None),
            ModelChoice.problem.is_(None),
            ModelChoice.created_at > func.now() - _USABLE_FOR,
        )
    )
    if tried is None:
        raise ModelTrialNotFound
    mark_ended(session)
    tried.chosen_at = func.now()
    session.flush()
    session.refresh(tried)
    return tried


def mark_ended(session: Session) -> None:
    session.execute(update(ModelChoice).where(_IS_CURRENT).values(ended_at=func.now()))


def forget_keys(session: Session) -> None:
    """Delete trials that were never used, and the keys of earlier choices that no open query needs."""
    session.execute(
        delete(ModelChoice).where(ModelChoice.chosen_at.is_(None), ModelChoice.created_at < func.now() - _USABLE_FOR)
    )
    is_needed = exists().where(
        Query.finished_at.is_(None), Query.options["model_choice"].astext.cast(Integer) == ModelChoice.id
    )
    session.execute(
        update(ModelChoice)
        .where(ModelChoice.ended_at < func.now() - _SETTLED, ModelChoice.api_key.is_not(None), ~is_needed)
        .values(api_key=None)
    )


_IS_CURRENT = ModelChoice.chosen_at.is_not(None) & ModelChoice.ended_at.is_(None)
