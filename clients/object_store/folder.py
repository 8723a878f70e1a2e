"""A folder as a place of files."""

import os
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from clients.confined_files import open_file, open_folder, open_root
from domain.errors import OriginalUnavailable
from domain.safety.paths import names_in

_DRAFTS = "drafts"
_DRAFT_ENDS_S = 3_600


class FolderObjects:
    """Files below `root`, written under another name and renamed: each is there whole or not at all."""

    def __init__(self, root: Path | None) -> None:
        if root is None:
            raise OriginalUnavailable("The file lies in a folder that `originals.folder` does not name any more.")
        self._root = root

    def put(self, key: str, content: bytes) -> None:
        self._check_root()
        *parents, name = names_in(key)
        draft, target = self._root / _DRAFTS / f"{name}.{token_hex(8)}", self._root.joinpath(*parents)
        try:
            for folder in (draft.parent, target):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                _write(draft, content)
                with self._opened(parents) as parent:
                    os.replace(draft, name, dst_dir_fd=parent)
            finally:
                draft.unlink(missing_ok=True)
            _sync_folders(target, self._root)
        except OSError as error:
            raise _away(error) from None

    def get(self, key: str) -> bytes:
        self._check_root()
        try:
            with self._opened(()) as root, open_file(root, key) as file:
                return file.read()
        except FileNotFoundError:
            raise OriginalUnavailable(
                "The file is not in the folder that it was put into; mount or restore that folder, or set "
                "`originals.folder` to where it is now. The document's text and citations are there."
            ) from None
        except OSError as error:
            raise _away(error) from None

    def delete(self, key: str) -> None:
        self._check_root()
        *parents, name = names_in(key)
        try:
            with suppress(FileNotFoundError), self._opened(parents) as parent:
                os.unlink(name, dir_fd=parent)
        except OSError as error:
            raise _away(error) from None
        if not (self._root / _DRAFTS).is_dir():
            # Every folder that was written to has it.
            raise OriginalUnavailable("Another folder than that of the documents' files is at `originals.folder`.")

    def tidy(self) -> None:
        """Remove what writers left that were ended in the middle."""
        until = time.time() - _DRAFT_ENDS_S
        for draft in (self._root / _DRAFTS).glob("*"):
            try:
                if draft.stat().st_mtime < until:
                    draft.unlink()
            except FileNotFoundError:
                continue

    @contextmanager
    def _opened(self, parents: Sequence[str]) -> Generator[int]:
        folder = open_root(self._root)
        try:
            if parents:
                root, folder = folder, open_folder(folder, "/".join(parents))
                os.close(root)
            yield folder
        finally:
            os.close(folder)

    def _check_root(self) -> None:
        if not self._root.is_dir():
            raise OriginalUnavailable(
                "The folder of the documents' files is not there; mount it, or check `originals.folder`. The "
                "documents' texts and citations are there."
            )


def _write(draft: Path, content: bytes) -> None:
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folders(folder: Path, root: Path) -> None:
    """Make the name durable, with those of folders that may be new."""
    while True:
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
        if folder == root:
            return
        folder = folder.parent


def _away(error: OSError) -> OriginalUnavailable:
    return OriginalUnavailable(
        f"The folder of the documents' files cannot be used ({error.strerror or error}). Try again later, or check "
        "`originals.folder`; the documents' texts and citations are there."
    )
