"""Workspaces exposed as models (N9)."""

from datetime import datetime
from typing import NamedTuple

from db.queries.access.workspaces import list_workspaces
from db.session import reading
from domain.errors.missing import WorkspaceNotFound
from domain.query.options import Mode, parse_mode

PREFIX = "citewell/"


class AskedModel(NamedTuple):
    """A workspace in the role of a model; without a mode it answers in the default one."""

    workspace: str
    mode: Mode | None
    created_at: datetime

    @property
    def name(self) -> str:
        return f"{self.workspace}:{self.mode}" if self.mode else self.workspace


def read_models() -> list[AskedModel]:
    with reading() as session:
        return [AskedModel(workspace.name, None, workspace.created_at) for workspace in list_workspaces(session)]


def read_model(name: str) -> AskedModel:
    """Return the workspace that `name` means: `finance`, `citewell/finance`, `finance:high`.

    Raises WorkspaceNotFound, ModeUnknown.
    """
    known = {model.workspace: model for model in read_models()}
    workspace, colon, mode = name.removeprefix(PREFIX).partition(":")
    if workspace in known:
        return known[workspace]._replace(mode=parse_mode(mode) if colon else None)
    raise WorkspaceNotFound(
        f"There is no model {name!r}: models are workspaces, as in `default` or `default:high`; "
        "GET /v1/models lists them."
    )
