"""Sorts the files at a command's paths: documents to send, archives to import, and others."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from citewell.cli.errors import CommandFailed
from citewell_documents.formats import SUFFIXES, is_lock_file, listed

ARCHIVE = ".zip"
_LOCK = "lock file of Office"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file, its name in citations, and its metadata as a JSON object."""

    path: Path
    name: str
    metadata: str = "{}"


@dataclass(slots=True)
class Found:
    """The files at the paths of a command; `skipped` counts files of unsupported types below folders, by extension."""

    documents: list[Upload] = field(default_factory=list["Upload"])
    archives: list[Upload] = field(default_factory=list["Upload"])
    skipped: Counter[str] = field(default_factory=Counter[str])
    problems: list[str] = field(default_factory=list[str])

    def skipped_line(self) -> str:
        """Return a line such as `3 files are of types that are not read (2 .gif, 1 .exe); …`."""
        number = self.skipped.total()
        kinds = ", ".join(f"{count} {suffix or 'without an extension'}" for suffix, count in self.skipped.most_common())
        are = "1 file is of a type that is" if number == 1 else f"{number} files are of types that are"
        hint = "; name a .zip itself and it is unpacked" if ARCHIVE in self.skipped else ""
        return f"{are} not read ({kinds}); `citewell ingest --help` lists those that are{hint}"


def find_all(paths: Iterable[Path], metadata: str) -> Found:
    finding = Found()
    for path in paths:
        if path.is_dir():
            try:
                _add_folder(finding, path, metadata)
            except CommandFailed as nothing:
                finding.problems.append(str(nothing))
        else:
            kind = finding.archives if path.suffix.lower() == ARCHIVE else finding.documents
            kind.append(Upload(path, readable(path.name), metadata))
    return finding


def readable(name: str) -> str:
    # File names are bytes, so those that are not UTF-8 get replacement characters.
    return os.fsencode(name).decode(errors="replace")


def _add_folder(finding: Found, folder: Path, metadata: str) -> None:
    before = len(finding.documents)
    for file in sorted(_walk(folder)):
        suffix = file.suffix.lower()
        if is_lock_file(file.name):
            finding.skipped[_LOCK] += 1
        elif suffix in SUFFIXES:
            finding.documents.append(Upload(file, readable(file.relative_to(folder).as_posix()), metadata))
        else:
            finding.skipped[readable(suffix)] += 1
    if len(finding.documents) == before:
        raise CommandFailed(f"{folder} holds no documents; supported are {listed()}")


def _walk(folder: Path) -> Iterator[Path]:
    # Links to folders are not followed, because they may form cycles.
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(parent, name)
            # This leaves out pipes, which never end, and dangling links.
            if not name.startswith(".") and path.is_file():
                yield path
