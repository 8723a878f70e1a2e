"""Documents as they look: pictures of pages, the places of words on them, the blocks of documents without pages."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Path, Query, Response

from api.schemas.documents.originals import DocumentBlocks, SpanBoxes
from citewell_documents.parsing.limits import MAX_WIDTH, MEDIA_TYPE, MIN_WIDTH
from config.settings import settings
from services.documents.originals import read_blocks, read_boxes, read_picture

router = APIRouter(prefix="/v1/documents", tags=["documents"])

_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The page as WebP.",
        "content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    },
    304: {"description": "The picture with the digest of `If-None-Match` is still the right one."},
}


@router.get(
    "/{document_id}/pages/{number}/image", name="get_document_page_image", response_class=Response, responses=_PICTURE
)
def get_picture(
    document_id: UUID,
    number: Annotated[int, Path(description="The number of the page, from 1.")],
    width: Annotated[
        int, Query(ge=MIN_WIDTH, le=MAX_WIDTH, description="The width in pixels, rounded up to a multiple of 100.")
    ] = 1000,
    if_none_match: Annotated[
        str | None, Header(description="The `ETag` of a picture that the client already has.")
    ] = None,
) -> Response:
    """A page of a PDF as a picture, as PDF viewers show it."""
    digest, content = read_picture(document_id, number, width, settings().ingestion)
    headers = {"ETag": f'"{digest}"', "Cache-Control": "private, no-cache"}
    if if_none_match == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=MEDIA_TYPE, headers=headers)


@router.get("/{document_id}/boxes", name="list_document_boxes", response_model=SpanBoxes)
def get_boxes(
    document_id: UUID,
    start: Annotated[int, Query(ge=0, description="Where the span starts, in code points of the document's text.")] = 0,
    end: Annotated[
        int | None, Query(ge=1, description="Where the span ends, exclusive; at most 100,000 code points at a time.")
    ] = None,
) -> object:
    """The places of a span's words on the pages of a PDF, for example of a citation."""
    return {"pages": read_boxes(document_id, start, end)}


@router.get("/{document_id}/blocks", name="list_document_blocks", response_model=DocumentBlocks)
def get_blocks(document_id: UUID) -> object:
    """The headings, paragraphs, tables and cells of a document without pages, as slices of its text."""
    return read_blocks(document_id)
