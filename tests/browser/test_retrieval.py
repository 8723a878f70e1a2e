"""A question tried on the search alone, and the passages of a document: excluded, corrected as a new version."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import AccessibilityCheck, Screenshot
from tests.e2e.stack import Stack

RULES = "\n\n".join(
    f"# {name}\n\n{name} of products take {days} days from the day on which the parcel 😀 has arrived at the address. "
    f"Whoever asks for {name.lower()} sends the form that belongs to the order."
    for name, days in (("Returns", 30), ("Refunds", 14), ("Repairs", 60), ("Vouchers", 90))
)
# Marked words of a text as the page shows them, in brackets.
SHOWN = """async ([text, words]) => {
  const base = document.querySelector('script[type=module]').src;
  const { readableMarked } = await import(new URL("parts/evidence.js", base));
  const spans = words.map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length }));
  return readableMarked(text, spans, "a.md").map((part) => (part.nodeType ? `[${part.textContent}]` : part)).join("");
}"""
QUESTION = "How many days do refunds of products take?"


@pytest.fixture
def rules(offline: Stack, request: pytest.FixtureRequest) -> tuple[str, str]:
    """The workspace of the test, and its document."""
    workspace = re.sub(r"\W+", "-", request.node.name)[:60]
    return workspace, offline.add_text("rules.md", RULES, workspace=workspace)


def tried(page: Page, workspace: str, question: str = QUESTION) -> Locator:
    page.goto("/#/retrieval")
    page.get_by_role("searchbox", name="Question").fill(question)
    page.get_by_role("combobox", name="Workspace").fill(workspace)
    page.keyboard.press("Enter")
    return page.get_by_role("table", name="Passages").get_by_role("row")


def test_a_question_shows_what_each_part_found_and_leads_to_the_place(
    page: Page,
    rules: tuple[str, str],
    check_accessibility: AccessibilityCheck,
    screenshot: Screenshot,
) -> None:  # S5.7
    workspace, document_id = rules
    rows = tried(page, workspace)
    expect(rows).to_have_count(5)
    first = rows.nth(1)
    expect(first).to_contain_text("Refunds of products take 14 days")
    expect(first.get_by_text("place 1", exact=True)).to_have_count(4)
    expect(first.locator("mark").filter(has_text="Refunds").first).to_be_visible()
    # The text of the document has "# Refunds".
    expect(first.locator("blockquote")).to_have_text(re.compile("^Refunds"))
    shown = page.evaluate(
        SHOWN, ["## Meals\n\n| City | EUR |\n|---|---|\n| **Seoul** | 190 |", ["Meals", "Seoul", "190"]]
    )
    assert shown == "[Meals]\n\nCity | EUR\n[Seoul] | [190]"
    expect(first).to_contain_text("used")
    expect(rows.nth(4)).to_contain_text("after the best 3")
    expect(page.get_by_role("status").filter(has_text="An answer would be written from 3 passages.")).to_be_visible()
    screenshot(page, "retrieval-result")
    check_accessibility(page)
    first.get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(f"#/document/{document_id}\\?start=\\d+&end=\\d+$"))
    expect(page.locator("mark.cited").first).to_contain_text("Refunds")


def test_the_address_brings_the_question_and_a_fault_is_told(
    page: Page, rules: tuple[str, str], allowed: list[str]
) -> None:
    page.goto(f"/#/retrieval?question=refunds&workspace={rules[0]}")
    expect(page.get_by_role("table", name="Passages").get_by_role("row")).to_have_count(5)
    page.get_by_label("Score the candidates").uncheck()
    page.get_by_label("Candidates", exact=True).fill("1")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.get_by_role("row").nth(2)).to_contain_text("not among the first 1")
    allowed.append("status of 404")
    page.get_by_role("combobox", name="Workspace").fill("nowhere-at-all")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("nowhere-at-all")


def test_a_chunk_is_excluded_and_no_search_shows_it_until_it_is_included(
    page: Page,
    offline: Stack,
    rules: tuple[str, str],
    check_accessibility: AccessibilityCheck,
    screenshot: Screenshot,
) -> None:  # S5.7
    workspace, document_id = rules
    page.goto(f"/#/document/{document_id}")
    page.get_by_role("button", name="Passages", exact=True).click()
    expect(page.get_by_text("4 passages, 0 of them excluded")).to_be_visible()
    page.get_by_role("button", name="Exclude passage 1").click()
    page.get_by_label("Why (optional)").fill("out of date")
    page.get_by_role("dialog").get_by_role("button", name="Exclude").click()
    again = page.get_by_role("button", name="Include passage 1 again")
    expect(again).to_be_focused()
    expect(page.get_by_text("4 passages, 1 of them excluded")).to_be_visible()
    page.get_by_text("History of changes").click()
    expect(page.get_by_text("out of date")).to_be_visible()
    screenshot(page, "document-chunks")
    check_accessibility(page)
    rows = tried(page, workspace)
    expect(rows.nth(4)).to_contain_text("excluded by people")
    expect(rows.nth(4)).to_contain_text("Refunds of products")
    page.goto("/#/documents")
    page.get_by_label("Name contains").fill("rules")
    mine = page.get_by_role("row").filter(has_text=workspace)
    mine.get_by_role("link", name="1 passage excluded from search").click()
    page.get_by_role("combobox", name="Show").select_option("left")
    expect(page.locator(".chunks > li")).to_have_count(1)
    again.click()
    expect(page.get_by_text("4 passages, 0 of them excluded")).to_be_visible()
    found = offline.http.post("/v1/search", json={"query": QUESTION, "workspace": workspace}).json()["passages"]
    assert len(found) == 4


def test_a_chunk_is_corrected_with_the_keyboard_and_the_new_version_opens(
    page: Page,
    offline: Stack,
    rules: tuple[str, str],
    check_accessibility: AccessibilityCheck,
    screenshot: Screenshot,
    allowed: list[str],
) -> None:  # S5.7, A5
    _, old = rules
    page.goto(f"/#/document/{old}?view=chunks&chunk=1")
    expect(page.locator(".chunks > li").first).to_contain_text("Passage 1")
    page.get_by_role("button", name="Correct passage 1").press("Enter")
    field = page.get_by_label(re.compile("^Text of passage 1"))
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Correct passage 1")).to_be_focused()
    page.keyboard.press("Enter")
    check_accessibility(page)
    screenshot(page, "document-chunk-correction")
    right = field.input_value().replace("14 days", "fifteen days 😀")
    allowed.append("status of 422")
    page.get_by_role("button", name="Save as new version").click()  # nothing was changed yet
    expect(page.get_by_role("alert")).to_contain_text("there already")
    field.fill(right)
    page.get_by_role("button", name="Save as new version").click()
    expect(page).not_to_have_url(re.compile(old))
    expect(page.get_by_text("version 2").first).to_be_visible()
    first = page.locator(".chunks > li").first
    expect(first).to_contain_text("fifteen days 😀")
    expect(first.locator(".badge")).to_have_text("corrected")
    page.get_by_text("History of changes").click()
    expect(page.locator("del")).to_contain_text("14 days")
    expect(page.locator("ins")).to_contain_text("fifteen days 😀")
    first.get_by_role("link", name="Show in the text").click()
    expect(page.locator("mark.cited").first).to_contain_text("Refunds")
    # The version before is as it was, and cannot be changed.
    page.goto(f"/#/document/{old}?view=chunks&chunk=1")
    expect(page.locator(".chunks > li").first).to_contain_text("14 days")
    expect(page.get_by_role("button", name="Correct passage 1")).to_have_count(0)
    assert "14 days" in offline.stored_text(old)


def test_chunks_are_sought_and_a_correction_is_told_and_undone_with_the_keyboard(
    page: Page,
    offline: Stack,
    rules: tuple[str, str],
    check_accessibility: AccessibilityCheck,
    screenshot: Screenshot,
) -> None:  # S5.7, A5
    _, old = rules
    page.goto(f"/#/document/{old}?view=chunks")
    page.get_by_role("searchbox", name="Contains").fill("refunds OF")
    page.keyboard.press("Enter")
    expect(page.locator(".chunks > li")).to_have_count(1)
    expect(page.get_by_text("1 passage found.")).to_be_visible()
    check_accessibility(page)
    text = offline.http.get(f"/v1/documents/{old}/chunks?first=1&limit=1").json()["chunks"][0]["text"]
    sent = {"text": text.replace("14 days", "three weeks")}
    made = offline.http.post(f"/v1/documents/{old}/chunks/1/corrections", json=sent).raise_for_status().json()
    new, start = made["document"]["id"], offline.stored_text(made["document"]["id"]).index("three weeks")
    page.goto(f"/#/document/{new}?start={start}&end={start + 5}")
    note = page.get_by_role("note")
    expect(note).to_contain_text("A person corrected the cited words")
    expect(note.locator("q")).to_have_text("14 days")
    screenshot(page, "document-corrected-place")
    check_accessibility(page)
    note.get_by_role("link").press("Enter")
    page.get_by_text("History of changes").press("Enter")
    page.get_by_role("button", name="Undo the correction of passage 1").press("Enter")
    expect(page).not_to_have_url(re.compile(new))
    expect(page.locator(".chunks > li").first).to_contain_text("14 days")
    expect(page.locator(".chunks .badge")).to_have_count(0)


def test_both_are_there_in_korean(
    korean: Page, rules: tuple[str, str], check_accessibility: AccessibilityCheck
) -> None:
    workspace, document_id = rules
    korean.goto(f"/#/retrieval?question=refunds&workspace={workspace}")
    expect(korean.get_by_role("table", name="구절")).to_contain_text("사용됨")
    check_accessibility(korean)
    korean.goto(f"/#/document/{document_id}?view=chunks")
    expect(korean.get_by_text("구절 4개 중 0개 제외")).to_be_visible()
    expect(korean.get_by_role("button", name="구절 0 제외")).to_be_visible()


def test_a_phone_shows_both(
    phone: Page, rules: tuple[str, str], check_accessibility: AccessibilityCheck, screenshot: Screenshot
) -> None:
    workspace, document_id = rules
    phone.goto(f"/#/retrieval?question=refunds&workspace={workspace}")
    expect(phone.get_by_role("table", name="Passages")).to_contain_text("used")
    screenshot(phone, "retrieval-phone")
    check_accessibility(phone)
    phone.goto(f"/#/document/{document_id}?view=chunks")
    expect(phone.get_by_role("button", name="Exclude passage 0")).to_be_visible()
    check_accessibility(phone)
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
