"""Evaluations: the measurements, the verifier and the data (N8)."""

import uuid

from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CreatedAt, Json


class Evaluation(Base):
    """One finished run; `kind` is `verification` or `retrieval`, `n` counts its pairs or questions.

    `files` has the name and SHA-256 of each input file, `results` the JSON that the command printed.
    """

    __tablename__ = "evaluations"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    kind: Mapped[str]
    verifier: Mapped[str]
    provider: Mapped[str]
    files: Mapped[list[dict[str, object]]]
    n: Mapped[int]
    results: Mapped[Json]
    created_at: Mapped[CreatedAt] = mapped_column(index=True)
