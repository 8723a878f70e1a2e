"""Receives a document, as a form with a file or JSON with a text; and an archive, kept on disk and never whole in
memory.
"""

from collections.abc import AsyncGenerator
from typing import Annotated, Any, cast

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException

from api.http.accepted_requests import media_type
from api.schemas.documents.documents import DocumentCreate, DocumentUpload
from api.schemas.documents.imports import ImportUpload
from citewell_documents.formats import listed
from services.documents.documents import NewDocument
from services.documents.imports import NewImport

# The form's own boundaries, headers and text fields come on top of the file.
FORM_OVERHEAD_BYTES = 65_536

_JSON = "application/json"
_FORM = "multipart/form-data"


async def _incoming_document(request: Request) -> NewDocument:
    try:
        match media_type(request):
            case "multipart/form-data":
                return await _from_form(request)
            case "application/json":
                return await run_in_threadpool(_from_json, await request.body())
            case other:
                raise HTTPException(415, f"Send a document as {_FORM} or {_JSON}, not as {other or 'nothing'}.")
    except ValidationError as error:
        raise body_error(error) from None


def body_error(error: ValidationError) -> RequestValidationError:
    return RequestValidationError([{**fault, "loc": ("body", *fault["loc"])} for fault in error.errors()])


def _from_json(body: bytes) -> NewDocument:
    sent = DocumentCreate.model_validate_json(body)
    return _new_document(sent, sent.text.encode())


async def _from_form(request: Request) -> NewDocument:
    async with request.form(max_files=1, max_fields=10, max_part_size=FORM_OVERHEAD_BYTES) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise field_error("file", "is required, as a file")
        sent = DocumentUpload.model_validate(form_fields(form, file.filename or ""))
        return _new_document(sent, await file.read())


def _new_document(sent: DocumentCreate | DocumentUpload, content: bytes) -> NewDocument:
    return NewDocument(sent.filename, content, sent.workspace, sent.source, sent.metadata)


def form_fields(form: FormData, filename: str) -> dict[str, Any]:
    """The fields beside the file, with its name as `filename`. Raises RequestValidationError if a field has that
    name."""
    fields = {name: value for name, value in form.multi_items() if name != "file"}
    if "filename" in fields:
        raise field_error("filename", "comes with the file; leave it out")
    return {"filename": filename, **fields}


def field_error(field: str, message: str) -> RequestValidationError:
    return RequestValidationError([{"type": "value_error", "loc": ("body", field), "msg": message}])


def form_schema(file: str, metadata: str, example: str) -> dict[str, Any]:
    return {
        "schema": {
            "type": "object",
            "required": ["file"],
            "properties": {
                "file": {"type": "string", "format": "binary", "description": file},
                "workspace": {
                    "type": "string",
                    "default": "default",
                    "maxLength": 100,
                    "description": "The collection to join; made on first use.",
                },
                "source": {
                    "type": "string",
                    "default": "api-server",
                    "maxLength": 100,
                    "description": "Where it came from.",
                },
                "metadata": {"type": "string", "description": metadata, "example": example},
            },
        }
    }


IncomingDocument = Annotated[NewDocument, Depends(_incoming_document)]

# The route reads its body itself, so FastAPI does not describe it; JsonValue is described with other bodies.
_SCHEMA = DocumentCreate.model_json_schema(ref_template="#/components/schemas/{model}")
_SCHEMA.pop("$defs", None)
DOCUMENT_BODY = cast(
    "dict[str, Any]",
    {
        "requestBody": {
            "required": True,
            "content": {
                _FORM: form_schema(
                    f"A file of type {listed()}.",
                    "A JSON object, kept with every citation of the document.",
                    '{"ticker": "ACME", "year": 2026, "filing_type": "10-Q"}',
                ),
                _JSON: {"schema": _SCHEMA},
            },
        }
    },
)


async def _incoming_import(request: Request) -> AsyncGenerator[NewImport]:
    if (sent_as := media_type(request)) != _FORM:
        raise HTTPException(415, f"Send an archive as {_FORM}, not as {sent_as or 'nothing'}.")
    async with request.form(max_files=1, max_fields=10, max_part_size=FORM_OVERHEAD_BYTES) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise field_error("file", "is required, as a file")
        try:
            sent = ImportUpload.model_validate(form_fields(form, file.filename or ""))
        except ValidationError as error:
            raise body_error(error) from None
        yield NewImport(sent.filename, file.file, sent.workspace, sent.source, sent.metadata)


IncomingImport = Annotated[NewImport, Depends(_incoming_import)]

IMPORT_BODY = cast(
    "dict[str, Any]",
    {
        "requestBody": {
            "required": True,
            "content": {
                _FORM: form_schema(
                    "A .zip archive.",
                    "A JSON object, given to each document of the archive.",
                    '{"ticker": "ACME", "year": 2026}',
                )
            },
        }
    },
)
