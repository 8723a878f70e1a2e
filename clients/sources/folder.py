"""A folder of this machine, below a folder that the operator allowed (`clients.confined_files`)."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from citewell_documents.errors import DocumentTooLarge, PathForbidden
from citewell_documents.paths import is_relative
from clients.confined_files import open_file, open_folder, open_root
from domain.documents.sources import (
    NAME_TOO_LONG,
    PART_UNREACHABLE,
    Content,
    Fetched,
    Gone,
    Listed,
    Refusal,
    Unchanged,
    Wanted,
    bounded_key,
    refusal_of_type,
)
from domain.errors.requests import DocumentSourceInvalid, ItemUnusable, NotOfTheSource, PlaceForbidden
from domain.errors.service import PlaceUnreachable

MAX_DEPTH = 40
_LEFT_OUT = (".", "~$")  # hidden files, and the lock files of documents that Office has open
_LINK = Refusal("not_of_the_source", "It is a link; links are not followed.")
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)
_TOO_DEEP = Refusal("not_of_the_source", f"It is more than {MAX_DEPTH} folders deep.")
_NAME = Refusal("document_name_invalid", "Its name is not text in UTF-8.")


def open_allowed(folder: Path, below: Sequence[str]) -> int:
    """The folder that the names `below` lead to in an allowed folder, or the allowed folder itself, as a descriptor.

    Raises PlaceForbidden for a path that leads out of it, DocumentSourceInvalid when there is no such folder, and
    PlaceUnreachable when the allowed folder cannot be read now.
    """
    try:
        root = open_root(folder)
    except OSError as error:
        raise _unreadable(error) from None
    if not below:
        return root
    path = "/".join(below)
    try:
        return open_folder(root, path)
    except PathForbidden as error:
        raise PlaceForbidden(f"The location cannot be used. {error.message}") from None
    except OSError as error:
        if error.errno in _NOT_THERE:
            raise DocumentSourceInvalid(
                f"There is no folder {path!r} in the allowed one, or a link leads to it, which is not followed."
            ) from None
        raise _unreadable(error) from None
    finally:
        os.close(root)


class FolderReader:
    """The files of an open folder, which `close` closes; hidden files are left out."""

    lists_all = True

    def __init__(self, folder: int, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes

    def close(self) -> None:
        os.close(self._folder)

    def listed(self) -> Iterator[Listed]:
        try:
            yield from self._in(self._folder, "", 0)
        except OSError as error:
            raise _unreadable(error) from None

    def _in(self, folder: int, prefix: str, depth: int) -> Iterator[Listed]:
        with os.scandir(folder) as entries:
            in_order = sorted(entries, key=lambda entry: entry.name)
        for entry in in_order:
            if entry.name.startswith(_LEFT_OUT):
                continue
            key = prefix + entry.name
            if not is_relative(key):
                yield Listed(bounded_key(os.fsencode(key).decode(errors="replace")), refused=_NAME)
            elif bounded_key(key) != key:
                yield Listed(bounded_key(key), refused=NAME_TOO_LONG)
            elif entry.is_dir(follow_symlinks=False):
                yield from self._below_it(folder, entry.name, key, depth)
            else:
                yield from _file(entry, key)

    def _below_it(self, folder: int, name: str, key: str, depth: int) -> Iterator[Listed]:
        if depth >= MAX_DEPTH:
            yield Listed(key, refused=_TOO_DEEP)
            return
        try:
            inner = open_folder(folder, name)
        except OSError as error:
            yield Listed(key, refused=Refusal(PART_UNREACHABLE, f"The folder cannot be read: {error.strerror}."))
            return
        try:
            yield from self._in(inner, f"{key}/", depth + 1)
        finally:
            os.close(inner)

    def fetch(self, wanted: Wanted) -> Fetched:
        try:
            with open_file(self._folder, wanted.key) as file:
                return self._content(file, wanted)
        except PathForbidden as error:
            raise NotOfTheSource(error.message) from None
        except FileNotFoundError:
            return Gone()
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise NotOfTheSource(_LINK.message) from None
            raise ItemUnusable(f"It cannot be read: {error.strerror}.") from None

    def _content(self, file: BinaryIO, wanted: Wanted) -> Fetched:
        before = os.fstat(file.fileno())
        if before.st_size > self._max_bytes:
            raise DocumentTooLarge(f"It has {before.st_size:,} bytes; the limit is {self._max_bytes:,}.")
        if wanted.tag == _tag(before):
            return Unchanged(wanted.tag)
        data = file.read(self._max_bytes + 1)
        if _tag(os.fstat(file.fileno())) != _tag(before):
            raise ItemUnusable("It was being written; the next run takes it.")
        return Content(data, _tag(before))


def _unreadable(error: OSError) -> PlaceUnreachable:
    return PlaceUnreachable(f"The folder cannot be read: {error.strerror}.")


def _file(entry: os.DirEntry[str], key: str) -> Iterator[Listed]:
    if entry.is_symlink():
        yield Listed(key, refused=_LINK)
        return
    with suppress(FileNotFoundError):  # it was there a moment ago
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISREG(status.st_mode):
            yield Listed(key, _tag(status), refused=refusal_of_type(key))


def _tag(status: os.stat_result) -> str:
    return f"{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_size}"
