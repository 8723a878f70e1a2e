"""Sources of documents: set up here, run by workers."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response

from api.http.accepted_requests import require_json
from api.http.paging import After, AfterName, next_cursor, next_name_cursor
from api.schemas.documents.sources import (
    DocumentSourceChange,
    DocumentSourceCreate,
    DocumentSourceItemList,
    DocumentSourceList,
    DocumentSourceRead,
    ItemOutcome,
)
from api.schemas.texts import WorkspaceName
from config.settings import settings
from domain.documents.sources import SourceOptions
from services.sources import setup
from services.sources.setup import NewSource

router = APIRouter(prefix="/v1/sources", tags=["documents"])

_JSON = [Depends(require_json)]


@router.post("", name="create_source", status_code=201, response_model=DocumentSourceRead, dependencies=_JSON)
def add_source(new: DocumentSourceCreate, response: Response) -> object:
    """Set up a place that documents come from, and have it read. Later changes at that place become new versions."""
    options = SourceOptions(**new.options.model_dump())
    made = setup.create_source(
        NewSource(new.name, new.kind, new.location, new.workspace, new.every_s, options), settings()
    )
    response.headers["Location"] = f"{router.prefix}/{made['id']}"
    return made


@router.get("", response_model=DocumentSourceList)
def list_sources(
    after: After,
    workspace: Annotated[WorkspaceName | None, Query(description="Only sources of this workspace.")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> object:
    """The newest sources first; `next_cursor` leads to the next page."""
    sources = setup.read_sources(workspace, after=after, limit=limit)
    return {"sources": sources, "next_cursor": next_cursor(sources, limit)}


@router.get("/{source_id}", response_model=DocumentSourceRead)
def get_source(source_id: UUID) -> object:
    """A source, and the progress of its current or last run."""
    return setup.read_source(source_id)


@router.get("/{source_id}/items", name="list_source_items", response_model=DocumentSourceItemList)
def list_items(
    source_id: UUID,
    after: AfterName,
    outcome: Annotated[ItemOutcome | None, Query(description="Only items with this outcome.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> object:
    """Everything that the source lists or listed, ordered by key: the document that each item became, or why there is
    none."""
    items = setup.read_items(source_id, outcome, after=after, limit=limit)
    return {"items": items, "next_cursor": next_name_cursor(items, limit, "key")}


@router.post("/{source_id}/run", name="run_source", status_code=202, response_model=DocumentSourceRead)
def run(source_id: UUID) -> object:
    """Start a run now; if one is already running, it continues."""
    return setup.ask_for_a_run(source_id)


@router.patch("/{source_id}", name="update_source", response_model=DocumentSourceRead, dependencies=_JSON)
def change(source_id: UUID, to: DocumentSourceChange) -> object:
    """Change the schedule or the options of a source, pause or continue it; the changes apply from the next run on."""
    changes = to.model_dump(exclude_unset=True)
    return setup.change_source(source_id, {**changes.pop("options", {}), **changes}, settings())


@router.delete(
    "/{source_id}",
    name="delete_source",
    status_code=204,
    responses={202: {"description": "Its documents are being deleted, and then the source."}},
)
def delete(
    source_id: UUID,
    response: Response,
    documents: Annotated[
        Literal["keep", "delete"],
        Query(description="Whether the source's documents stay, or are deleted in all versions."),
    ] = "keep",
) -> None:
    """Delete a source: no more documents are taken from it. Answers keep their copies of the words that they cite."""
    if not setup.remove_source(source_id, documents):
        response.status_code = 202
