"""The further fields of questions that came through OpenAI's Responses API."""

import uuid
from typing import Any

from sqlalchemy import delete
from sqlalchemy.orm import Session

from db.models import StoredResponse
from domain.errors.missing import ResponseNotFound


def add_response(session: Session, query_id: uuid.UUID, asked: dict[str, Any]) -> None:
    session.add(StoredResponse(query_id=query_id, asked=asked))


def find_response(session: Session, query_id: uuid.UUID) -> dict[str, Any] | None:
    stored = session.get(StoredResponse, query_id)
    return stored.asked if stored else None


def delete_response(session: Session, query_id: uuid.UUID) -> None:
    """Delete a response. Raises ResponseNotFound."""
    deleted = delete(StoredResponse).where(StoredResponse.query_id == query_id).returning(StoredResponse.query_id)
    if session.scalar(deleted) is None:
        raise ResponseNotFound
