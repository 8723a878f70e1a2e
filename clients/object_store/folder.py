"""A folder as a place of files."""

import os
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from citewell_documents.paths import names_in
from clients.confined_files import open_file, open_folder, open_root
from domain.errors.service import OriginalUnavailable

_DRAFTS = "drafts"
_DRAFT_ENDS_S = 3_600


class FolderObjects:
    """Files below `root`. Each is written under another name and renamed, so that it is there whole or not at all."""

    def __init__(self, root: Path | None) -> None:
        if root is None:
            raise OriginalUnavailable("The file lies in a folder that `originals.folder` does not name any more.")
        self._root = root

    def put(self, key: str, content: bytes) -> None:
        *parents, name = names_in(key)
        draft = f"{name}.{token_hex(8)}"
        try:
            with self._opened((_DRAFTS,), make=True) as drafts, self._opened(parents, make=True) as folder:
                try:
                    _write(draft, content, drafts)
                    os.replace(draft, name, src_dir_fd=drafts, dst_dir_fd=folder)
                    os.fsync(folder)
                finally:
                    with suppress(FileNotFoundError):
                        os.unlink(draft, dir_fd=drafts)
        except OSError as error:
            raise _away(error) from None

    def get(self, key: str) -> bytes:
        try:
            with self._opened() as root, open_file(root, key) as file:
                return file.read()
        except FileNotFoundError:
            raise OriginalUnavailable(
                "The file is not in the folder that it was put into; mount or restore that folder, or set "
                "`originals.folder` to where it is now. The document's text and citations are there."
            ) from None
        except OSError as error:
            raise _away(error) from None

    def delete(self, key: str) -> None:
        *parents, name = names_in(key)
        try:
            with suppress(FileNotFoundError), self._opened(parents) as parent:
                os.unlink(name, dir_fd=parent)
            with self._opened((_DRAFTS,)):
                return  # Every store that was written to has the folder of drafts.
        except (FileNotFoundError, NotADirectoryError):
            raise OriginalUnavailable(
                "Another folder than that of the documents' files is at `originals.folder`."
            ) from None
        except OSError as error:
            raise _away(error) from None

    def tidy(self) -> None:
        """Remove the unfinished files of writers that were killed."""
        until = time.time() - _DRAFT_ENDS_S
        with suppress(OSError), self._opened((_DRAFTS,)) as drafts:
            for draft in os.listdir(drafts):
                with suppress(FileNotFoundError):
                    if os.stat(draft, dir_fd=drafts, follow_symlinks=False).st_mtime < until:
                        os.unlink(draft, dir_fd=drafts)

    @contextmanager
    def _opened(self, names: Sequence[str] = (), *, make: bool = False) -> Generator[int]:
        # The folders are opened name by name, so that no link leads a writer elsewhere.
        if not self._root.is_dir():
            raise OriginalUnavailable(
                "The folder of the documents' files is not there; mount it, or check `originals.folder`. The "
                "documents' texts and citations are there."
            )
        folder = open_root(self._root)
        try:
            for name in names:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, 0o700, dir_fd=folder)
                    # The folder may be new because of another writer: its name must outlive this file's row.
                    os.fsync(folder)
                outer, folder = folder, open_folder(folder, name)
                os.close(outer)
            yield folder
        finally:
            os.close(folder)


def _write(name: str, content: bytes, folder: int) -> None:
    draft = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
    with os.fdopen(draft, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _away(error: OSError) -> OriginalUnavailable:
    return OriginalUnavailable(
        f"The folder of the documents' files cannot be used ({error.strerror or error}). Try again later, or check "
        "`originals.folder`; the documents' texts and citations are there."
    )
