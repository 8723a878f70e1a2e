"""A folder of this machine, below one that the operator allowed.

Every step from the allowed folder to a file is opened relative to the one before and without following links, so what
is read stands in it, whatever is moved meanwhile.
"""

import errno
import os
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from domain.documents.sources import (
    PART_UNREACHABLE,
    Content,
    Fetched,
    Gone,
    Listed,
    Refusal,
    Unchanged,
    Wanted,
    refusal_of_type,
)
from domain.errors import DocumentTooLarge, ItemUnusable, NotOfTheSource, PlaceUnreachable

MAX_DEPTH = 40
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a named pipe would hang until a writer opens it.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LEFT_OUT = (".", "~$")  # hidden, and what Office has open
_LINK = Refusal("not_of_the_source", "It is a link; links are not followed.")
_TOO_DEEP = Refusal("not_of_the_source", f"It is more than {MAX_DEPTH} folders deep.")
_NAME = Refusal("document_name_invalid", "Its name is not text in UTF-8.")


class FolderReader:
    """The files below `below` in the folder `root`; hidden ones are left out."""

    lists_all = True

    def __init__(self, root: Path, below: PurePosixPath, max_bytes: int) -> None:
        self._below = below
        self._max_bytes = max_bytes
        try:
            self._root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise PlaceUnreachable(f"The folder cannot be read: {error.strerror}.") from None
        try:
            with self._opened(below.parts, _FOLDER):
                pass
        except OSError as error:
            self.close()
            raise PlaceUnreachable(f"The folder cannot be read: {error.strerror}.") from None

    def close(self) -> None:
        os.close(self._root)

    def listed(self) -> Iterator[Listed]:
        try:
            with self._opened(self._below.parts, _FOLDER) as folder:
                yield from self._in(folder, "", 0)
        except OSError as error:
            raise PlaceUnreachable(f"The folder cannot be read: {error.strerror}.") from None

    def _in(self, folder: int, prefix: str, depth: int) -> Iterator[Listed]:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda each: each.name)
        for entry in found:
            if entry.name.startswith(_LEFT_OUT):
                continue
            key = prefix + entry.name
            if not _is_text(key):
                yield Listed(os.fsencode(key).decode(errors="replace"), refused=_NAME)
            elif entry.is_dir(follow_symlinks=False):
                yield from self._below_it(folder, entry.name, key, depth)
            else:
                yield from _file(entry, key)

    def _below_it(self, folder: int, name: str, key: str, depth: int) -> Iterator[Listed]:
        if depth >= MAX_DEPTH:
            yield Listed(key, refused=_TOO_DEEP)
            return
        try:
            inner = os.open(name, _FOLDER, dir_fd=folder)
        except OSError as error:
            yield Listed(key, refused=Refusal(PART_UNREACHABLE, f"The folder cannot be read: {error.strerror}."))
            return
        try:
            yield from self._in(inner, f"{key}/", depth + 1)
        finally:
            os.close(inner)

    def fetch(self, wanted: Wanted) -> Fetched:
        try:
            with self._opened((*self._below.parts, *wanted.key.split("/")), _FILE) as file:
                return self._content(file, wanted)
        except FileNotFoundError:
            return Gone()
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise NotOfTheSource(_LINK.message) from None
            raise ItemUnusable(f"It cannot be read: {error.strerror}.") from None

    def _content(self, file: int, wanted: Wanted) -> Fetched:
        before = os.fstat(file)
        if not stat.S_ISREG(before.st_mode):
            raise NotOfTheSource("It is no file.")
        if before.st_size > self._max_bytes:
            raise DocumentTooLarge(f"It has {before.st_size:,} bytes; the limit is {self._max_bytes:,}.")
        if wanted.tag == _tag(before):
            return Unchanged(wanted.tag)
        with os.fdopen(os.dup(file), "rb") as readable:
            data = readable.read(self._max_bytes + 1)
        if _tag(os.fstat(file)) != _tag(before):
            raise ItemUnusable("It was being written; the next run takes it.")
        return Content(data, _tag(before))

    @contextmanager
    def _opened(self, parts: tuple[str, ...], flags: int) -> Generator[int]:
        # Each part is opened in the one before.
        if any(part in ("", ".", "..") for part in parts):
            raise NotOfTheSource
        held = os.dup(self._root)
        try:
            for place, part in enumerate(parts, start=1):
                inner = os.open(part, flags if place == len(parts) else _FOLDER, dir_fd=held)
                os.close(held)
                held = inner
            yield held
        finally:
            with suppress(OSError):
                os.close(held)


def _file(entry: os.DirEntry[str], key: str) -> Iterator[Listed]:
    if entry.is_symlink():
        yield Listed(key, refused=_LINK)
        return
    with suppress(FileNotFoundError):  # it was there a moment ago
        found = entry.stat(follow_symlinks=False)
        if stat.S_ISREG(found.st_mode):
            yield Listed(key, _tag(found), refused=refusal_of_type(key))


def _tag(found: os.stat_result) -> str:
    return f"{found.st_mtime_ns}-{found.st_ctime_ns}-{found.st_size}"


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
