"""Calls to models: begun, finished (A4), and replies stored for identical requests (A5, S4.7).

Every call counts, failed attempts included. Without the cached ones, the ledger must equal the provider's bill.
Beside them are the models that were tried and chosen on the page.
"""

import uuid
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Identity, Index, Numeric, false, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, CreatedAt, Json, Owned, OwnedKey


class ModelCall(Base):
    """A call to a model: tokens as billed, cost in US dollars, `duration_ms` wall time; `estimated` when the server
    reported no usage.

    `kept`: answered from the reply cache without a call; `hedged`: a second call because the first was late. `unknown`:
    the process that made it was killed, so its outcome is not known; tokens and cost are upper bounds. `prompt_sha256`
    is the hash of the whole prompt (clients.llm.protocol). `execution` is the execution of the step that made the call;
    the calls of an execution are booked once.
    """

    __tablename__ = "model_calls"
    __table_args__ = (Index(None, "query_id"),)

    id: Mapped[BigId]
    tenant_id: Mapped[Owned]
    query_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"))
    round: Mapped[int]
    step: Mapped[str]
    item: Mapped[str]
    provider: Mapped[str]
    model: Mapped[str]
    prompt: Mapped[str]
    prompt_version: Mapped[str]
    attempt: Mapped[int]
    status: Mapped[int | None]
    error: Mapped[str | None]
    finish_reason: Mapped[str | None]
    request_id: Mapped[str | None]
    prompt_tokens: Mapped[int]
    cached_tokens: Mapped[int]
    completion_tokens: Mapped[int]
    reasoning_tokens: Mapped[int]
    estimated: Mapped[bool]
    cost_usd: Mapped[Decimal] = mapped_column(Numeric(14, 9))
    duration_ms: Mapped[float]
    reply_text: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    kept: Mapped[bool] = mapped_column(server_default=false())
    hedged: Mapped[bool] = mapped_column(server_default=false())
    prompt_sha256: Mapped[str | None]
    unknown: Mapped[bool] = mapped_column(server_default=false())
    execution: Mapped[uuid.UUID | None]


class BegunCall(Base):
    """A call that has begun; `call` becomes the ledger row if the outcome is never known; all calls of a running step
    share one `token`.

    `worker` held the step's lease when the call began. `ended` has the known facts of the call since its reply was
    stored, under its `key`.
    """

    __tablename__ = "begun_calls"

    query_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    token: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    tenant_id: Mapped[Owned]
    worker: Mapped[str]
    round: Mapped[int]
    step: Mapped[str]
    call: Mapped[dict[str, Any]] = mapped_column(JSONB)
    ended: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    begun_at: Mapped[datetime] = mapped_column(server_default=func.now())


class KeptReply(Base):
    """A stored reply; `key` is the SHA-256 of everything that a reply depends on (clients.llm.calling.reply_cache);
    `used_at` is accurate to the hour."""

    __tablename__ = "kept_replies"

    tenant_id: Mapped[OwnedKey]
    key: Mapped[bytes] = mapped_column(primary_key=True)
    reply_text: Mapped[str]
    model: Mapped[str]
    created_at: Mapped[CreatedAt] = mapped_column(index=True)
    used_at: Mapped[datetime] = mapped_column(server_default=func.now())


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
