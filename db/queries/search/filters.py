"""The limits of a search: filters of documents, and copies of a passage that was already found."""

import re
import uuid
from collections.abc import Collection
from decimal import Decimal
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Numeric, Text, and_, any_, case, cast, func, or_, text
from sqlalchemy.dialects.postgresql import JSONB, array
from sqlalchemy.orm import Session

from db.models import Document
from db.queries.documents.reingestions import MARK
from domain.query.options import Bounds, DocumentFilter, MetadataValue


class PassageCopy(NamedTuple):
    """`copy` has the content of the passage `key`, in another document."""

    key: int
    copy: int
    document_id: uuid.UUID
    filename: str


# A vector's digest is of exactly the embedded text: the passage with its context. Similarities are estimates: the
# differing parts of a near-duplicate are not copies, and neither are parts that two other documents have in common.
_COPIES = text(f"""
    SELECT DISTINCT own.chunk_id, same.chunk_id, same.document_id, same.filename
    FROM chunk_vectors AS own
    JOIN documents AS its ON its.id = own.document_id
    CROSS JOIN LATERAL (
        SELECT held.chunk_id, held.document_id, documents.filename
        FROM chunk_vectors AS held JOIN documents ON documents.id = held.document_id
        WHERE held.tenant_id = own.tenant_id AND held.space_id = own.space_id AND held.sha256 = own.sha256
            AND held.document_id <> own.document_id AND NOT held.excluded
            AND documents.status = 'ready' AND documents.workspace_id = ANY (:workspaces)
            AND (
                rtrim(documents.sha256, '{MARK}') = rtrim(its.sha256, '{MARK}')
                OR EXISTS (
                    SELECT FROM document_fingerprints AS prints
                    WHERE (prints.document_id, prints.near_duplicate_of)
                        IN ((documents.id, its.id), (its.id, documents.id)) AND prints.similarity >= :alike
                )
            )
        ORDER BY held.chunk_id <> ALL (:keys), held.chunk_id LIMIT :most
    ) AS same
    WHERE own.chunk_id = ANY (:keys)
    ORDER BY own.chunk_id, same.chunk_id
""")  # noqa: S608 - only constants are put together
_ALIKE = 0.99
_MOST = 100


def list_copies(session: Session, keys: Collection[int], workspaces: Collection[int]) -> list[PassageCopy]:
    """Return the copies of these passages in documents in force of these workspaces; at most a hundred of each."""
    values = {"keys": list(keys), "workspaces": list(workspaces), "alike": _ALIKE, "most": _MOST}
    return [PassageCopy(*row) for row in session.execute(_COPIES, values)]


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
            # The value is cut to the bound's precision, so that an upper bound of a day includes that whole day.
            compared = text if is_least else func.left(text, len(bound))
            comparisons += [single, compared >= bound if is_least else compared <= bound]
            comparisons += [text.regexp_match(_YEAR)] if re.match(_YEAR, bound) else []
        elif bound is not None:
            limit = Decimal(str(bound))
            comparisons.append(number >= limit if is_least else number <= limit)
    return comparisons
