"""Copies a Git repository out of an allowed folder, so that the program `git` never opens that folder itself.

A repository can lead elsewhere by links, by a `.git` file, by borrowed objects (`objects/info/alternates`), and by
includes or remotes in its configuration; the program follows all of these. Only objects and references are copied, each
opened below the allowed folder without following links, and the copy has a configuration of its own.
"""

import errno
import os
import re
import time
from pathlib import Path

from citewell_documents.errors import PathForbidden
from citewell_documents.paths import is_relative
from clients.confined_files import open_file, open_folder
from domain.errors.requests import PlaceForbidden
from domain.errors.service import PlaceUnreachable

# References are copied before objects, and loose objects before packed ones, so that an object that git packs during
# the copy is copied in its pack.
_REFERENCES = ("HEAD", "refs", "packed-refs", "shallow")
_COPIED = re.compile(
    r"HEAD|packed-refs|shallow|refs(/.+)?|objects(/[0-9a-f]{2}(/[0-9a-f]+)?|/pack(/[^/]+\.(idx|pack))?)?"
)
_CONFIG = "[core]\nrepositoryformatversion = 0\nbare = true\n"
_MAX_DEPTH = 40
_ENTRY_BYTES = 1_000  # the least that an entry takes, however small its file is
_LED_ELSEWHERE = (errno.ENOTDIR, errno.ELOOP)
_PIECE = 1 << 20


def copy_repository(folder: int, to: Path, *, max_bytes: int, max_s: float) -> None:
    """Copy the repository in the open folder, bare or in its `.git`, to the new folder `to`.

    Raises PlaceForbidden for a repository that leads elsewhere, and PlaceUnreachable if there is no repository or it is
    too large or slow.
    """
    repository = _open_repository(folder)
    try:
        _refuse_borrowed_objects(repository)
        for part in ("objects", "refs"):
            (to / part).mkdir(parents=True)
        (to / "config").write_text(_CONFIG)
        copy = _Copy(to, max_bytes, max_s)
        for part in _REFERENCES:
            copy.add(repository, part, part)
        packs, packs_before = _packs(repository), None
        while copy.has_missed or packs != packs_before:
            # The copy is repeated if git has packed meanwhile: an object that vanished is in another pack, and a folder
            # that changes while it is listed may show neither the old pack nor the new one. Files that are copied
            # already are skipped.
            copy.has_missed = False
            copy.add(repository, "objects", "objects")
            packs_before, packs = packs, _packs(repository)
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
    except OSError as error:
        if error.errno not in _LED_ELSEWHERE:
            raise not_fetched(f"{error.strerror or error}.") from None
        raise PlaceForbidden(
            "Its `.git` is a link or a file that names another place, as in a worktree or submodule; name the "
            "repository itself."
        ) from None


def _packs(repository: int) -> set[str]:
    # A pack that cannot be opened is refused when it is copied.
    try:
        folder = open_folder(repository, "objects/pack")
    except OSError:
        return set()
    try:
        return set(os.listdir(folder))
    finally:
        os.close(folder)


def _refuse_borrowed_objects(repository: int) -> None:
    try:
        with open_file(repository, "objects/info/alternates") as file:
            borrows = bool(file.read(1))
    except (FileNotFoundError, NotADirectoryError):
        return
    except PathForbidden:
        borrows = True
    if borrows:
        raise PlaceForbidden(
            "The repository borrows objects of another one (objects/info/alternates); run `git repack -a -d` in it "
            "and delete that file."
        )


class _Copy:
    def __init__(self, to: Path, max_bytes: int, max_s: float) -> None:
        self._to = to
        self._max_bytes, self._bytes = max_bytes, 0
        self._max_s, self._until = max_s, time.monotonic() + max_s
        self.has_missed = False

    def add(self, folder: int, name: str, path: str) -> None:
        """Copy the file or folder of this name in the open folder; `path` is its place in the repository.
        Raises OSError.
        """
        # A source names its branch in UTF-8, so other references are not needed.
        if _COPIED.fullmatch(path) is None or path.count("/") > _MAX_DEPTH or not is_relative(name):
            return
        self._count(_ENTRY_BYTES)
        try:
            inner = open_folder(folder, name)
        except FileNotFoundError:
            return
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
        copied = self._to / path
        if copied.exists():
            return
        try:
            file = open_file(folder, name)
        except FileNotFoundError:
            self.has_missed = True
            return
        except (OSError, PathForbidden):
            raise PlaceForbidden(
                f"The repository has a link or something else than a file at {path}, which is not read. Replace it, "
                "HEAD for example with `git symbolic-ref HEAD refs/heads/main`."
            ) from None
        with file, copied.open("wb") as out:
            while piece := file.read(_PIECE):
                self._count(len(piece))
                out.write(piece)

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > self._max_bytes:
            raise too_large(self._max_bytes)
        if time.monotonic() > self._until:
            raise too_slow(self._max_s)
