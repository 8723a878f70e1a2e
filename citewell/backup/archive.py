"""The backup file: a zip of the database dump and a description of its contents, written completely or not at all.

The dump is in the format of `pg_dump -Fc`: `unzip -p FILE database.dump` yields a file for Postgres' own tools.
"""

import hashlib
import os
import zipfile
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import IO, Literal

from pydantic import BaseModel, ValidationError

from citewell.cli.errors import FAILED, CommandFailed

FORMAT = 1
_CONTENTS, _DUMP = "backup.json", "database.dump"
_PART = 1_000_000


class Contents(BaseModel):
    """Versions of the programs and the schema, and the row count of each table."""

    format: Literal[1] = FORMAT
    citewell: str
    schema_revision: str
    postgres: str
    made_at: datetime
    tables: Mapping[str, int]
    sha256: str = ""


class Hashed:
    """A writer that hashes the bytes that pass through it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.sum = hashlib.sha256()

    def write(self, data: bytes) -> None:
        self.sum.update(data)
        self.file.write(data)


def write_backup(file: Path, dump: Callable[[Hashed], Contents]) -> Contents:
    """Let `dump` write the backup. The file gets its name only when all of it is on the disk; only its owner can read
    it.

    Raises CommandFailed when the file exists already, or cannot be written.
    """
    if file.exists():
        raise CommandFailed(f"{file} is there already; a backup replaces no other file")
    try:
        return _write(file, dump)
    except OSError as error:
        raise CommandFailed(f"cannot write {file}: {error.strerror or error}", FAILED) from None


def read_contents(file: Path) -> Contents:
    """Return the description of a backup, after reading all of it. Raises CommandFailed for anything but a complete
    backup."""
    try:
        with zipfile.ZipFile(file) as archive:
            contents = Contents.model_validate_json(archive.read(_CONTENTS))
            digest = hashlib.sha256()
            with archive.open(_DUMP) as member:
                while part := member.read(_PART):
                    digest.update(part)
    except OSError as error:
        raise CommandFailed(f"cannot read {file}: {error.strerror or error}") from None
    except ValidationError as error:
        if error.errors()[0]["loc"] == ("format",):
            raise CommandFailed(f"{file} was made by a newer Citewell; restore it with that version") from None
        raise CommandFailed(f"{file} is no backup of Citewell, or a damaged one; nothing was changed") from None
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError):
        raise CommandFailed(f"{file} is no backup of Citewell, or a damaged one; nothing was changed") from None
    if digest.hexdigest() != contents.sha256:
        raise CommandFailed(f"{file} is damaged: its dump is not what was written; nothing was changed")
    return contents


def send_dump(file: Path, to: IO[bytes]) -> None:
    with zipfile.ZipFile(file) as archive, archive.open(_DUMP) as member:
        while part := member.read(_PART):
            to.write(part)


def _write(file: Path, dump: Callable[[Hashed], Contents]) -> Contents:
    draft = file.with_name(f".{file.name}.{token_hex(4)}.part")
    try:
        with os.fdopen(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as raw:
            with zipfile.ZipFile(raw, "w") as archive:
                with archive.open(_DUMP, "w", force_zip64=True) as member:
                    hashed = Hashed(member)
                    contents = dump(hashed)
                contents = contents.model_copy(update={"sha256": hashed.sum.hexdigest()})
                archive.writestr(_CONTENTS, contents.model_dump_json(indent=2))
            raw.flush()
            os.fsync(raw.fileno())
        draft.rename(file)
    finally:
        draft.unlink(missing_ok=True)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return contents
