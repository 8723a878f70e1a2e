"""Sends an archive into a workspace, and follows it until the last of its documents has ended."""

import time
from collections import Counter
from pathlib import PurePosixPath

from citewell.cli.documents.finding import Upload
from citewell.cli.documents.uploading import about, progress_bars, unreadable
from citewell_client import ApiProblem, CitewellClient
from citewell_client.types import Import

_LOOK_EVERY_S = 0.3
_OTHER_TYPE = "document_type_unknown"


def import_archive(client: CitewellClient, upload: Upload, workspace: str) -> Import | str:
    try:
        accepted = client.imports.create(
            upload.path, filename=upload.name, workspace=workspace, metadata=upload.metadata, source="command-line"
        )
    except OSError as error:
        return unreadable(upload.path, error)
    except ApiProblem as problem:
        if problem.status >= 500:
            raise
        return about(upload, problem.detail)
    return _followed(client, upload, accepted["id"])


def problems_of(import_: Import) -> list[str]:
    if error := import_["error"]:
        return [f"{import_['filename']}: {error['message']}"]
    failed = [
        f"{failure['filename']}: {failure['message'].removeprefix(failure['filename'])}"
        for failure in import_["failures"]
    ]
    return failed + [
        f"{skipped['name']}: {skipped['message']}" for skipped in import_["skipped"] if skipped["code"] != _OTHER_TYPE
    ]


def skipped_of(import_: Import) -> Counter[str]:
    return Counter(
        PurePosixPath(skipped["name"]).suffix.lower()
        for skipped in import_["skipped"]
        if skipped["code"] == _OTHER_TYPE
    )


def _followed(client: CitewellClient, upload: Upload, import_id: str) -> Import:
    with progress_bars() as bars:
        bar = bars.add_task(upload.name, total=None, stage="queued")
        while True:
            seen = client.imports.get(import_id)
            states = seen["documents"]
            ended = states["ready"] + states["failed"] + states["superseded"] + len(seen["skipped"])
            bars.update(bar, total=seen["total"], completed=ended, stage=seen["status"])
            if seen["status"] in ("finished", "failed"):
                return seen
            time.sleep(_LOOK_EVERY_S)
