"""Verification of any text: typed, an example, or with stored documents; live, then with all results."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack

HOSTILE = '<img src=x onerror="alert(1)"> is required for every return.'


def verified(page: Page) -> None:
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.get_by_role("heading", name="Its sources")).to_be_visible()


def test_an_example_is_verified_and_its_evidence_marked_in_the_source(
    page: Page, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # S5.7, N2
    page.goto("/#/verify")
    page.get_by_role("button", name="A wrong number").click()
    verified(page)
    expect(page).to_have_url(re.compile("#/verification/"))
    expect(page.locator(".sentence.contradicted")).to_contain_text("60 days")
    expect(page.locator(".sentence.supported")).to_contain_text("A receipt is required")
    marks = page.locator(".source-text mark")
    expect(marks.first).to_have_text("Customers may return a product within 30 days of the purchase date.")
    expect(marks.nth(1)).to_have_text("A receipt is required for every return.")
    given, repaired = (page.get_by_role("heading", name=name).locator("..") for name in ("As it was given", "Repaired"))
    expect(given.locator("del").filter(has_text="60")).to_be_visible()
    expect(repaired.last.locator("ins").filter(has_text="30")).to_be_visible()
    expect(page.get_by_text("Every claim that is left was found in the sources.")).to_be_visible()
    screenshot(page, "verification")
    check_accessibility(page)


def test_a_citation_shows_its_evidence_and_leads_to_it(page: Page, screenshot: Screenshot) -> None:  # S4.7, N2
    page.goto("/#/verify")
    page.get_by_role("button", name="A wrong number").click()
    verified(page)
    citation = page.get_by_role("button", name=re.compile("^Citation 1: refund-policy.md, inaccurate"))
    citation.focus()
    page.keyboard.press("Enter")
    card = page.locator(".floating")
    expect(card).to_contain_text("the source says “30 days”")
    expect(card.locator("mark")).to_have_text("Customers may return a product within 30 days of the purchase date.")
    screenshot(page, "verification-citation")
    card.get_by_role("link", name="Show it in the source").click()
    expect(card).to_have_count(0)
    expect(page.locator(".source-text mark").first).to_be_focused()


def test_a_source_that_is_not_there_and_no_citations_at_all(page: Page) -> None:  # N2
    page.goto("/#/verify")
    page.get_by_role("button", name="A source that is not there").click()
    verified(page)
    expect(page.get_by_role("button", name=re.compile("^Citation 3: .*no such source"))).to_be_visible()
    expect(page.locator(".changes")).to_contain_text("Citation [3] removed")
    page.get_by_role("link", name="Verify another text").click()
    page.get_by_role("button", name="No citations at all").click()
    verified(page)
    expect(page.locator(".sentence")).to_have_count(2)
    expect(page.locator(".citation")).to_have_count(0)


def test_a_typed_text_is_held_against_a_stored_document_and_nothing_becomes_markup(
    page: Page, offline: Stack
) -> None:  # N2, A8
    offline.add_text("stored-policy.txt", f"# Returns\n\n{HOSTILE}", workspace="given")
    page.goto("/#/verify")
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.get_by_role("alert")).to_have_text("Paste the answer first.")
    page.get_by_role("textbox", name="Answer [1]").fill(f"{HOSTILE} 🙂 A receipt is required for every return [2].")
    page.get_by_label("Name of source 1").fill("<b>typed</b>")
    page.get_by_label("Text of source 1").fill("🙂🙂 A receipt is required for every return.")
    page.get_by_role("button", name="Take stored documents").click()
    page.get_by_role("dialog").get_by_label("Workspace").select_option("given")
    page.get_by_role("dialog").get_by_label("stored-policy.txt").check()
    page.keyboard.press("Enter")  # issue 41: on a tick it leaves no dialog
    # Typed text is there again after visiting another page.
    page.get_by_role("link", name="Documents", exact=True).click()
    page.get_by_role("link", name="Verify", exact=True).click()
    verified(page)
    expect(page.locator(".source-text mark", has_text=HOSTILE).first).to_be_visible()
    expect(page.get_by_role("link", name="Open the document")).to_have_count(1)
    expect(page.locator(".source").first).to_contain_text("<b>typed</b>")
    assert page.locator("main img, main b").count() == 0


def test_verdicts_arrive_while_it_runs(page: Page, offline: Stack) -> None:  # S2.6, N2
    sentences = " ".join(f"Article {n} was signed in {1900 + n} [1]." for n in range(12))
    source = " ".join(f"Article {n} was signed in {1900 + n + n % 2}." for n in range(12))
    body = {"answer": sentences, "sources": [{"text": source}], "custom_id": "many"}
    verification = offline.http.post("/v1/verifications", json=body).raise_for_status().json()["id"]
    page.goto(f"/#/verification/{verification}")
    expect(page.locator("h1")).to_have_text("many")
    expect(page.locator(".sentence").first).to_be_visible()
    expect(page.get_by_role("heading", name="Its sources")).to_be_visible()
    expect(page.locator(".sentence.supported")).to_have_count(6)
    expect(page.locator(".sentence.contradicted, .sentence.unsupported")).to_have_count(6)


def test_one_that_was_cancelled_can_be_made_again(page: Page, offline: Stack) -> None:  # A3, N2
    body = {"answer": "Refunds take 14 days [1].", "sources": [{"text": "Refunds take 14 days."}]}
    verification = offline.http.post("/v1/verifications", json=body).raise_for_status().json()["id"]
    ended = offline.http.delete(f"/v1/verifications/{verification}")
    page.goto(f"/#/verification/{verification}")
    if ended.status_code == 200:
        page.get_by_role("button", name="Make it again").click()
        expect(page).not_to_have_url(re.compile(verification))
    expect(page.locator(".sentence.supported")).to_have_count(1)


def test_calls_are_listed_by_their_state(page: Page, offline: Stack) -> None:  # S2.6
    body = {
        "answer": "Refunds take 14 days [1].",
        "sources": [{"text": "Refunds take 14 days."}],
        "question": "How long?",
    }
    offline.http.post("/v1/verifications?wait=30", json={**body, "custom_id": "call-17"}).raise_for_status()
    page.goto("/#/verify")
    listed = page.get_by_role("row").filter(has_text="call-17")
    expect(listed).to_contain_text("done")
    state = page.get_by_role("combobox", name="State")
    state.select_option("failed")
    expect(listed).to_have_count(0)
    state.select_option("succeeded")
    listed.get_by_role("link", name="How long?").click()
    expect(page.locator("h1")).to_have_text("How long?")


def test_verification_on_a_phone_in_the_dark_in_korean(
    make_page: PageMaker, offline: Stack, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # S5.3, S5.7
    page = make_page(offline, size=PHONE, scheme="dark", locale="ko-KR")
    page.goto("/#/verify")
    page.get_by_role("button", name="틀린 숫자").click()
    screenshot(page, "verify-phone-dark")
    check_accessibility(page)
    page.get_by_role("button", name="검증", exact=True).click()
    expect(page.get_by_role("heading", name="출처", exact=True)).to_be_visible()
    expect(page.locator(".sentence.contradicted")).to_contain_text("60일")
    screenshot(page, "verification-phone-dark")
    check_accessibility(page)
