"""The work of `citewell originals`, in the database and without the API."""

from citewell.cli.console import emit, err, out, plain
from citewell.cli.database import database
from citewell.cli.errors import FAILED, CommandFailed
from config.settings import settings
from services.documents.relocation import Moved, move_files, where_files_are


def show(as_json: bool) -> None:
    with database():
        found = where_files_are()
    originals = settings().originals
    if as_json:
        places = {place: {"files": files, "bytes": size} for place, (files, size) in sorted(found.items())}
        emit({"store": originals.store, "above_bytes": originals.above_bytes, "places": places})
        return
    out.print(plain(f"files of more than {originals.above_bytes:,} bytes go to: {originals.store}"))
    for place, (files, size) in sorted(found.items()):
        out.print(plain(f"{place}: {files:,} files, {size:,} bytes"))


def move(as_json: bool) -> None:
    with database(), err.status("moving …") as status:
        moved = move_files(lambda so_far: status.update(f"moving: {_said(so_far)}"))
    if as_json:
        emit({"files": moved.files, "bytes": moved.size_bytes, "damaged": [str(each) for each in moved.damaged]})
    else:
        out.print(plain(f"moved {_said(moved)}"))
    if moved.damaged:
        named = ", ".join(str(each) for each in moved.damaged[:10])
        raise CommandFailed(
            f"{len(moved.damaged):,} files are damaged and stay where they are: {named}; send them again", FAILED
        )


def _said(moved: Moved) -> str:
    return f"{moved.files:,} files, {moved.size_bytes:,} bytes"
