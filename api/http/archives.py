"""Receives an archive as a form with a file, kept on disk and never whole in memory."""

from collections.abc import AsyncGenerator
from typing import Annotated, Any, cast

from fastapi import Depends, Request
from pydantic import ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from api.http.uploads import FORM_OVERHEAD_BYTES, body_error, field_error, form_fields, form_schema, media_type
from api.schemas.documents.imports import ImportUpload
from services.documents.imports import NewImport

_FORM = "multipart/form-data"


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
