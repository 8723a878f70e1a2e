"""The history at a glance: questions or given answers with their results."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from api.http.paging import After, next_cursor
from api.schemas.questions.queries import OverviewList, QueryState
from api.schemas.texts import WorkspaceName
from db.models import QueryKind
from db.queries.runs.queries import QueryFilter
from services.queries.overview import count_entries, read_overview

router = APIRouter(prefix="/v1/history", tags=["quality"])


@router.get("", response_model=OverviewList)
def list_history(
    after: After,
    kind: Annotated[QueryKind, Query(description="Questions, or verifications.")] = QueryKind.ANSWER,
    workspace: Annotated[WorkspaceName | None, Query(description="Only entries of this workspace.")] = None,
    status: Annotated[QueryState | None, Query(description="Only entries in this state.")] = None,
    created_after: Annotated[
        AwareDatetime | None, Query(description="Only entries from this time on (RFC 3339).")
    ] = None,
    created_before: Annotated[AwareDatetime | None, Query(description="Only entries before this time.")] = None,
    text: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=200,
            description="Only entries whose question or `custom_id` contains this text, ignoring case.",
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> object:
    """The entries of the history, newest first, each with its verdicts, its scores and its cost; `next_cursor` leads to
    the next page."""
    wanted = QueryFilter(workspace, status, created_after, created_before, kind, text)
    entries = read_overview(wanted, after=after, limit=limit)
    return {"entries": entries, "total": count_entries(wanted), "next_cursor": next_cursor(entries, limit)}
