"""Every call to a model, failed attempts included (A4). Without the cached ones, the ledger must equal the provider's
bill.
"""

import uuid
from decimal import Decimal

from sqlalchemy import ForeignKey, Index, Numeric, false
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, BigId, CreatedAt, Owned


class ModelCall(Base):
    """Tokens as billed, cost in US dollars, `duration_ms` wall time; `estimated` when the server reported no usage.

    `kept`: answered from the reply cache without a call; `hedged`: a second call because the first was late. `unknown`:
    the process that made it was killed, so its outcome is not known; tokens and cost are upper bounds. `prompt_sha256`
    is of the whole prompt (clients.llm.protocol), null before 0019. `execution` is the execution of a step that made
    it, whose calls are booked once; null before 0025.
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
