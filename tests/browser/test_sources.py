"""The page of sources: added, followed while they run, paused, deleted with or without their documents."""

import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack, running_stack

RETURNS = "All returns must be made within 30 days of purchase."


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shelf")


@pytest.fixture(scope="module")
def followed(shelf: Path) -> Generator[Stack]:
    """A stack whose sources may read the shelf."""
    shelf.chmod(0o755)
    folders = {"shelf": {"path": str(shelf)}}
    with running_stack(CITEWELL_SOURCES__FOLDERS=json.dumps(folders)) as stack:
        yield stack


@pytest.fixture(autouse=True)
def folder(shelf: Path, followed: Stack) -> Generator[Path]:
    """A folder with a file that is read and one that is not; afterwards there is no source."""
    folder = shelf / "policies"
    folder.mkdir(exist_ok=True)
    (folder / "returns.md").write_text(RETURNS)
    (folder / "program.exe").write_bytes(b"MZ")
    yield folder
    for file in folder.iterdir():
        file.unlink()
    for source in listed(followed):
        followed.http.delete(f"/v1/sources/{source['id']}").raise_for_status()


@pytest.fixture
def page(make_page: PageMaker, followed: Stack) -> Page:
    return make_page(followed)


def listed(stack: Stack) -> list[dict[str, Any]]:
    return stack.http.get("/v1/sources").raise_for_status().json()["sources"]


def documents(stack: Stack, workspace: str) -> list[str]:
    found = stack.http.get("/v1/documents", params={"workspace": workspace}).raise_for_status().json()
    return [document["filename"] for document in found["documents"]]


def add(page: Page, name: str, *, location: str = "shelf/policies", workspace: str = "shelf") -> Locator:
    """Add a folder in the page; return what is shown of it."""
    page.goto("/#/sources")
    return fill_in(page, name, location=location, workspace=workspace)


def fill_in(page: Page, name: str, *, location: str = "shelf/policies", workspace: str) -> Locator:
    page.get_by_label("Address").fill(location)
    page.get_by_role("textbox", name=re.compile("^Name")).fill(name)
    page.get_by_role("combobox", name="Workspace").fill(workspace)
    page.get_by_role("button", name="Add", exact=True).click()
    return source(page, name)


def source(page: Page, name: str) -> Locator:
    return page.get_by_role("article").filter(has=page.get_by_role("heading", name=name, exact=True))


def test_a_folder_is_added_followed_and_read_again_when_asked(
    page: Page, folder: Path, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # N3, S5.7
    own = add(page, "policies")
    expect(own).to_contain_text("1 ready")  # by itself
    for told in ("2 listed", "1 new", "1 skipped", "waiting", "(run 1)"):
        expect(own).to_contain_text(told)
    own.get_by_text("What was not taken, and why (1)").click()
    expect(own.get_by_role("listitem")).to_contain_text("program.exe skipped")
    (folder / "returns.md").write_text(RETURNS.replace("30", "60"))
    (folder / "program.exe").unlink()
    own.get_by_role("button", name="Run now").click()
    for told in ("(run 2)", "1 listed", "1 changed"):
        expect(own).to_contain_text(told)
    expect(own).not_to_contain_text("skipped")
    screenshot(page, "sources-followed")
    check_accessibility(page)


def test_a_source_is_paused_resumed_and_gets_another_schedule(page: Page, followed: Stack) -> None:  # N3
    own = add(page, "handbook")
    expect(own).to_contain_text("(run 1)")
    own.get_by_role("button", name="Pause").click()
    expect(own.get_by_text("paused").first).to_be_visible()
    expect(own.get_by_role("button", name="Run now")).to_be_hidden()
    assert listed(followed)[0]["status"] == "paused"
    own.get_by_role("button", name="Resume").click()
    expect(own).to_contain_text("waiting")
    own.get_by_label("Schedule of handbook").select_option(label="every day")
    expect(page.get_by_text("The schedule of “handbook” is changed.")).to_be_visible()
    assert listed(followed)[0]["every_s"] == 86_400
    own.get_by_label("Schedule of handbook").select_option(label="only when asked")
    expect(own).to_contain_text("Next run: only when asked")
    assert listed(followed)[0]["every_s"] is None


@pytest.mark.parametrize(("choice", "left"), [("Its documents stay", 1), ("Its documents are deleted", 0)])
def test_whoever_deletes_a_source_says_what_becomes_of_its_documents(
    page: Page, followed: Stack, choice: str, left: int
) -> None:  # N3, A8
    workspace = f"left-{left}"
    own = add(page, f"goes-{left}", workspace=workspace)
    expect(own).to_contain_text("1 ready")
    own.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Its documents stay")).to_be_checked()
    dialog.get_by_role("button", name="Cancel").click()
    assert listed(followed)
    own.get_by_role("button", name="Delete").click()
    dialog.get_by_label(choice).check()
    dialog.get_by_role("button", name="Delete").click()
    expect(own).to_have_count(0)  # by itself, when its documents are deleted
    assert listed(followed) == []
    assert len(documents(followed, workspace)) == left


def test_a_place_that_is_not_allowed_is_refused_with_what_to_do(
    page: Page, followed: Stack, allowed: list[str]
) -> None:  # N3, A8
    allowed.append("status of 4")
    add(page, "secret", location="etc")
    expect(page.get_by_role("alert")).to_contain_text("The operator allows one in the configuration")
    page.get_by_label("Kind").select_option("web")
    expect(page.get_by_label("Links to follow")).to_be_visible()
    page.get_by_label("Address").fill("http://10.0.0.1/")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Pages are taken from public addresses")
    page.get_by_label("Kind").select_option("bucket")
    expect(page.get_by_label("Links to follow")).to_be_hidden()
    page.get_by_label("Address").fill("reports/2026")
    page.get_by_label("Store").fill("nowhere")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("There is no store 'nowhere'")
    assert listed(followed) == []


def test_only_what_the_form_says_is_taken(page: Page, folder: Path, followed: Stack) -> None:  # N3
    (folder / "draft.md").write_text("A draft says nothing.")
    page.goto("/#/sources")
    page.get_by_text("What it takes").click()
    page.get_by_label("Only these").fill("*.md\n*.txt")
    page.get_by_label("Not these").fill("draft*")
    page.get_by_label("What went away").select_option("delete")
    own = fill_in(page, "chosen", workspace="chosen")
    expect(own).to_contain_text("1 ready")
    assert documents(followed, "chosen") == ["chosen/returns.md"]
    (folder / "returns.md").unlink()
    (folder / "shipping.md").write_text("Shipping is free.")
    own.get_by_role("button", name="Run now").click()
    expect(own).to_contain_text("1 gone")
    expect(own).to_contain_text("1 new")
    assert documents(followed, "chosen") == ["chosen/shipping.md"]


def test_a_place_that_is_away_says_so_in_korean_on_a_phone_in_the_dark(
    make_page: PageMaker,
    page: Page,
    folder: Path,
    followed: Stack,
    screenshot: Screenshot,
    check_accessibility: AccessibilityCheck,
) -> None:  # N3, S5.7
    own = add(page, "a-name-that-is-as-long-as-names-of-sources-may-be-" + "x" * 49)
    expect(own).to_contain_text("1 ready")
    moved = folder.rename(folder.with_name("elsewhere"))
    own.get_by_role("button", name="Run now").click()
    expect(own.locator(".reason")).to_be_visible()
    english = own.locator(".reason").inner_text()
    phone = make_page(followed, size=PHONE, scheme="dark", locale="ko-KR")
    phone.goto("/#/sources")
    expect(phone.locator("article .reason")).to_be_visible()
    assert phone.locator("article .reason").inner_text() != english
    assert re.search("[가-힣]", phone.locator("article .reason").inner_text())
    phone.get_by_text("지금 실행").scroll_into_view_if_needed()
    screenshot(phone, "sources-phone-dark-ko")
    check_accessibility(phone)
    moved.rename(folder)
    phone.get_by_role("button", name="지금 실행").click()
    expect(phone.locator("article .reason")).to_have_count(0)
    expect(phone.locator("article")).to_contain_text("그대로 1")
