"""Keyset pagination, newest first: each page starts after a known row."""

import uuid
from datetime import datetime
from typing import NamedTuple, TypeVarTuple

from sqlalchemy import Select, tuple_
from sqlalchemy.orm import InstrumentedAttribute

from db.base import OWN_TENANT

Ts = TypeVarTuple("Ts")


class Place(NamedTuple):
    """The last row of a page: rows of the next page are older, or of the same age with a smaller id."""

    created_at: datetime
    id: uuid.UUID


def page(
    statement: Select[*Ts],
    created_at: InstrumentedAttribute[datetime],
    id_: InstrumentedAttribute[uuid.UUID],
    *,
    after: Place | None,
    limit: int,
) -> Select[*Ts]:
    """Return the statement for the newest `limit` rows of `statement` after `after`, of the transaction's tenant.

    New rows do not shift the pages.
    """
    statement = statement.where(created_at.class_.tenant_id == OWN_TENANT)
    if after is not None:
        statement = statement.where(tuple_(created_at, id_) < tuple_(after.created_at, after.id))
    return statement.order_by(created_at.desc(), id_.desc()).limit(limit)
