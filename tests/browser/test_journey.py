"""A first visit: a PDF, a question, the sentence in the source, a removed citation and the reason."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Screenshot
from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator

PDF = Path("api/dashboard/example/refund-policy.pdf")
QUESTION = "Within how many days can most goods be returned, and what does a return need?"
CITED = "Most goods can be returned within 30 days."
PROOF = "A return needs the order number or the receipt."
MOST_CLICKS = 6
# The picker of files counts as one: what happens in it is the operating system's.
COUNT = "window.clicks = 0; addEventListener('click', event => { window.clicks += event.isTrusted; }, true);"


@pytest.fixture
def draft(groq: Stack, provider: GroqSimulator) -> str:
    """The model's answer from the PDF: the second sentence cites a passage that does not say it."""
    groq.add_file(PDF, workspace="known")
    sources = groq.ask(QUESTION, workspace="known", enable_verification=False)["sources"]
    window, proof = (
        next(place for place, source in enumerate(sources, start=1) if said in source["text"])
        for said in (CITED, PROOF)
    )
    text = f"{CITED[:-1]} [†{window}]. {PROOF[:-1]} [†{proof}][†{window}]."
    provider.fail(Fault(kind=FaultKind.SAYING, match="\ngenerate_answer\n", quote=text, times=None))
    provider.go_on()
    return text


def test_from_a_pdf_to_a_removed_citation_in_six_clicks(
    groq_page: Page, draft: str, screenshot: Screenshot
) -> None:  # S5.7, S4.7
    assert draft
    page = groq_page
    page.add_init_script(COUNT)
    page.goto("/#/ask?workspace=journey")
    # 1: the PDF.
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose files").click()
    chooser.value.set_files(PDF)
    screenshot(page, "journey-1-upload")
    # 2: the question, as soon as the document is ready.
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    answer = page.locator(".answer").first
    expect(answer.locator(".sentence.supported")).to_have_count(2)
    screenshot(page, "journey-2-answer")
    # 3: what a citation rests on.
    answer.locator(".citation").first.click()
    card = page.locator(".floating")
    expect(card.locator("mark")).to_have_text(CITED)
    expect(card).to_contain_text(re.compile("page 1", re.IGNORECASE))
    screenshot(page, "journey-3-citation")
    # 4: the same sentence in the document.
    card.get_by_role("link", name="Open in document").click()
    expect(page.locator("mark.cited")).to_have_text(CITED)
    expect(page.locator("mark.cited")).to_be_in_viewport()
    screenshot(page, "journey-4-document")
    clicks = page.evaluate("window.clicks")
    # 5: back to the answer, with the browser's own button.
    page.go_back()
    clicks += 1
    # 6: what was removed, and why.
    page.locator(".change-notice").get_by_role("button").click()
    clicks += 1
    removed = page.locator(".changes li", has_text="removed").first
    expect(removed).to_be_in_viewport()
    expect(removed).to_contain_text("Why: ")
    expect(removed).to_contain_text(PROOF[:-1])
    screenshot(page, "journey-5-removed")
    assert page.evaluate("window.clicks") == clicks - 1, "another click was needed"
    assert clicks <= MOST_CLICKS
