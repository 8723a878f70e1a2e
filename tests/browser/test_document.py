"""The page of a document: the cited place marked and visible, pages, search, versions, even in long documents."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from openpyxl import Workbook
from playwright.sync_api import Page, expect

from document_material.office_files import workbook
from tests.browser.conftest import DESK, PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack
from tests.waiting import until

PDF = Path("api/dashboard/example/refund-policy.pdf")
SPAN = "Electronics are an exception: electronics bought in that period can be returned until January 15."
# Code points that are two units in JavaScript, before, in and after the cited text.
EMOJI = "😀 Vorwort 😀😀\n둘째 줄: the 😀 cited words 😀 stand here.\nNachwort 😀"

# The number of these elements whose content is laid out: `content-visibility` hides the content of the others.
_LAID_OUT = """(all) => all.filter((one) => {
    const probe = one.appendChild(document.createElement("span"));
    const visible = probe.checkVisibility({ contentVisibilityAuto: true });
    probe.remove();
    return visible;
}).length"""

_FRAMES = """async () => {
    for (let count = 0; count < 9; count += 1) await new Promise((next) => requestAnimationFrame(next));
}"""


@pytest.fixture(scope="module")
def policy(offline: Stack) -> str:
    return offline.add_file(PDF, workspace="reader")


def address(stack: Stack, document_id: str, span: str) -> str:
    start = stack.stored_text(document_id).index(span)
    return f"/#/document/{document_id}?start={start}&end={start + len(span)}&view=text"


def test_the_cited_place_is_marked_and_in_sight(page: Page, offline: Stack, policy: str) -> None:  # N3, S5.7
    page.goto(address(offline, policy, SPAN))
    mark = page.locator("mark.cited")
    expect(mark).to_have_text(SPAN)
    expect(mark).to_be_in_viewport(ratio=1)
    expect(page.get_by_label("Page", exact=True).locator("input")).to_have_value("2")
    page.evaluate(_FRAMES)  # what is laid out only now may still move it
    page.evaluate("scrollTo(0, 0)")
    expect(mark).not_to_be_in_viewport()
    page.get_by_role("button", name="Cited place").click()
    expect(mark).to_be_in_viewport(ratio=1)


def test_offsets_are_code_points(page: Page, offline: Stack) -> None:  # N3
    document_id = offline.add_text("emoji.txt", EMOJI, workspace="reader")
    page.goto(address(offline, document_id, "the 😀 cited words 😀 stand"))
    expect(page.locator("mark.cited")).to_have_text("the 😀 cited words 😀 stand")
    # The same by the functions that everything else on the page uses.
    spans = [[0, 1], [2, 9], [0, len(EMOJI)], [len(EMOJI) - 1, len(EMOJI)]]
    sliced = page.evaluate(
        "async ([text, spans]) => { const { points } = await import('/dashboard/js/points.js');"
        " const measured = points(text);"
        " return spans.map(([start, end]) => [measured.slice(start, end), measured.point(measured.unit(end))]); }",
        [EMOJI, spans],
    )
    assert sliced == [[EMOJI[start:end], end] for start, end in spans]


def test_a_place_that_is_not_there_is_told(page: Page, policy: str) -> None:
    page.goto(f"/#/document/{policy}?start=999999&end=1000000")
    expect(page.get_by_text("The cited place is not part of this text.")).to_be_visible()
    expect(page.locator(".leaf")).to_have_count(5)


def test_pages_are_turned_and_sections_opened(page: Page, policy: str) -> None:
    page.goto(f"/#/document/{policy}?view=text")
    field = page.get_by_label("Page", exact=True).locator("input")
    page.get_by_role("button", name="Next page").click()
    expect(page.get_by_role("heading", name="Page 2")).to_be_in_viewport()
    field.fill("4")
    field.press("Enter")
    expect(page.get_by_role("heading", name="Page 4")).to_be_in_viewport()
    page.get_by_role("heading", name="Sections").click()  # folded where they have no room beside the text
    page.get_by_role("button", name="4.3 Restocking fees").click()
    expect(page.get_by_text("4.3 Restocking fees").last).to_be_in_viewport()
    expect(field).to_have_value("3")


def test_words_are_found_in_a_document(page: Page, offline: Stack, policy: str) -> None:
    text = offline.stored_text(policy).lower()
    page.goto(f"/#/document/{policy}?view=text")
    field = page.get_by_label("Find in document")
    field.fill("ELECTRONICS")
    told = page.locator(".finding [role=status]")
    expect(told).to_have_text(f"1 of {text.count('electronics')}")
    field.press("Enter")
    expect(told).to_have_text(f"2 of {text.count('electronics')}")
    page.get_by_role("button", name="Previous hit").click()
    expect(told).to_have_text(f"1 of {text.count('electronics')}")
    shown = page.evaluate("[...CSS.highlights.get('found-now')].map((range) => range.toString())")
    assert [hit.lower() for hit in shown] == ["electronics"]
    assert page.evaluate("CSS.highlights.get('found').size") == text.count("electronics")
    field.fill("zeppelin")
    expect(told).to_have_text("not found")


def test_a_long_document_is_laid_out_where_it_is_looked_at(page: Page, policy: str) -> None:
    lines = [f"Line {number}: what is written here is of no importance at all. 😀" for number in range(17_000)]
    text = "\n".join(lines)
    assert len(text) > 1_000_000
    # Its passages would be embedded for a minute; the page asks for nothing of them.
    page.route("**/text", lambda route: route.fulfill(body=text, content_type="text/plain; charset=utf-8"))
    layout: dict[str, Any] = {"characters": len(text), "pages": [], "sections": []}
    page.route("**/layout", lambda route: route.fulfill(json=layout))
    start = text.index(lines[15_000])
    page.goto(f"/#/document/{policy}?start={start}&end={start + len(lines[15_000])}&view=text")
    expect(page.locator("mark.cited")).to_have_text(lines[15_000])
    expect(page.locator("mark.cited")).to_be_in_viewport(ratio=1)
    blocks = page.locator(".block")
    laid_out = blocks.evaluate_all(_LAID_OUT)
    assert blocks.count() > 100
    assert laid_out < blocks.count() / 4
    page.get_by_label("Find in document").fill("line 7777:")
    expect(page.locator(".finding [role=status]")).to_have_text("1 of 1")
    at = page.evaluate("[...CSS.highlights.get('found-now')][0].getBoundingClientRect().top")
    assert 0 < at < DESK[1]


def test_versions_lead_to_each_other(page: Page, offline: Stack) -> None:
    old = offline.add_text("terms.txt", "Refunds take 14 days.", workspace="versions")
    new = offline.add_text("terms.txt", "Refunds take 10 days.", workspace="versions")
    until(lambda: offline.http.get(f"/v1/documents/{old}").json()["status"] == "superseded")
    page.goto(f"/#/document/{old}")
    expect(page.locator(".caution")).to_contain_text("A newer version")
    expect(page.get_by_text("Refunds take 14 days.")).to_be_visible()
    page.get_by_role("link", name="Open it").click()
    expect(page).to_have_url(re.compile(new))
    expect(page.get_by_text("Refunds take 10 days.")).to_be_visible()
    page.get_by_role("heading", name="Versions").click()
    expect(page.locator(".plain-list a")).to_have_text(["version 2", "version 1"])


def test_what_the_text_does_not_show_of_its_file_is_told(page: Page, offline: Stack) -> None:  # N3, S5.7
    def hide(book: Workbook) -> None:
        book["Old"].sheet_state = "hidden"

    data = workbook({"Prices": [["Room", "Euro"], ["Single", 80]], "Old": [["Single", 70]]}, hide)
    document_id = offline.send_file("prices.xlsx", data, workspace="reader")
    page.goto(f"/#/document/{document_id}")
    told = "2 words of the file that a reader does not see are no part of this text (marked as hidden)."
    expect(page.get_by_text(told)).to_be_visible()


def test_a_document_that_could_not_be_read_says_why(page: Page, offline: Stack, screenshot: Screenshot) -> None:
    sent: httpx.Response = offline.http.post("/v1/documents", files={"file": ("broken.pdf", b"%PDF-1.7 nothing")})
    document = offline.until_ended(sent.json()["id"])
    assert document["status"] == "failed"
    page.goto(f"/#/document/{document['id']}")
    expect(page.locator(".problem")).to_contain_text(document["error"]["message"])
    screenshot(page, "document-failed-light")
    # Trying again cannot help: the same file is as broken.
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_a_document_can_be_read_by_everybody(
    make_page: PageMaker,
    offline: Stack,
    policy: str,
    check_accessibility: AccessibilityCheck,
    screenshot: Screenshot,
    scheme: str,
    size: tuple[int, int],
) -> None:  # S5.7
    page = make_page(offline, scheme=scheme, size=size, locale="ko-KR" if size == PHONE else "en-GB")
    page.goto(address(offline, policy, SPAN))
    # The space at which a line ends hangs out of its block.
    expect(page.locator("mark.cited")).to_be_in_viewport(ratio=0.99)
    check_accessibility(page)
    page.screenshot(path=f"build/screenshots/document-{scheme}-{'phone' if size == PHONE else 'desk'}.png")
