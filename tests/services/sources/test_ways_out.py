"""Nothing outside of a folder that the operator allowed becomes a document, however a source spells or plants the way.

A8: a key with the scope `documents` names the location, and people who can write to the folder plant links.
"""

import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from domain.errors.requests import DocumentSourceInvalid
from tests.services.sources.place import configure, files, items, run, set_up

SECRET = "the secret word is heron"


class Places:
    """An allowed folder `shared` with honest files, and a folder beside it that is not allowed."""

    def __init__(self, root: Path) -> None:
        self.shared, self.outside = root / "shared", root / "outside"
        for folder in (self.shared / "part/deep", self.outside / "inner"):
            folder.mkdir(parents=True)
        (self.shared / "part/honest.txt").write_text("an honest file")
        for folder in (self.outside, self.outside / "inner"):
            (folder / "secret.txt").write_text(SECRET)

    def located(self, spelling: str) -> str:
        absolute = str(self.outside)
        return spelling.format(outside=absolute, encoded=quote(absolute, safe=""), bare=absolute.lstrip("/"))


@pytest.fixture
def places(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    assert database
    (tmp_path / "run").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "run"))
    made = Places(tmp_path)
    configure(monkeypatch, folders=json.dumps({"shared": {"path": str(made.shared)}}))
    return made


SPELLINGS = [
    "shared/{outside}",
    "shared//{outside}",
    "shared///{outside}",
    "//shared/{outside}",
    "/shared/../outside",
    "{outside}",
    "shared/./{outside}",
    "shared/part/{outside}",
    "shared/part//{outside}/",
    "shared/{outside}/inner//",
    "shared/..",
    "shared/../outside",
    "shared/../outside/",
    "shared/./../outside/inner",
    "shared/part/../../outside",
    "shared/part/deep/../../../outside",
    "shared//../outside",
    "shared/..//outside",
    "./shared/../outside",
    "shared/%2e%2e/outside",
    "shared/..%2foutside",
    "shared%2F..%2Foutside",
    "shared/{encoded}",
    "shared/..\\outside",
    "shared\\..\\outside",
    "shared/\N{FULLWIDTH FULL STOP}\N{FULLWIDTH FULL STOP}/outside",
    "shared/ {outside}",
    "shared/.. /outside",
    "shared/\x00{outside}",
    "shared/..\x00/outside",
    "shared/\ud800/../outside",
    "shared/~/../outside",
    "shared//proc/self/root{outside}",
    "shared//proc/self/cwd",
    "shared/{bare}",
    "shared/link",
    "shared/link/",
    "shared/link/inner",
    "shared/part/up",
    "shared/part/up/outside",
    "shared/part/root{outside}",
]


@pytest.mark.parametrize("kind", ["folder", "git"])
def test_no_spelling_of_a_location_leads_out(places: Places, kind: str) -> None:  # A8
    repository(places.outside)
    repository(places.outside / "inner")
    (places.shared / "link").symlink_to(places.outside)
    (places.shared / "part/up").symlink_to("../..")
    (places.shared / "part/root").symlink_to("/")
    accepted: list[str] = []
    for number, spelling in enumerate(SPELLINGS):
        with suppress(DocumentSourceInvalid):
            set_up(kind, places.located(spelling), f"s{number}")
            accepted.append(spelling)
    assert accepted == []
    assert files() == {}


@pytest.mark.parametrize("location", ["shared", "shared/", "shared/part", "shared/part/"])
def test_honest_folders_are_read(places: Places, location: str) -> None:  # N3
    (places.shared / "part/..a.txt").write_text("dots in a name")
    assert places.outside.exists()
    run(set_up("folder", location))
    assert list(files().values()) == ["an honest file"]


def test_links_made_while_a_folder_is_read_lead_nowhere(places: Places) -> None:  # A8
    swapped, aside = places.shared / "part", places.shared / "aside"
    (places.outside / "honest.txt").write_text(SECRET)
    for number in range(20):
        (swapped / f"{number}.txt").write_text("an honest file")
        (places.outside / f"{number}.txt").write_text(SECRET)
    source = set_up("folder", "shared")
    with swapping(swapped, aside, places.outside) as swaps:
        deadline = time.monotonic() + 10
        while swaps() < 200 and time.monotonic() < deadline:
            run(source)
    assert swaps() >= 200
    assert SECRET not in files().values()
    assert SECRET not in files("superseded").values()


@contextmanager
def swapping(folder: Path, aside: Path, outside: Path) -> Generator[Callable[[], int]]:
    """Exchange a folder for a link to another one and back, again and again; yields how often that was done."""
    ended, swaps = threading.Event(), [0]

    def swap() -> None:
        while not ended.is_set():
            folder.rename(aside)
            folder.symlink_to(outside)
            time.sleep(0.001)
            folder.unlink()
            aside.rename(folder)
            swaps[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield lambda: swaps[0]
    finally:
        ended.set()
        thread.join()


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    command = ["git", *who, "-c", "protocol.file.allow=always", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def repository(folder: Path, words: str | None = None) -> Path:
    """Make a repository of what is in the folder."""
    folder.mkdir(exist_ok=True, parents=True)
    if words is not None:
        (folder / "a.txt").write_text(words)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "All")
    return folder


def link_parts(places: Places, *parts: str) -> None:
    """An honest repository some of whose parts are links to those of the secret one."""
    inside = repository(places.shared / "repo", "an honest file")
    for part in parts:
        there = inside / ".git" / part
        shutil.rmtree(there) if there.is_dir() else there.unlink()
        there.symlink_to(places.outside / ".git" / part)


def gitfile(places: Places, target: str) -> None:
    (places.shared / "repo").mkdir()
    (places.shared / "repo/.git").write_text(f"gitdir: {target}\n")


def alternates(places: Places, target: str) -> None:
    inside = repository(places.shared / "repo", "an honest file")
    (inside / ".git/objects/info/alternates").write_text(f"{target}\n")
    point_at_the_secret(places, inside)


def point_at_the_secret(places: Places, inside: Path) -> None:
    head = git(places.outside, "rev-parse", "HEAD").strip()
    (inside / ".git/refs/heads/main").write_text(f"{head}\n")


def borrow_by_settings(places: Places, settings: str) -> None:
    inside = repository(places.shared / "repo", "an honest file")
    with (inside / ".git/config").open("a") as config:
        config.write(settings)
    point_at_the_secret(places, inside)


def promise(places: Places) -> None:
    git(places.outside, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(places.outside, "config", "uploadpack.allowFilter", "true")
    borrow_by_settings(
        places,
        f'[extensions]\npartialClone = far\n[remote "far"]\nurl = {places.outside}\npromisor = true\n',
    )
    (places.shared / "repo/.git/objects/pack").mkdir(exist_ok=True)


def worktree(places: Places) -> None:
    git(places.outside, "worktree", "add", "--quiet", "-b", "other", str(places.shared / "repo"))


def common_folder(places: Places) -> None:
    inside = places.shared / "repo/.git"
    inside.mkdir(parents=True)
    (inside / "HEAD").write_text("ref: refs/heads/main\n")
    (inside / "commondir").write_text(f"{places.outside}/.git\n")


def linked_objects(places: Places) -> None:
    inside = repository(places.shared / "repo", "an honest file")
    there = places.outside / ".git/objects"
    for loose in there.glob("??/*"):
        target = inside / ".git/objects" / loose.relative_to(there)
        target.parent.mkdir(exist_ok=True)
        target.symlink_to(loose)
    point_at_the_secret(places, inside)


def linked_packs(places: Places) -> None:
    git(places.outside, "gc", "--quiet")
    inside = repository(places.shared / "repo", "an honest file")
    for pack in (places.outside / ".git/objects/pack").iterdir():
        (inside / ".git/objects/pack" / pack.name).symlink_to(pack)
    point_at_the_secret(places, inside)


def submodule(places: Places) -> None:
    inside = repository(places.shared / "repo", "an honest file")
    git(inside, "submodule", "add", "--quiet", str(places.outside), "sub")
    git(inside, "commit", "--quiet", "--message", "More")


def bundle(places: Places) -> None:
    git(places.outside, "bundle", "create", str(places.outside / "all.bundle"), "--all")
    (places.shared / "repo").symlink_to(places.outside / "all.bundle")


def bundle_in_place(places: Places) -> None:
    git(places.outside, "bundle", "create", str(places.outside / "all.bundle"), "--all")
    (places.shared / "repo").mkdir()
    (places.shared / "repo/.git").symlink_to(places.outside / "all.bundle")


def linked_worktree(places: Places) -> None:
    inside = repository(places.shared / "repo", "an honest file")
    (inside / "b.txt").symlink_to(places.outside / "secret.txt")
    (inside / "sub").symlink_to(places.outside)
    git(inside, "add", "--all")
    git(inside, "commit", "--quiet", "--message", "Links")


PLANTED: dict[str, Callable[[Places], None]] = {
    "gitfile": lambda places: gitfile(places, f"{places.outside}/.git"),
    "relative gitfile": lambda places: gitfile(places, "../../outside/.git"),
    "worktree": worktree,
    "common folder": common_folder,
    "linked .git": lambda places: _linked_git(places),
    "alternates": lambda places: alternates(places, f"{places.outside}/.git/objects"),
    "relative alternates": lambda places: alternates(places, "../../../../outside/.git/objects"),
    "linked alternates": lambda places: _linked_alternates(places),
    "linked objects folder": lambda places: link_parts(places, "objects", "refs"),
    "all linked": lambda places: link_parts(places, "objects", "refs", "HEAD"),
    "linked loose objects": linked_objects,
    "linked packs": linked_packs,
    "included settings": lambda places: borrow_by_settings(places, f"[include]\npath = {places.outside}/.git/config\n"),
    "work tree elsewhere": lambda places: borrow_by_settings(places, f"[core]\nworktree = {places.outside}\n"),
    "promised objects": promise,
    "submodule": submodule,
    "linked bundle": bundle,
    "bundle in the place of .git": bundle_in_place,
    "links in the tree": linked_worktree,
}


def _linked_git(places: Places) -> None:
    (places.shared / "repo").mkdir()
    (places.shared / "repo/.git").symlink_to(places.outside / ".git")


def _linked_alternates(places: Places) -> None:
    inside = repository(places.shared / "repo", "an honest file")
    (places.outside / "alternates").write_text(f"{places.outside}/.git/objects\n")
    (inside / ".git/objects/info/alternates").symlink_to(places.outside / "alternates")
    point_at_the_secret(places, inside)


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_a_planted_repository_leads_nowhere(places: Places, plant: Callable[[Places], None]) -> None:  # A8
    repository(places.outside)
    plant(places)
    try:
        seen = run(set_up("git", "shared/repo"))
    except DocumentSourceInvalid:
        seen = None
    assert SECRET not in files().values()
    assert seen is None or seen["error"] or items(seen)["new"] == 1  # the honest file


def test_a_repository_exchanged_for_a_link_leads_nowhere(places: Places) -> None:  # A8
    repository(places.outside)
    inside = repository(places.shared / "repo", "an honest file")
    source = set_up("git", "shared/repo")
    with swapping(inside / ".git", inside / "aside", places.outside / ".git") as swaps:
        deadline = time.monotonic() + 10
        while swaps() < 300 and time.monotonic() < deadline:
            run(source)
    assert swaps() > 20
    assert SECRET not in files().values()
    run(source)
    assert files() == {"s/a.txt": "an honest file"}


def test_a_repository_that_borrows_objects_says_what_to_do(places: Places) -> None:  # A8
    repository(places.outside)
    alternates(places, f"{places.outside}/.git/objects")
    error = run(set_up("git", "shared/repo"))["error"]
    assert (error["code"], "git repack -a -d" in error["message"]) == ("place_forbidden", True)
    (places.shared / "other").mkdir()
    (places.shared / "other/.git").write_text("gitdir: /elsewhere\n")
    error = run(set_up("git", "shared/other", "other"))["error"]
    assert (error["code"], "name the repository itself" in error["message"]) == ("place_forbidden", True)


def _add_foreign_branch(inside: Path) -> None:
    head = git(inside, "rev-parse", "HEAD").encode()
    Path(os.fsdecode(os.fsencode(inside / ".git/refs/heads") + "/한글".encode("euc-kr"))).write_bytes(head)


HONEST: dict[str, tuple[Callable[[Path], object], str | None]] = {
    "loose": (lambda inside: None, None),
    "packed": (lambda inside: git(inside, "gc", "--quiet"), None),
    "packed references": (lambda inside: git(inside, "pack-refs", "--all"), "main"),
    "a branch in folders": (lambda inside: git(inside, "branch", "team/a/b"), "team/a/b"),
    "a tag with a message": (lambda inside: git(inside, "tag", "-a", "v1", "-m", "One"), "v1"),
    "no branch": (lambda inside: git(inside, "checkout", "--quiet", "--detach"), None),
    "maintained": (lambda inside: [git(inside, "maintenance", "run", "--task=loose-objects") for _ in range(2)], None),
    "another branch whose name is not UTF-8": (_add_foreign_branch, None),
    "settings of a person": (lambda inside: git(inside, "config", "core.fsmonitor", "touch planted"), None),
    "an empty list of alternates": (lambda inside: (inside / ".git/objects/info/alternates").write_text(""), None),
    "a lock that was left": (lambda inside: (inside / ".git/refs/heads/main.lock").write_text(""), None),
}


@pytest.mark.parametrize(("change", "branch"), HONEST.values(), ids=HONEST)
def test_honest_repositories_are_read(
    places: Places, change: Callable[[Path], object], branch: str | None
) -> None:  # N3
    inside = repository(places.shared / "repo", "an honest file")
    change(inside)
    seen = run(set_up("git", "shared/repo/", branch=branch))
    assert (seen["error"], files()) == (None, {"s/a.txt": "an honest file"})
    assert not list(Path(tempfile.gettempdir()).glob("citewell-git-*/*"))


def test_honest_copies_of_a_repository_are_read(places: Places) -> None:  # N3
    inside = repository(places.shared / "repo", "an honest file")
    git(places.shared, "clone", "--quiet", "--bare", str(inside), "bare.git")
    git(places.shared, "clone", "--quiet", "--depth=1", f"file://{inside}", "shallow")
    git(places.shared, "clone", "--quiet", "--mirror", str(inside), "mirror")
    for place in ("bare.git", "shallow", "mirror"):
        seen = run(set_up("git", f"shared/{place}", place))
        assert (seen["error"], files()[f"{place}/a.txt"]) == (None, "an honest file")


def test_a_repository_is_read_while_it_is_packed(places: Places) -> None:  # N3
    inside = repository(places.shared / "repo", "an honest file")
    source, ended = set_up("git", "shared/repo"), threading.Event()

    def pack() -> None:
        while not ended.is_set():
            git(inside, "commit", "--quiet", "--allow-empty", "--message", "More")
            git(inside, "repack", "-a", "-d", "-q")

    thread = threading.Thread(target=pack)
    thread.start()
    try:
        errors = [run(source)["error"] for _ in range(10)]
    finally:
        ended.set()
        thread.join()
    assert errors == [None] * 10


def test_a_linked_head_says_what_to_do(places: Places) -> None:  # N3
    inside = repository(places.shared / "repo", "an honest file")
    (inside / ".git/HEAD").unlink()
    (inside / ".git/HEAD").symlink_to("refs/heads/main")
    error = run(set_up("git", "shared/repo"))["error"]
    assert (error["code"], "git symbolic-ref HEAD" in error["message"]) == ("place_forbidden", True)


def test_one_long_path_stops_no_run(places: Places) -> None:  # N3
    folder = places.shared / "part"
    for number in range(8):
        folder = folder / (str(number) * 240)
        folder.mkdir()
    (folder / "far.txt").write_text("far")
    seen = run(set_up("folder", "shared"))
    assert (seen["error"], items(seen)) == (None, {"new": 1, "skipped": 1})
    assert files() == {"s/part/honest.txt": "an honest file"}


def test_a_location_as_deep_as_can_be_written_is_answered(places: Places) -> None:  # A8
    assert places.shared.exists()
    with pytest.raises(DocumentSourceInvalid, match="no folder"):
        set_up("folder", "shared" + "/a" * 990)


def test_a_pipe_or_a_device_holds_nothing_up(places: Places) -> None:  # A8
    os.mkfifo(places.shared / "part/pipe.txt")
    inside = repository(places.shared / "repo", "an honest file")
    (inside / ".git/packed-refs").unlink(missing_ok=True)
    os.mkfifo(inside / ".git/packed-refs")
    run(set_up("folder", "shared/part"))
    assert files() == {"s/honest.txt": "an honest file"}
    error = run(set_up("git", "shared/repo", "code"))["error"]
    assert "packed-refs" in error["message"]
    (inside / ".git/packed-refs").unlink()
    os.mkfifo(inside / ".git/objects/info/alternates")
    error = run(set_up("git", "shared/repo", "more"))["error"]
    assert (error["code"], "alternates" in error["message"]) == ("place_forbidden", True)
