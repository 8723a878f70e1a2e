"""Paths that come from outside stay below the folder that they are joined to (A8)."""

import os
import resource
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_documents.errors import PathForbidden
from citewell_documents.paths import is_relative, names_in
from citewell_verify.errors import CitewellError
from clients.confined_files import open_file, open_folder, open_root
from clients.object_store.folder import FolderObjects
from verify_material.rows import for_all_rows

_PIECES = st.sampled_from(["", ".", "..", "a", "b.txt", "...", " ", "~", "%2e%2e", "..\\", "\0", "\ud800", "한글", "/"])


@given(st.lists(_PIECES, max_size=6).map("/".join))
def test_a_path_is_relative_only_if_joining_it_stays_below(path: str) -> None:  # A8
    joined = os.path.join("/base/folder", path)
    if is_relative(path):
        assert names_in(path) == tuple(path.split("/"))
        assert os.path.normpath(joined) == joined
        assert joined.startswith("/base/folder/")
    else:
        with pytest.raises(PathForbidden):
            names_in(path)


@pytest.fixture
def root(tmp_path: Path) -> Generator[int]:
    (tmp_path / "inside/a").mkdir(parents=True)
    (tmp_path / "inside/a/file").write_text("inside")
    (tmp_path / "secret").write_text("outside")
    (tmp_path / "inside/link").symlink_to(tmp_path)
    (tmp_path / "inside/a/link").symlink_to(tmp_path / "secret")
    (tmp_path / "inside/a/back").symlink_to("../a/file")
    folder = open_root(tmp_path / "inside")
    yield folder
    os.close(folder)


def test_files_and_folders_below_are_opened(root: int) -> None:
    with open_file(root, "a/file") as file:
        assert file.read() == b"inside"
    folder = open_folder(root, "a")
    with open_file(folder, "file") as file:
        assert file.read() == b"inside"
    os.close(folder)


@pytest.mark.parametrize("path", ["link/secret", "a/link", "a/back", "link/inside/a/file", "nowhere", "a/file/b"])
def test_no_link_is_followed(root: int, path: str) -> None:  # A8
    with pytest.raises(OSError, match=r"."):
        open_file(root, path)


@for_all_rows("path", ["/etc/passwd", "../secret", "a/../../secret", "a//file", "a/./file", "", "a", "a/"])
def test_no_path_leads_out_or_to_something_else_than_a_file(root: int, path: str) -> None:  # A8
    with pytest.raises(PathForbidden):
        open_file(root, path)


def test_no_descriptor_stays_open(root: int) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for path in ("a/file", "a/link", "link/secret", "a", "nowhere/a", "../secret"):
        try:
            open_file(root, path).close()
        except (OSError, PathForbidden):
            continue
    assert (len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0) == before


@pytest.mark.parametrize(
    "key", ["../secret", "/{tmp}/secret", "1/../../secret", "1//{tmp}/secret", "link/secret", "link/new/secret"]
)
def test_no_key_of_a_stored_file_leads_out_of_its_folder(tmp_path: Path, key: str) -> None:  # A8
    # Keys come from the database, which may have been restored from a file of unknown origin.
    (tmp_path / "originals").mkdir()
    (tmp_path / "originals/link").symlink_to(tmp_path)
    (tmp_path / "secret").write_text("outside")
    objects = FolderObjects(tmp_path / "originals")
    objects.put("1/ab/abc", b"inside")
    assert objects.get("1/ab/abc") == b"inside"
    key = key.format(tmp=tmp_path)
    with pytest.raises(CitewellError):
        objects.get(key)
    with pytest.raises(CitewellError):
        objects.put(key, b"changed")
    with pytest.raises(CitewellError):
        objects.delete(key)
    assert (tmp_path / "secret").read_text() == "outside"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["originals", "secret"]
    objects.delete("1/ab/abc")
    objects.delete("1/ab/abc")
    assert sorted(path.name for path in (tmp_path / "originals").rglob("*") if path.is_file()) == []


def test_drafts_are_written_and_tidied_in_their_own_folder_only(tmp_path: Path) -> None:  # A8
    root, outside = tmp_path / "originals", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "old").write_text("another program's")
    os.utime(outside / "old", (0, 0))
    (root / "drafts").symlink_to(outside)
    objects = FolderObjects(root)
    objects.tidy()
    with pytest.raises(CitewellError):
        objects.put("1/ab/abc", b"inside")
    assert [path.name for path in outside.iterdir()] == ["old"]
    (root / "drafts").unlink()
    objects.put("1/ab/abc", b"inside")
    (root / "drafts/left").write_text("by a writer that was ended")
    os.utime(root / "drafts/left", (0, 0))
    (root / "drafts/new").write_text("by one that writes")
    objects.tidy()
    assert [path.name for path in (root / "drafts").iterdir()] == ["new"]


def test_a_deep_path_holds_few_descriptors_and_ends(root: int, tmp_path: Path) -> None:
    folder = tmp_path / "inside"
    for _ in range(300):
        folder = folder / "d"
        folder.mkdir()
    (folder / "file").write_text("deep")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/dev/fd")) + 20, limits[1]))
    try:
        with open_file(root, "d/" * 300 + "file") as file:
            assert file.read() == b"deep"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    with pytest.raises(FileNotFoundError):
        open_file(root, "d/" * 3_000 + "file")
