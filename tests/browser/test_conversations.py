"""Conversations on the page: begun, followed up, a question asked again, found, renamed, deleted (N9)."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator

PUMPS = "\n\n".join(
    f"Pump {number} runs at a pressure of {number + 20} bar. Pump {number} is inspected every {number + 2} months."
    for number in (4, 10, 20)
)
FIRST = "How much pressure does pump 4 run at?"


@pytest.fixture(scope="module")
def workspace(offline: Stack) -> str:
    offline.add_text("pumps.md", PUMPS, workspace="threads")
    return "threads"


def ask(page: Page, question: str) -> None:
    page.get_by_label("Ask a follow-up question").fill(question)
    page.keyboard.press("Enter")


def begun(page: Page, workspace: str) -> None:
    """A conversation with one answered question, begun on the page."""
    page.goto(f"/#/conversations?workspace={workspace}")
    page.get_by_label("The first question of a new conversation").fill(FIRST)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"#/conversations/[0-9a-f-]{36}$"))
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.locator(".turn .answer").first).to_contain_text("24 bar")


def test_a_thread_is_followed_up_and_a_question_asked_again(
    page: Page, workspace: str, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:
    begun(page, workspace)
    expect(page.locator("h1")).to_have_text(FIRST)
    ask(page, "What about pump 20?")
    second = page.locator(".turn").nth(1)
    expect(second).to_contain_text("How much pressure does pump 20 run at?")
    expect(second.locator(".answer")).to_contain_text("40 bar")
    expect(second.get_by_role("button", name=re.compile("Citation 1"))).to_be_visible()
    ask(page, "And when is it inspected?")
    expect(page.locator(".turn").nth(2).locator(".answer")).to_contain_text("22 months")
    expect(page.locator(".turn .citation")).to_have_count(3)
    screenshot(page, "conversation-light")
    check_accessibility(page)
    second.get_by_role("button", name="Edit and ask again").click()
    page.get_by_label("The question in other words").fill("What about pump 10?")
    page.keyboard.press("Enter")
    # What followed it is set aside.
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").nth(1).locator(".answer")).to_contain_text("30 bar")


def test_a_thread_is_renamed_found_and_deleted(
    page: Page, workspace: str, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:
    begun(page, workspace)
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Title").fill("Found by its title")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("h1")).to_have_text("Found by its title")
    page.get_by_role("link", name="All conversations").click()
    page.get_by_label("Search in titles and questions").fill("found BY its")
    expect(page.locator(".labels li")).to_have_count(1)
    screenshot(page, "conversations-found")
    check_accessibility(page)
    page.get_by_role("link", name="Found by its title").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page).to_have_url(re.compile("#/conversations$"))
    page.get_by_label("Search in titles and questions").fill("found by its")
    expect(page.get_by_text("No conversation has these words.")).to_be_visible()


def test_a_question_is_stopped(groq_page: Page, groq: Stack, provider: GroqSimulator) -> None:
    groq.add_text("pumps.md", PUMPS, workspace="threads")
    provider.fail(Fault(kind=FaultKind.HANG, match="\ngenerate_answer\n"))
    conversation = groq.http.post("/v1/conversations", json={"workspace": "threads"}).json()
    groq.http.post(conversation["links"]["turns"], json={"question": FIRST}).raise_for_status()
    groq_page.goto(f"/#/conversations/{conversation['id']}")
    groq_page.get_by_role("button", name="Stop").click()
    expect(groq_page.locator(".turn")).to_contain_text("This question was stopped.")
    # The next one may be asked, however the one before has ended.
    ask(groq_page, "What about pump 20?")
    expect(groq_page.locator(".turn")).to_have_count(2)


def test_on_a_phone_and_in_korean(make_page: PageMaker, offline: Stack, workspace: str, screenshot: Screenshot) -> None:
    page = make_page(offline, size=PHONE, locale="ko-KR")
    page.goto(f"/#/conversations?workspace={workspace}")
    page.get_by_label("새 대화의 첫 질문").fill(FIRST)
    page.get_by_role("button", name="시작").click()
    expect(page.locator(".turn .answer").first).to_contain_text("24 bar")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    screenshot(page, "conversation-phone-ko")
