"""Which documents are searched, as conditions."""

from decimal import Decimal

from sqlalchemy import ColumnElement, Numeric, and_, case, cast, func, or_

from db.models import Document
from domain.options import Bounds, DocumentFilter, MetadataValue

_NUMBER = r"^-?[0-9]+(\.[0-9]+)?$"


def conditions(wanted: DocumentFilter | None) -> list[ColumnElement[bool]]:
    """What a document must be; nothing for no filter."""
    if wanted is None:
        return []
    found: list[ColumnElement[bool]] = []
    if wanted.document_ids is not None:
        found.append(Document.id.in_(wanted.document_ids))
    if wanted.filenames is not None:
        found.append(Document.filename.in_(wanted.filenames))
    return found + [_metadata(key, value) for key, value in wanted.metadata.items()]


def _metadata(key: str, value: MetadataValue | list[MetadataValue] | Bounds) -> ColumnElement[bool]:
    stored = Document.details[key].astext
    if isinstance(value, Bounds):
        return and_(*_within(stored, value))
    accepted = value if isinstance(value, list) else [value]
    # 2024 and "2024" are the same year, and nobody remembers how a ticker was written.
    alike = func.lower(stored).in_([_as_text(each).lower() for each in accepted])
    return or_(alike, *(Document.details.contains({key: [each]}) for each in accepted))


def _within(stored: ColumnElement[str], bounds: Bounds) -> list[ColumnElement[bool]]:
    """Numbers are compared as such, dates and other texts in alphabetical order; ISO dates are in order of time."""
    number = case((stored.regexp_match(_NUMBER), cast(stored, Numeric)))
    found: list[ColumnElement[bool]] = []
    for bound, is_least in ((bounds.gte, True), (bounds.lte, False)):
        if isinstance(bound, str):
            found.append(stored >= bound if is_least else stored <= bound)
        elif bound is not None:
            limit = Decimal(str(bound))
            found.append(number >= limit if is_least else number <= limit)
    return found


def _as_text(value: MetadataValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
