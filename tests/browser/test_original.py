"""The reader of a document shows it as it looks, with the cited words marked, and its text beside."""

import re
from io import BytesIO
from typing import Any

import pytest
from openpyxl import Workbook
from playwright.sync_api import Page, expect
from pptx.presentation import Presentation
from pptx.util import Cm

from document_material.office_files import add_box, add_slide, slides
from tests.browser.conftest import DESK, PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.browser.test_document import PDF, SPAN
from tests.e2e.stack import Stack

HTML = """<h1>Returns</h1><p>Goods come back within 30 days.</p><script>document.title = "run"</script>
<img src="https://elsewhere.example/a.png" onerror="document.title = 'run'">
<table><tr><th>Item</th><th>Days</th></tr><tr><td>Pump</td><td>thirty days</td></tr></table>"""

DRAWN = re.compile(r"^\d{3,4}$")

# The share of pixels below each box of the mark that are dark: letters are there.
_DARK = """(mark) => {
    const canvas = mark.parentElement.querySelector("canvas");
    const scale = canvas.width / canvas.clientWidth;
    const corner = canvas.getBoundingClientRect();
    return [...mark.querySelectorAll(".box")].map((box) => {
        const at = box.getBoundingClientRect();
        const place = [at.left - corner.left, at.top - corner.top, at.width, at.height];
        const { data } = canvas.getContext("2d").getImageData(...place.map((one) => Math.round(one * scale)));
        let dark = 0;
        for (let index = 0; index < data.length; index += 4) dark += data[index] < 128;
        return dark / (data.length / 4);
    });
}"""


def address(stack: Stack, document_id: str, span: str) -> str:
    start = stack.stored_text(document_id).index(span)
    return f"/#/document/{document_id}?start={start}&end={start + len(span)}"


def add(stack: Stack, name: str, content: bytes) -> str:
    sent: dict[str, Any] = stack.http.post("/v1/documents", files={"file": (name, content)}).json()
    assert stack.until_ended(sent["id"])["status"] == "ready"
    return sent["id"]


@pytest.fixture(scope="module")
def policy(offline: Stack) -> str:
    return offline.add_file(PDF, workspace="originals")


def test_the_cited_words_are_marked_on_the_picture_of_their_page(
    page: Page, offline: Stack, policy: str, allowed: list[str]
) -> None:  # S5.7
    allowed.append("willReadFrequently")  # how this test looks at the picture
    page.goto(address(offline, policy, SPAN))
    mark = page.locator("mark.cited")
    expect(mark).to_have_text(SPAN)
    expect(mark).to_be_in_viewport(ratio=1)
    expect(page.locator(".leaf.picture:has(mark)")).to_have_attribute("data-page", "2")
    expect(page.locator(".paper:has(mark) canvas")).to_have_attribute("width", DRAWN)
    for share in mark.evaluate(_DARK):
        assert 0.05 < share < 0.7
    page.get_by_role("button", name="Text", exact=True).click()
    expect(page.locator(".block mark.cited")).to_have_text(SPAN)
    expect(page.locator("mark.cited")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator("mark.on-picture")).to_be_in_viewport(ratio=1)


def test_pictures_are_there_while_their_pages_are_near(page: Page, policy: str) -> None:
    page.goto(f"/#/document/{policy}?page=1")
    first, last = page.locator('[data-page="1"] canvas'), page.locator('[data-page="5"] canvas')
    expect(first).to_have_attribute("width", DRAWN)
    expect(last).not_to_have_attribute("width", DRAWN)
    page.get_by_label("Page", exact=True).locator("input").fill("5")
    page.keyboard.press("Enter")
    expect(last).to_have_attribute("width", DRAWN)
    expect(first).to_have_attribute("width", "0")


def test_a_page_is_drawn_anew_in_a_larger_window(make_page: PageMaker, offline: Stack, policy: str) -> None:
    page = make_page(offline, size=PHONE)
    page.goto(f"/#/document/{policy}?page=1")
    canvas = page.locator('[data-page="1"] canvas')
    expect(canvas).to_have_attribute("width", re.compile("^[34]00$"))
    page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
    expect(canvas).to_have_attribute("width", re.compile("^(?:[6-9]|1[0-9])00$"))


def test_slides_are_shown_one_after_the_other_and_turned_to(page: Page, offline: Stack) -> None:  # S5.7
    def write(presentation: Presentation) -> None:
        for title in ("First steps", "Second thoughts"):
            slide = add_slide(presentation, title)
            add_box(slide, f"{title} take {len(title)} days.", Cm(2), Cm(6))

    document_id = add(offline, "steps.pptx", slides(write))
    page.goto(address(offline, document_id, "Second thoughts take 15 days."))
    expect(page.locator('[data-page="2"] mark.cited')).to_be_in_viewport(ratio=1)
    field = page.get_by_label("Page", exact=True).locator("input")
    page.get_by_role("button", name="Previous page").click()
    expect(field).to_have_value("1")
    expect(page.locator('[data-page="1"]').get_by_role("heading", name="First steps", exact=True)).to_be_in_viewport()


def test_a_web_page_is_shown_from_its_text_alone(page: Page, offline: Stack) -> None:
    document_id = add(offline, "returns.html", HTML.encode())
    page.goto(address(offline, document_id, "thirty days"))
    expect(page.get_by_role("heading", name="Returns", exact=True)).to_be_visible()
    expect(page.get_by_role("columnheader", name="Days")).to_be_visible()
    expect(page.locator("td.cited-cell mark.cited")).to_have_text("thirty days")
    expect(page.locator(".sheet img, .sheet script, .sheet iframe")).to_have_count(0)
    expect(page).to_have_title(re.compile("Document"))


def test_the_cited_cell_of_a_sheet_is_marked_in_its_row_and_column(page: Page, offline: Stack) -> None:
    book = Workbook()
    for place, value in {"C3": "Item", "D3": "Days", "C4": "Pump", "D4": 45, "C5": "Valve", "D5": 1030}.items():
        book.worksheets[0][place] = value
    book.worksheets[0]["D5"].number_format = "#,##0"
    file = BytesIO()
    book.save(file)
    document_id = add(offline, "returns.xlsx", file.getvalue())
    page.goto(address(offline, document_id, "Valve\t1,030"))
    row = page.get_by_role("row").filter(has=page.locator(".cited-cell"))
    expect(row.get_by_role("rowheader")).to_have_text("5")
    expect(page.locator("mark.cited")).to_have_text(["Valve", "1,030"])
    expect(page.locator("thead th")).to_have_text(["C", "D"])


def test_a_text_has_no_other_view(page: Page, offline: Stack) -> None:
    document_id = offline.add_text("plain.txt", "Refunds take 14 days.", workspace="originals")
    page.goto(f"/#/document/{document_id}")
    expect(page.get_by_text("Refunds take 14 days.")).to_be_visible()
    expect(page.get_by_role("button", name="Original")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE, (390, 844)], ids=["desk", "phone", "390"])
def test_an_original_can_be_read_by_everybody(
    make_page: PageMaker,
    offline: Stack,
    policy: str,
    check_accessibility: AccessibilityCheck,
    screenshot: Screenshot,
    scheme: str,
    size: tuple[int, int],
) -> None:  # S5.7
    page = make_page(offline, scheme=scheme, size=size)
    page.goto(address(offline, policy, SPAN))
    expect(page.locator("mark.cited")).to_be_in_viewport(ratio=1)
    expect(page.locator(".paper:has(mark) canvas")).to_have_attribute("width", DRAWN)
    check_accessibility(page)
    screenshot(page, f"original-{scheme}-{size[0]}")
