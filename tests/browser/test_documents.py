"""The page of documents: uploads, their progress, the list, deletion."""

import re
from pathlib import Path

from playwright.sync_api import FilePayload, Locator, Page, Route, expect

from tests.archives import zipped
from tests.browser.conftest import PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack

TEXT = "Customers may return a product within 30 days. A receipt is required."
HOSTILE = '<img src=x onerror="alert(1)"> <script>alert(2)</script>'


def text_file(name: str, content: str | bytes = TEXT) -> FilePayload:
    data = content.encode() if isinstance(content, str) else content
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def opened(page: Page, workspace: str) -> None:
    page.goto("/#/documents")
    page.get_by_role("combobox", name="Workspace").first.fill(workspace)


def send(page: Page, *files: FilePayload) -> None:
    page.locator("input[type=file]:not([webkitdirectory])").set_input_files(list(files))


def on_the_way(page: Page, name: str) -> Locator:
    return page.locator(".uploads > li").filter(has_text=name)


def stored(page: Page, name: str, workspace: str = "") -> Locator:
    return page.get_by_role("row").filter(has_text=name).filter(has_text=workspace)


def test_files_are_sent_read_and_listed_and_what_fails_says_why(
    page: Page, offline: Stack, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # S5.7, A1
    opened(page, "desk")
    page.get_by_text("Metadata for these files").click()
    page.get_by_label("Name", exact=True).fill("year")
    page.get_by_label("Value").fill("2026")
    send(page, text_file("returns.md"), text_file("broken.pdf", b"%PDF-1.4 nonsense"))
    expect(on_the_way(page, "returns.md")).to_contain_text("ready")
    expect(on_the_way(page, "broken.pdf")).to_contain_text("broken.pdf is damaged")
    expect(page.get_by_role("status").get_by_text("1 of 2 files ready, 1 failed")).to_be_visible()
    # Without a reload: the list beneath has them, too.
    expect(stored(page, "returns.md", "desk")).to_contain_text("ready")
    expect(stored(page, "broken.pdf", "desk")).to_contain_text("damaged")
    ours = {"filename": "returns.md", "workspace": "desk"}
    [told] = offline.http.get("/v1/documents", params=ours).json()["documents"]
    assert (told["workspace"], told["metadata"]["year"], told["source"]) == ("desk", 2026, "dashboard")
    screenshot(page, "documents-with-progress")
    check_accessibility(page)
    # It would be as damaged as before.
    for place in (on_the_way(page, "broken.pdf"), stored(page, "broken.pdf", "desk")):
        expect(place.get_by_role("button", name="Try broken.pdf again")).to_have_count(0)
    assert [name.split()[0] for name in page.locator(".uploads > li").all_inner_texts()] == ["returns.md", "broken.pdf"]
    stored(page, "returns.md", "desk").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(f"#/document/{told['id']}$"))


def test_several_documents_are_chosen_and_deleted(page: Page, offline: Stack) -> None:  # S5.7
    for name in ("one.md", "two.md", "three.md"):
        offline.add_text(name, f"{TEXT} This is {name}.", workspace="several")
    page.goto("/#/documents?workspace=several")
    for name in ("one.md", "two.md"):
        page.get_by_role("checkbox", name=f"Choose {name}").check()
    expect(page.get_by_text("2 documents chosen")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Choose all that are shown")).not_to_be_checked()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog", name="Delete 2 documents?").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("2 documents are deleted.")).to_be_visible()
    expect(stored(page, "three.md")).to_be_visible()
    left = offline.http.get("/v1/documents", params={"workspace": "several"}).json()["documents"]
    assert [document["filename"] for document in left] == ["three.md"]
    page.get_by_role("checkbox", name="Choose all that are shown").check()
    expect(page.get_by_role("checkbox", name="Choose three.md")).to_be_checked()
    expect(page.get_by_text("1 document chosen")).to_be_visible()


def test_an_archive_becomes_documents_and_says_what_it_left_out(page: Page) -> None:  # S5.7, A1
    opened(page, "archive")
    send(
        page, text_file("policies.zip", zipped({"a/one.md": TEXT, "two.txt": "Shipping is free.", "three.exe": b"MZ"}))
    )
    expect(on_the_way(page, "policies.zip")).to_contain_text("ready")
    expect(on_the_way(page, "policies.zip")).to_contain_text("3 of 3 files")
    page.get_by_text("Reasons (1)").click()
    expect(on_the_way(page, "policies.zip")).to_contain_text("three.exe")
    expect(stored(page, "a/one.md")).to_be_visible()


def test_uploads_go_on_behind_another_page(page: Page) -> None:  # S5.7
    opened(page, "behind")
    send(page, *(text_file(f"behind-{n}.md", f"{TEXT} Number {n}.") for n in range(4)))
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Keys").click()
    expect(page.locator("h1")).to_have_text("Keys")
    page.locator("#nav").get_by_role("link", name="Documents").click()
    expect(page.get_by_role("status").get_by_text("4 of 4 files ready")).to_be_visible()


def test_a_server_that_is_busy_gets_the_file_later(page: Page, allowed: list[str]) -> None:  # S5.7, A7
    allowed.append("status of 429")

    def refuse(route: Route) -> None:
        route.fulfill(status=429, headers={"Retry-After": "1"}, json={"code": "backlog_full", "detail": "Too much."})

    opened(page, "busy")
    page.route("**/v1/documents", refuse, times=1)
    send(page, text_file("patient.md"))
    expect(on_the_way(page, "patient.md")).to_contain_text("ready")


def test_dropped_files_are_taken(page: Page) -> None:  # S5.7
    opened(page, "dropped")
    transfer = page.evaluate_handle(
        "text => { const t = new DataTransfer(); t.items.add(new File([text], 'dropped.md')); return t; }", TEXT
    )
    page.dispatch_event(".dropzone", "drop", {"dataTransfer": transfer})
    expect(on_the_way(page, "dropped.md")).to_contain_text("ready")


def test_the_list_is_filtered_and_a_document_deleted_with_all_its_versions(
    page: Page, offline: Stack, screenshot: Screenshot, allowed: list[str]
) -> None:  # S5.7, N3
    for text in (TEXT, f"{TEXT} Opened products are exchanged."):
        versioned = offline.add_text("versioned.md", text, workspace="filters")
    offline.add_text("other.md", TEXT, workspace="filters")
    page.goto("/#/documents?workspace=filters")
    expect(stored(page, "versioned.md")).to_have_count(1)
    page.get_by_label("Show replaced versions").check()
    expect(stored(page, "versioned.md")).to_have_count(2)
    expect(stored(page, "versioned.md").last).to_contain_text("newer version")
    page.get_by_label("Name contains").fill("VERSION")
    page.get_by_label("Name contains").press("Enter")
    expect(stored(page, "other.md")).to_have_count(0)
    stored(page, "versioned.md").first.get_by_role("button", name="Delete versioned.md").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("is not searched any more")
    screenshot(page, "documents-delete")
    page.keyboard.press("Escape")
    expect(stored(page, "versioned.md")).to_have_count(2)
    stored(page, "versioned.md").first.get_by_role("button", name="Delete versioned.md").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No document fits these filters.")).to_be_visible()
    page.get_by_role("button", name="Clear the filters").click()
    expect(stored(page, "other.md").first).to_be_visible()
    left = offline.http.get("/v1/documents", params={"workspace": "filters", "versions": "all"}).json()["documents"]
    assert [each["filename"] for each in left] == ["other.md"]
    allowed.append("status of 404")
    page.goto(f"/#/document/{versioned}")  # as a link of an answer leads there
    expect(page.get_by_role("heading", level=1)).to_have_text("This document is not here")


def test_a_name_that_looks_like_markup_is_text(page: Page) -> None:  # S5.7, A8
    opened(page, "hostile")
    send(page, text_file(f"{HOSTILE.replace('/', '')}.md", HOSTILE))
    expect(on_the_way(page, "<img src=x")).to_contain_text("ready")
    expect(stored(page, "<img src=x").first).to_be_visible()
    assert page.locator("main img, main script").count() == 0


def test_documents_on_a_phone_in_the_dark(
    make_page: PageMaker, offline: Stack, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # S5.7
    offline.add_text("a-name-that-is-much-longer-than-a-phone-is-wide-and-has-no-space.md", TEXT, workspace="phone")
    page = make_page(offline, size=PHONE, scheme="dark", locale="ko-KR")
    page.goto("/#/documents?workspace=phone")
    expect(stored(page, "much-longer")).to_contain_text("준비됨")
    check_accessibility(page)
    assert screenshot(page, "documents-phone-dark") == Path("build/screenshots/documents-phone-dark.png")
