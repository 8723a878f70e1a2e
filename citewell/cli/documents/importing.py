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


def problems_of(found: Import) -> list[str]:
    if error := found["error"]:
        return [f"{found['filename']}: {error['message']}"]
    failed = [f"{each['filename']}: {each['message'].removeprefix(each['filename'])}" for each in found["failures"]]
    return failed + [f"{each['name']}: {each['message']}" for each in found["skipped"] if each["code"] != _OTHER_TYPE]


def skipped_of(found: Import) -> Counter[str]:
    return Counter(
        PurePosixPath(each["name"]).suffix.lower() for each in found["skipped"] if each["code"] == _OTHER_TYPE
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
