"""Models that were tried and chosen on the page."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, text
from sqlalchemy.orm import Mapped

from db.base import Base, BigId, CreatedAt, Json


class ModelChoice(Base):
    """A server and its models, as they were tried; it belongs to the installation, and only system transactions see it.

    `settings` are those as in config.yaml, without the key, which is `api_key`, encrypted (clients.stored_secrets),
    until no query needs it any more.
    `trials` is the table of the trial, `told` the settings as `citewell models use` would write them. The trial has
    ended at `tried_at`, with a `problem` if the models cannot be used. The choice that has `chosen_at` and no
    `ended_at` counts.
    """

    __tablename__ = "model_choices"
    __table_args__ = (
        Index(
            "uq_model_choices_current",
            text("(true)"),
            unique=True,
            postgresql_where=text("chosen_at IS NOT NULL AND ended_at IS NULL"),
        ),
    )

    id: Mapped[BigId]
    settings: Mapped[Json]
    api_key: Mapped[str | None]
    trials: Mapped[list[Any]]
    told: Mapped[list[Any] | None]
    problem: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    tried_at: Mapped[datetime | None]
    chosen_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
