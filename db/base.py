"""The declarative base: naming convention of constraints and shared column types."""

import uuid
from datetime import datetime
from typing import Annotated, Any, ClassVar

from sqlalchemy import BigInteger, ColumnElement, DateTime, Identity, MetaData, func, literal_column, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, mapped_column

Json = dict[str, Any]

BigId = Annotated[int, mapped_column(BigInteger, Identity(), primary_key=True)]
CreatedAt = Annotated[datetime, mapped_column(DateTime(timezone=True), server_default=func.now())]
# The tenant that the transaction acts for (db.session). Outside of a transaction for a tenant it is null, which every
# table rejects.
_OWN_TENANT = "nullif(current_setting('citewell.tenant', true), '')::bigint"
TENANT_DEFAULT = text(_OWN_TENANT)
# The row-level security policies contain an OR (db.session.system_transaction), for which no index helps. With this
# additional condition Postgres can read a tenant's rows in index order.
OWN_TENANT: ColumnElement[int] = literal_column(_OWN_TENANT, BigInteger)
# Large tables have no foreign key to the tenant: every insert would lock the tenant's row, and the parent row has the
# key anyway.
Owned = Annotated[int, mapped_column(BigInteger, server_default=TENANT_DEFAULT)]
OwnedKey = Annotated[int, mapped_column(BigInteger, server_default=TENANT_DEFAULT, primary_key=True)]


def row_json(row: object, names: str) -> Json:
    """The attributes of a row with these names, as JSON has them: ids and times are texts."""
    return {name: _plain(getattr(row, name)) for name in names.split()}


def _plain(value: Any) -> Any:
    match value:
        case uuid.UUID():
            return str(value)
        case datetime():
            return value.isoformat()
        case _:
            return value


class Base(DeclarativeBase):
    """The base class of all tables. Times have a time zone and come from the database's clock."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSONB(none_as_null=True),
        list[Any]: JSONB(none_as_null=True),
        list[int]: JSONB(none_as_null=True),
        list[str]: JSONB(none_as_null=True),
        list[list[int]]: JSONB(none_as_null=True),
        list[dict[str, object]]: JSONB(none_as_null=True),
    }
