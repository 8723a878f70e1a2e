"""SQL conditions for document filters."""

import re
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Numeric, Text, and_, any_, case, cast, func, or_
from sqlalchemy.dialects.postgresql import JSONB, array

from db.models import Document
from domain.query.options import Bounds, DocumentFilter, MetadataValue

_NUMBER = r"^-?[0-9]+(\.[0-9]+)?$"
_YEAR = "^[0-9]{4}"


def conditions(wanted: DocumentFilter | None) -> list[ColumnElement[bool]]:
    if wanted is None:
        return []
    restrictions: list[ColumnElement[bool]] = []
    if wanted.document_ids is not None:
        restrictions.append(Document.id.in_(wanted.document_ids))
    if wanted.filenames is not None:
        restrictions.append(Document.filename.in_(wanted.filenames))
    return restrictions + [_metadata(key, value) for key, value in wanted.metadata.items()]


def _metadata(key: str, value: MetadataValue | list[MetadataValue] | Bounds) -> ColumnElement[bool]:
    stored = Document.details[key]
    if isinstance(value, Bounds):
        return and_(*_within(stored, stored.astext, value))
    # 2024, 2024.0 and "2024" are the same year, and letter case (of a ticker, say) does not matter.
    items = value if isinstance(value, list) else [value]
    accepted = [str(int(item) if isinstance(item, float) and item.is_integer() else item).lower() for item in items]
    in_list = cast(func.lower(cast(stored, Text)), JSONB).has_any(array(accepted, type_=Text))
    return or_(func.lower(stored.astext) == any_(array(accepted, type_=Text)), in_list)


def _within(stored: ColumnElement[Any], text: ColumnElement[str], bounds: Bounds) -> list[ColumnElement[bool]]:
    # Numbers compare numerically, and all other texts alphabetically, which orders ISO dates in time.
    number = case((text.regexp_match(_NUMBER), cast(text, Numeric)))
    single = func.jsonb_typeof(stored).in_(["string", "number"])
    comparisons: list[ColumnElement[bool]] = []
    for bound, is_least in ((bounds.gte, True), (bounds.lte, False)):
        if isinstance(bound, str):
            # Cut to the bound's precision, so that an upper bound of a day includes that whole day.
            compared = text if is_least else func.left(text, len(bound))
            comparisons += [single, compared >= bound if is_least else compared <= bound]
            comparisons += [text.regexp_match(_YEAR)] if re.match(_YEAR, bound) else []
        elif bound is not None:
            limit = Decimal(str(bound))
            comparisons.append(number >= limit if is_least else number <= limit)
    return comparisons
