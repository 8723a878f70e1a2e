"""Files of a Git repository. The program `git` fetches it without a work tree, so no file is checked out or run."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from citewell_documents.errors import DocumentTooLarge
from clients.sources.git_copy import not_fetched, too_large, too_slow
from domain.documents.sources import (
    NAME_TOO_LONG,
    Content,
    Fetched,
    Listed,
    Refusal,
    Unchanged,
    Wanted,
    bounded_key,
    refusal_of_type,
)
from domain.errors.requests import DocumentSourceInvalid, ItemUnusable
from domain.errors.service import PlaceUnreachable

_POLL_S = 0.05
_FILES = ("100644", "100755")
_LFS, _MOST_LFS_BYTES = b"version https://git-lfs.github.com/spec/", 1_024
_LINK = Refusal("not_of_the_source", "It is a link or another repository; neither is followed.")
# The environment has no settings of this machine's users; a fetch allows only the one protocol that it needs.
_CONFIG = """[protocol]
allow = never
[core]
hooksPath = /dev/null
[http]
followRedirects = false
lowSpeedLimit = 1000
lowSpeedTime = 30
"""

Origin = Callable[[Path], tuple[str, Sequence[str]]]
"""Returns the address to fetch from and git's options for it; it may put a repository into the empty folder given."""


class GitReader:
    """The files of a branch or tag, without hidden ones.

    The fetched repository stays on this machine's disk until its run ends, so the slices of a run fetch it only once.
    """

    lists_all = True

    def __init__(
        self,
        source_id: uuid.UUID,
        origin: Origin,
        branch: str | None,
        *,
        max_bytes: int,
        git_max_bytes: int,
        git_s: float,
    ) -> None:
        if shutil.which("git") is None:
            raise PlaceUnreachable("The program `git` is not installed on the server.")
        self._folder = clone_folder(source_id)
        self._origin, self._branch = origin, branch
        self._max_bytes, self._git_max_bytes, self._git_s = max_bytes, git_max_bytes, git_s

    def close(self) -> None:
        pass

    def listed(self) -> Iterator[Listed]:
        self._clone()
        entries = self._run("ls-tree", "-r", "-z", "--long", "FETCH_HEAD")
        for entry in filter(None, entries.split(b"\0")):
            attributes, _, path = entry.partition(b"\t")
            mode, _, blob, size = attributes.decode("ascii").split()
            if not any(part.startswith(b".") for part in path.split(b"/")):
                yield self._entry(path, mode, blob, size)

    def _entry(self, path: bytes, mode: str, blob: str, size: str) -> Listed:
        try:
            key = path.decode()
        except UnicodeDecodeError:
            refused = Refusal("document_name_invalid", "Its name is not text in UTF-8.")
            return Listed(bounded_key(path.decode(errors="replace")), refused=refused)
        if bounded_key(key) != key:
            return Listed(bounded_key(key), refused=NAME_TOO_LONG)
        if mode not in _FILES:
            return Listed(key, refused=_LINK)
        refused = refusal_of_type(key)
        if refused is None and int(size) > self._max_bytes:
            reason = f"It has {int(size):,} bytes; the limit is {self._max_bytes:,}."
            refused = Refusal("document_too_large", reason)
        return Listed(key, blob, {"blob": blob}, refused=refused)

    def fetch(self, wanted: Wanted) -> Fetched:
        blob = str(wanted.details.get("blob", ""))
        if wanted.tag == blob:
            return Unchanged(blob)
        if not (self._folder / "repository" / "FETCH_HEAD").is_file():
            # A process on another machine began this run, and fetched the repository there.
            self._clone()
        try:
            data = self._run("cat-file", "blob", blob)
        except PlaceUnreachable:
            raise ItemUnusable("The repository changed during the run; the next one takes it.") from None
        if len(data) > self._max_bytes:
            raise DocumentTooLarge
        if data.startswith(_LFS) and len(data) < _MOST_LFS_BYTES:
            raise ItemUnusable("Its content lies in Git LFS, which is not fetched.")
        return Content(data, blob)

    def _clone(self) -> None:
        remove_clone(self._folder)
        self._folder.mkdir(mode=0o700)
        (self._folder / "config-of-git").write_text(_CONFIG)
        self._run("init", "--quiet", "--bare", "--template=", str(self._folder / "repository"))
        origin = self._folder / "origin"
        origin.mkdir()
        address, options = self._origin(origin)
        self._run(*options, "fetch", "--quiet", "--depth=1", "--no-tags", "--", address, self._branch or "HEAD")
        shutil.rmtree(origin)
        if self._is_too_large():
            raise too_large(self._git_max_bytes)

    def _is_too_large(self) -> bool:
        return _size(self._folder / "repository") > self._git_max_bytes

    def _run(self, *arguments: str) -> bytes:
        repository = self._folder / "repository"
        command = ["git", f"--git-dir={repository}", *arguments]
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as errors,
            subprocess.Popen(  # noqa: S603 - a list of arguments, no shell
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                env=_surroundings(self._folder),
                start_new_session=True,
            ) as process,
        ):
            trouble = self._waited(process)
            if trouble is None and process.returncode == 0:
                out.seek(0)
                return out.read()
            errors.seek(0)
            lines = [line for line in errors.read(10_000).decode(errors="replace").splitlines() if line.strip()]
        last = next((line for line in reversed(lines) if line.startswith("fatal:")), lines[-1] if lines else "")
        reason = (last.removeprefix("fatal:").strip() or "git gave no reason")[:300].rstrip(".")
        raise trouble or not_fetched(f"{reason}.")

    def _waited(self, process: subprocess.Popen[bytes]) -> PlaceUnreachable | None:
        """Wait for the program, and stop it when it takes too long or writes too much; return why it was stopped."""
        until = time.monotonic() + self._git_s
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(min(_POLL_S, self._git_s))
                return None
            trouble = None
            if time.monotonic() > until:
                trouble = too_slow(self._git_s)
            elif self._is_too_large():
                trouble = too_large(self._git_max_bytes)
            if trouble:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return trouble


def check_branch(branch: str | None) -> None:
    """Raise DocumentSourceInvalid for a text that cannot be the name of a branch, such as an option."""
    if branch is not None and (branch.startswith(("-", "/")) or any(sign in branch for sign in " ~^:?*[\\\0\n")):
        raise DocumentSourceInvalid(f"{branch!r} is no name of a branch or tag.")


def clone_folder(source_id: uuid.UUID) -> Path:
    """The folder for the repository of a source, which only this user can open."""
    home = Path(tempfile.gettempdir()) / f"citewell-git-{os.geteuid()}"
    home.mkdir(mode=0o700, exist_ok=True)
    status = home.lstat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise PlaceUnreachable(f"{home} belongs to somebody else; remove it.")
    return home / str(source_id)


def remove_clone(folder: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def pin_options(url: str, addresses: Sequence[str]) -> list[str]:
    """Options that let git connect only to these addresses, which were checked before."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    spelt = ",".join(f"[{address}]" if ":" in address else address for address in addresses)
    return ["-c", f"http.curloptResolve={parts.hostname}:{port}:{spelt}"]


def allowing(protocol: str) -> list[str]:
    """Options with which git fetches by this protocol; it uses no other."""
    return ["-c", f"protocol.{protocol}.allow=always"]


def _surroundings(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SSL_CERT_FILE") if name in os.environ}
    return {
        **kept,
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(folder / "config-of-git"),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "LC_ALL": "C",
    }


def _size(folder: Path) -> int:
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(where, name)).st_size
            except FileNotFoundError:
                continue
    return total
