"""Evaluations: appended, never changed."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.models import Evaluation


def add_evaluation(session: Session, evaluation: Evaluation) -> None:
    session.add(evaluation)


def list_evaluations(session: Session, limit: int) -> list[Evaluation]:
    return list(session.scalars(select(Evaluation).order_by(Evaluation.created_at.desc(), Evaluation.id).limit(limit)))
