"""Receives answers to verify: one answer as JSON, many as JSON Lines (N2)."""

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from api.http.accepted_requests import media_type
from api.http.errors import MAX_FIELD_ERRORS
from api.schemas.texts import fields_for
from api.schemas.verification.verifications import CitationGiven, VerificationCreate
from citewell_verify.answers.provider_citations import ProviderCitations
from citewell_verify.errors import CitationUnreadable, CitewellError, VerificationInvalid
from citewell_verify.markers.citable import citable_sources
from config.settings import Settings
from db.queries.access.idempotency import Repeatable
from domain.errors.requests import BatchInvalid
from services.external.acceptance import submit_batch
from services.external.request import NewCitation, NewSource, NewVerification, check_verification
from services.queries.submission import Submitted

LINES = ("application/jsonl", "application/x-ndjson")


def require_lines(request: Request) -> None:
    """A dependency that requires JSON Lines. Raises HTTPException (415) for other bodies."""
    if media_type(request) not in LINES:
        raise HTTPException(415, f"Send the file as {' or '.join(LINES)}, one JSON object per line.")


def as_new(sent: VerificationCreate) -> NewVerification:
    sources = [NewSource(**fields_for(NewSource, source)) for source in sent.sources]
    given = fields_for(NewVerification, sent)
    given |= {"sources": sources, "citations": list(_citations(sent))}
    return NewVerification(**given)


def _citations(sent: VerificationCreate) -> Iterator[NewCitation]:
    sources = citable_sources(
        {"title": source.title, "id": source.id, "url": source.url, "metadata": source.metadata}
        for source in sent.sources
    )
    reader = ProviderCitations(sent.answer, sources)
    for position, given in enumerate(sent.citations, start=1):
        if isinstance(given, CitationGiven):
            yield NewCitation(given.start, given.end, given.source)
            continue
        try:
            cited = reader.read(given.model_dump())
        except CitationUnreadable as error:
            raise VerificationInvalid(f"Citation {position}: {error.message}") from error
        for span in cited:
            yield NewCitation(span.start, span.end, span.number)


def parsed_lines(body: bytes, settings: Settings) -> dict[int, NewVerification]:
    """Read a batch file: items by line number; empty lines count as lines but not as items.

    Raises RequestValidationError that names the invalid lines, at most MAX_FIELD_ERRORS of them.
    """
    items: dict[int, NewVerification] = {}
    wrong: list[Mapping[str, Any]] = []
    for number, line in enumerate(body.removeprefix(BOM_UTF8).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            new = as_new(VerificationCreate.model_validate_json(line))
            check_verification(new, settings)
        except ValidationError as error:
            # Only the first error of a line is reported; when it is fixed, the next one appears.
            first = error.errors(include_input=False, include_url=False)[0]
            wrong.append({**first, "loc": ("body", f"line {number}", *first["loc"])})
        except CitewellError as error:
            wrong.append(_wrong(number, error.message))
        else:
            items[number] = new
        if len(wrong) == MAX_FIELD_ERRORS:
            break
    most = settings.verifying.batch_max_items
    if not wrong and not 1 <= len(items) <= most:
        wrong = [{"type": "value_error", "loc": ("body",), "msg": f"has {len(items)} items; send 1 to {most:,}"}]
    if wrong:
        raise RequestValidationError(wrong)
    return items


def submit_lines(
    lines: Mapping[int, NewVerification], callback_url: str | None, settings: Settings, request: Repeatable | None
) -> Submitted:
    """Store the items of `parsed_lines`. Raises the errors of `submit_batch`, and RequestValidationError that names the
    invalid lines."""
    try:
        return submit_batch(list(lines.values()), callback_url, settings, request)
    except BatchInvalid as error:
        numbers = list(lines)
        errors = [_wrong(numbers[place], message) for place, message in error.wrong.items()]
        raise RequestValidationError(errors) from error


def _wrong(number: int, message: str) -> Mapping[str, Any]:
    return {"type": "value_error", "loc": ("body", f"line {number}"), "msg": message}
