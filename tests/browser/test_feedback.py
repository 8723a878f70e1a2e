"""What people say of answers: given beside them, reviewed in a queue, kept by the API."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack

POLICY = "Returns must be made within 30 days of purchase. A receipt is required for every return."
QUESTION = "Within how many days must returns be made?"


@pytest.fixture(scope="module")
def workspace(offline: Stack) -> str:
    offline.add_text("policy.md", POLICY, workspace="judged")
    return "judged"


@pytest.fixture
def query(offline: Stack, workspace: str) -> dict[str, Any]:
    return offline.ask(QUESTION, workspace=workspace)


def said(offline: Stack, query: dict[str, Any]) -> list[dict[str, Any]]:
    """What is kept of it."""
    return offline.http.get("/v1/feedback", params={"query_id": query["id"]}).raise_for_status().json()["feedback"]


def test_a_thumb_is_kept_at_once_and_more_is_said_of_it(
    page: Page, offline: Stack, query: dict[str, Any], check_accessibility: AccessibilityCheck, screenshot: Screenshot
) -> None:
    page.goto(f"/#/thread/{query['id']}")
    down = page.get_by_role("button", name="It does not help")
    down.click()
    expect(down).to_have_attribute("aria-pressed", "true")
    expect(down).to_be_focused()
    [kept] = said(offline, query)
    assert (kept["rating"], kept["place"], kept["status"]) == ("down", "answer", "open")
    page.get_by_label("Why?").fill("It leaves out the receipt.")
    page.get_by_label("What should it say?").fill("Within 30 days, with a receipt.")
    page.get_by_label("Do the sources say all of it?").select_option("supported")
    screenshot(page, "feedback-form-light")
    check_accessibility(page)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("in the queue to review")).to_be_visible()
    [kept] = said(offline, query)
    assert (kept["reason"], kept["corrected_answer"], kept["verdict"], kept["status"]) == (
        "It leaves out the receipt.",
        "Within 30 days, with a receipt.",
        "supported",
        "open",
    )
    # Somebody who comes later sees it; the other thumb takes one's own place, the same one takes it back.
    page.reload()
    page.get_by_text("What was said of it (1)").click()
    expect(page.get_by_text("It leaves out the receipt.")).to_be_visible()
    up = page.get_by_role("button", name="It helps")
    up.click()
    expect(up).to_have_attribute("aria-pressed", "true")
    assert [one["rating"] for one in said(offline, query)] == ["up", "down"]
    up.click()
    expect(page.get_by_text("taken back")).to_be_visible()
    assert [one["rating"] for one in said(offline, query)] == ["down"]


def test_true_but_not_what_was_asked_is_said_with_one_press_and_reviewed_beside_its_question(
    page: Page, offline: Stack, query: dict[str, Any]
) -> None:
    page.goto(f"/#/query/{query['id']}")
    aside = page.get_by_role("button", name="True, but not what I asked")
    aside.click()
    expect(aside).to_have_attribute("aria-pressed", "true")
    [kept] = said(offline, query)
    assert (kept["rating"], kept["relevant"], kept["verdict"]) == ("down", "no", None)
    page.goto("/#/feedback?relevant=no")
    item = page.locator(".reviews > li", has_text=query["answer"].partition(" [")[0]).first
    expect(item.get_by_role("heading")).to_have_text(QUESTION)
    expect(item).to_contain_text("not what was asked")
    item.get_by_label("Is it what was asked?").select_option("yes")
    item.get_by_role("button", name="Reviewed").click()
    expect(page.get_by_text("No feedback fits these filters.")).to_be_visible()
    [kept] = said(offline, query)
    assert (kept["status"], kept["relevant"], kept["verdict"]) == ("reviewed", "yes", None)


def test_a_person_judges_a_sentence_by_the_keyboard(page: Page, offline: Stack, query: dict[str, Any]) -> None:
    page.goto(f"/#/thread/{query['id']}")
    page.locator(".verdict-mark").first.focus()
    page.keyboard.press("Enter")
    card = page.locator(".floating")
    no = card.get_by_role("button", name="They do not")
    no.focus()
    page.keyboard.press("Enter")
    expect(no).to_have_attribute("aria-pressed", "true")
    [kept] = said(offline, query)
    assert (kept["place"], kept["position"], kept["verdict"]) == ("sentence", 0, "unsupported")
    assert kept["excerpt"] == query["verification"]["sentences"][0]["text"]
    yes = card.get_by_role("button", name="The sources say it")
    yes.click()
    expect(yes).to_have_attribute("aria-pressed", "true")
    assert [one["verdict"] for one in said(offline, query)] == ["supported"]
    yes.click()
    expect(yes).to_have_attribute("aria-pressed", "false")
    assert said(offline, query) == []


def test_the_queue_is_reviewed(
    make_page: PageMaker,
    offline: Stack,
    query: dict[str, Any],
    check_accessibility: AccessibilityCheck,
    screenshot: Screenshot,
) -> None:
    body = {"sentence": 0, "verdict": "unsupported", "reason": "It says 60.", "author": "j.kim"}
    given = offline.http.post(f"/v1/queries/{query['id']}/feedback", json=body).raise_for_status().json()
    page = make_page(offline, scheme="dark")
    page.goto("/#/feedback")
    item = page.locator(".reviews > li", has_text="It says 60.")
    expect(item).to_contain_text("j.kim")
    screenshot(page, "feedback-dark")
    check_accessibility(page)
    page.get_by_label("Your name").fill("r.lee")
    item.get_by_label("Your verdict").select_option("supported")
    item.get_by_role("button", name="Reviewed").click()
    expect(item).to_have_count(0)
    kept = offline.http.get(f"/v1/feedback/{given['id']}").json()
    assert (kept["status"], kept["verdict"], kept["reviewed_by"]) == ("reviewed", "supported", "r.lee")
    page.get_by_label("State").select_option("reviewed")
    expect(item).to_contain_text("reviewed by r.lee")
    item.get_by_role("button", name="Put back").click()
    expect(item).to_have_count(0)
    page.goto("/#/feedback?status=all")
    item.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(item).to_have_count(0)
    assert said(offline, query) == []
    phone = make_page(offline, size=PHONE)
    phone.goto("/#/feedback")
    expect(phone.locator("h1")).to_be_visible()
    check_accessibility(phone)


def test_feedback_on_a_verification_leads_to_it(page: Page, offline: Stack, allowed: list[str]) -> None:
    allowed.append("status of 404")  # its id is tried as that of a question first
    sent = {"answer": "A receipt is required [1].", "sources": [{"text": POLICY}]}
    made = offline.http.post("/v1/verifications?wait=60", json=sent).raise_for_status().json()
    page.goto(f"/#/verification/{made['id']}")
    page.get_by_role("button", name="It helps").click()
    expect(page.get_by_label("Why?")).to_be_visible()
    page.goto("/#/feedback")
    page.locator(".reviews > li").first.get_by_role("link", name="Open").click()
    expect(page.locator(".sentence")).to_have_count(1)
    assert page.url.endswith(f"#/verification/{made['id']}")
