"""Copies a Git repository out of an allowed folder, so that the program `git` never opens that folder itself.

A repository can lead elsewhere: by links, by a `.git` file, by borrowed objects (`objects/info/alternates`), by what
its configuration includes or fetches; the program follows all of these. Only objects and references are copied, each
opened below the allowed folder without following links, and the copy has a configuration of its own.
"""

import os
import re
import time
from contextlib import suppress
from pathlib import Path

from clients.confined_files import open_file, open_folder
from domain.errors import PathForbidden, PlaceForbidden, PlaceUnreachable

# References before objects, and loose ones before packed ones: what git packs during the copy is copied as a pack.
_PARTS = ("HEAD", "refs", "packed-refs", "shallow", "objects")
_COPIED = re.compile(
    r"HEAD|packed-refs|shallow|refs(/.+)?|objects(/[0-9a-f]{2}(/[0-9a-f]+)?|/pack(/pack-[0-9a-f]+\.(idx|pack))?)?"
)
_CONFIG = "[core]\nrepositoryformatversion = 0\nbare = true\n"
_MAX_DEPTH = 40
_PIECE = 1 << 20


def copy_repository(folder: int, to: Path, *, max_bytes: int, max_s: float) -> None:
    """Copy the repository in the open folder, bare or in its `.git`, to the new folder `to`.

    Raises PlaceForbidden for one that leads elsewhere, PlaceUnreachable for none and for one that is too large or slow.
    """
    repository = _open_repository(folder)
    try:
        _refuse_borrowed_objects(repository)
        for part in ("objects", "refs"):
            (to / part).mkdir(parents=True)
        (to / "config").write_text(_CONFIG)
        copy = _Copy(to, max_bytes, max_s)
        for part in _PARTS:
            copy.add(repository, part, part)
    except OSError as error:
        raise not_fetched(f"{error.strerror or error}.") from None
    finally:
        os.close(repository)
    if not (to / "HEAD").exists():
        raise not_fetched("there is no Git repository at this place.")


def not_fetched(reason: str) -> PlaceUnreachable:
    return PlaceUnreachable(f"The repository cannot be fetched: {reason}")


def too_large(max_bytes: int) -> PlaceUnreachable:
    return not_fetched(f"it has more than {max_bytes:,} bytes (`sources.git_max_bytes`).")


def too_slow(max_s: float) -> PlaceUnreachable:
    return not_fetched(f"it takes longer than {max_s:g} s (`sources.git_s`).")


def _open_repository(folder: int) -> int:
    try:
        return open_folder(folder, ".git")
    except FileNotFoundError:
        return os.dup(folder)
    except OSError:
        raise PlaceForbidden(
            "Its `.git` is a link or a file that names another place, as in a worktree or submodule; name the "
            "repository itself."
        ) from None


def _refuse_borrowed_objects(repository: int) -> None:
    with suppress(FileNotFoundError, NotADirectoryError), open_file(repository, "objects/info/alternates") as file:
        if file.read(1):
            raise PlaceForbidden(
                "The repository borrows objects of another one (objects/info/alternates); run `git repack -a -d` in "
                "it and delete that file."
            )


class _Copy:
    def __init__(self, to: Path, max_bytes: int, max_s: float) -> None:
        self._to = to
        self._max_bytes, self._bytes = max_bytes, 0
        self._max_s, self._until = max_s, time.monotonic() + max_s

    def add(self, folder: int, name: str, path: str) -> None:
        """Copy what has this name in the open folder; `path` is its place in the repository. Raises OSError."""
        if _COPIED.fullmatch(path) is None or path.count("/") > _MAX_DEPTH:
            return
        self._check()
        try:
            inner = open_folder(folder, name)
        except FileNotFoundError:
            return  # It is optional, or git has packed it meanwhile.
        except NotADirectoryError:
            self._add_file(folder, name, path)
            return
        try:
            (self._to / path).mkdir(exist_ok=True)
            with os.scandir(inner) as entries:
                names = sorted(entry.name for entry in entries)
            for inner_name in names:
                self.add(inner, inner_name, f"{path}/{inner_name}")
        finally:
            os.close(inner)

    def _add_file(self, folder: int, name: str, path: str) -> None:
        try:
            file = open_file(folder, name)
        except FileNotFoundError:
            return
        except (OSError, PathForbidden):
            raise PlaceForbidden(f"The repository has a link or no file at {path}; neither is followed.") from None
        with file, (self._to / path).open("wb") as copied:
            while piece := file.read(_PIECE):
                self._bytes += len(piece)
                self._check()
                copied.write(piece)

    def _check(self) -> None:
        if self._bytes > self._max_bytes:
            raise too_large(self._max_bytes)
        if time.monotonic() > self._until:
            raise too_slow(self._max_s)
