"""Git repositories: fetched by the real program, nothing checked out, changes followed (N3, A8)."""

import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from clients.sources import web
from clients.sources.git import pin_options
from domain.errors.requests import DocumentSourceInvalid, PlaceForbidden
from tests.services.sources.place import configure, files, items, look, put_all_in_force, run, set_up
from tests.services.sources.site import serving_a_site

Git = Callable[..., str]


@pytest.fixture
def git(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Runs git in a new repository below the allowed folder `code`."""
    assert database
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    repository = tmp_path / "code" / "repository"
    repository.mkdir(parents=True)
    configure(monkeypatch, folders=json.dumps({"code": {"path": str(tmp_path / "code")}}))
    web.forget()
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]

    def call(*arguments: str) -> str:
        command = ["git", *who, *arguments]
        done = subprocess.run(command, cwd=repository, check=True, capture_output=True, text=True)
        return done.stdout

    call("init", "--quiet")
    (repository / "docs").mkdir()
    (repository / "README.md").write_text("# Read me")
    (repository / "docs/a.txt").write_text("one fish")
    (repository / "docs/b.txt").write_text("two fish")
    (repository / "link.txt").symlink_to("/etc/passwd")
    (repository / "program.exe").write_bytes(b"x")
    (repository / ".hidden.md").write_text("hidden")
    commit(call)
    return call


def commit(git: Git) -> None:
    git("add", "--all")
    git("commit", "--quiet", "--message", "More")


def test_the_files_of_a_repository_become_documents(git: Git, tmp_path: Path) -> None:  # N3
    assert git
    seen = run(set_up("git", "code/repository"))
    assert (items(seen), seen["error"]) == ({"new": 3, "skipped": 2}, None)
    assert files() == {"s/README.md": "# Read me", "s/docs/a.txt": "one fish", "s/docs/b.txt": "two fish"}
    assert {each["key"]: each["code"] for each in seen["reasons"]} == {
        "link.txt": "not_of_the_source",
        "program.exe": "document_type_unknown",
    }
    assert not list(tmp_path.glob("citewell-git-*/*"))


def test_a_pointer_of_git_lfs_is_no_document(git: Git, tmp_path: Path) -> None:  # N3
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    (tmp_path / "code/repository/large.txt").write_text(pointer)
    commit(git)
    seen = run(set_up("git", "code/repository", include=["large.txt"]))
    assert [each["message"] for each in seen["reasons"]] == ["Its content lies in Git LFS, which is not fetched."]


def test_a_folder_without_a_repository_says_so(git: Git) -> None:  # N3
    assert git
    seen = run(set_up("git", "code"))
    assert seen["error"]["message"] == "The repository cannot be fetched: there is no Git repository at this place."


def test_commits_are_followed_by_content_not_by_time(git: Git, tmp_path: Path) -> None:  # N3
    source = set_up("git", "code/repository", include=["docs/*"])
    run(source)
    (tmp_path / "code/repository/docs/a.txt").write_text("one fish more")
    (tmp_path / "code/repository/docs/b.txt").rename(tmp_path / "code/repository/docs/c.txt")
    commit(git)
    assert items(run(source)) == {"changed": 1, "new": 1, "gone": 1}
    git("commit", "--quiet", "--allow-empty", "--message", "Nothing")
    assert items(run(source)) == {"unchanged": 2}
    assert files()["s/docs/a.txt"] == "one fish more"


def test_source_code_and_settings_files_of_a_repository_become_documents(git: Git, tmp_path: Path) -> None:  # N3
    (tmp_path / "code/repository/tax.py").write_text("RATE = 0.2\n")
    (tmp_path / "code/repository/tox.ini").write_text("[tox]\n")
    (tmp_path / "code/repository/~$plan.docx").write_text("Lena")
    commit(git)
    seen = run(set_up("git", "code/repository"))
    assert (files()["s/tax.py"], files()["s/tox.ini"]) == ("RATE = 0.2\n", "[tox]\n")
    assert "~$plan.docx" in {each["key"] for each in seen["reasons"]}


def test_a_branch_or_tag_is_taken_if_the_source_names_one(git: Git, tmp_path: Path) -> None:  # N3
    git("tag", "v1")
    (tmp_path / "code/repository/docs/a.txt").write_text("later")
    commit(git)
    run(set_up("git", "code/repository", branch="v1"))
    assert files()["s/docs/a.txt"] == "one fish"
    seen = run(set_up("git", "code/repository", "other", branch="nowhere"))
    assert (seen["error"]["code"], "nowhere" in seen["error"]["message"]) == ("place_unreachable", True)


def test_a_run_goes_on_with_the_commit_that_it_listed(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N3, F1
    configure(monkeypatch, slice_s="0.001", queued="1")
    source = set_up("git", "code/repository")
    look(source)
    (tmp_path / "code/repository/docs/b.txt").write_text("later")
    commit(git)
    for _ in range(40):
        put_all_in_force()
        if look(source)["phase"] == "idle":
            break
    assert files()["s/docs/b.txt"] == "two fish"


def test_a_repository_that_is_too_large_or_too_slow_is_stopped(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:  # A8
    assert git
    configure(monkeypatch, git_max_bytes="100")
    seen = run(set_up("git", "code/repository"))
    assert "sources.git_max_bytes" in seen["error"]["message"]
    configure(monkeypatch, git_max_bytes="100000000", git_s="0.0001")
    seen = run(set_up("git", "code/repository", "slow"))
    assert "sources.git_s" in seen["error"]["message"]


def test_over_http_nothing_private_is_reached_and_no_redirect_followed(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:  # A8
    assert git
    with pytest.raises(PlaceForbidden):
        set_up("git", "https://10.0.0.1/a.git")
    seen = run(set_up("git", "https://localhost/a.git", "local"))
    assert seen["error"]["code"] == "place_forbidden"
    configure(monkeypatch, allowed_networks='["127.0.0.0/8"]')
    with serving_a_site() as site:
        site.pages["/a.git/info/refs?service=git-upload-pack"] = (302, {"location": f"{site.url}/b.git/info/refs"}, "")
        seen = run(set_up("git", f"{site.url}/a.git", "led"))
        assert seen["error"]["code"] == "place_unreachable"
        assert all("/b.git" not in path for path in site.asked)


@pytest.mark.parametrize("branch", ["--upload-pack=touch /tmp/x", "a b", "a..b:c", "-x"])
def test_a_branch_is_no_option(git: Git, branch: str) -> None:  # A8
    assert git
    with pytest.raises(DocumentSourceInvalid):
        set_up("git", "code/repository", branch=branch)


def test_a_folder_that_is_not_allowed_is_no_repository(git: Git) -> None:  # A8
    assert git
    for location in ("/etc", "other/repository", "file:///etc", "ext::sh -c id", "ssh://git@example.com/a"):
        with pytest.raises((PlaceForbidden, DocumentSourceInvalid)):
            set_up("git", location)


def test_connections_are_pinned_to_the_checked_addresses() -> None:  # A8
    assert pin_options("https://example.com/a", ["1.2.3.4", "2600::1"]) == [
        "-c",
        "http.curloptResolve=example.com:443:1.2.3.4,[2600::1]",
    ]
