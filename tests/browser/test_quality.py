"""The page of quality: metrics with their targets, their course over time, and people's ratings."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack

TEXT = "Customers may return a product within 30 days. A receipt is required for every return."
QUESTIONS = ("Within how many days may customers return a product?", "What is required for every return?")


@pytest.fixture(scope="module")
def measured(offline: Stack) -> str:
    """A workspace with two verified answers."""
    offline.add_text("returns.md", TEXT, workspace="measured")
    for question in QUESTIONS:
        assert offline.ask(question, workspace="measured")["verification"]
    return "measured"


def opened(page: Page, workspace: str) -> None:
    page.goto(f"/#/quality?workspace={workspace}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def tile(page: Page, name: str) -> Locator:
    return page.locator(".metric").filter(has=page.get_by_role("heading", name=name))


def test_metrics_say_whether_they_meet_their_targets(
    page: Page, measured: str, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # S2.7, S3.7
    opened(page, measured)
    expect(page.get_by_text("The newest 2 answers")).to_be_visible()
    expect(tile(page, "Hallucination rate")).to_contain_text("Target: below 5%, over 2 cases")
    # A copy invents nothing, which is no merit.
    expect(tile(page, "Hallucination rate").locator(".badge.no_claim")).to_have_text("–not known")
    expect(tile(page, "Hallucination rate")).to_contain_text("Who copies cannot invent")
    expect(tile(page, "Searched again")).to_contain_text("met")
    expect(tile(page, "Searching again helped")).to_contain_text("not known")
    page.get_by_role("heading", name="Other metrics").click()
    expect(page.get_by_role("row").filter(has_text="Citations that are right")).to_contain_text("100%")
    expect(page.locator(".chart-plot").first).to_be_visible()
    screenshot(page, "quality-light")
    check_accessibility(page)


def test_a_chart_tells_its_values_by_pointer_by_keys_and_as_a_table(
    page: Page, measured: str, offline: Stack
) -> None:  # S2.7
    entries = offline.http.get("/v1/history", params={"workspace": measured}).raise_for_status().json()["entries"]
    mean = f"{sum(one['confidence'] for one in entries) / len(entries):.1%}".replace(".0%", "%")
    opened(page, measured)
    plot = page.get_by_role("slider", name="Probability", exact=True)
    expect(plot).to_have_attribute("aria-valuetext", re.compile(f"{mean}, 2 cases$"))
    plot.hover(position={"x": 2, "y": 20})
    tip = plot.locator(".chart-tip")
    expect(tip).to_contain_text("nothing was measured")
    plot.focus()
    page.keyboard.press("End")
    expect(tip).to_contain_text(f"{mean}, 2 cases")
    page.keyboard.press("ArrowLeft")
    expect(plot).to_have_attribute("aria-valuetext", re.compile("nothing was measured$"))
    chart = page.locator(".chart").first
    chart.get_by_text("As a table").click()
    expect(chart.get_by_role("row")).to_have_count(2)
    expect(chart.get_by_role("row").last).to_contain_text(mean)


def test_period_and_steps_are_kept_in_the_address(page: Page, measured: str) -> None:  # S2.7
    opened(page, measured)
    page.get_by_label("Period").select_option("366")
    page.get_by_label("One point per").select_option("week")
    plot = page.get_by_role("slider", name="Probability", exact=True)
    expect(plot).to_have_attribute("aria-valuetext", re.compile("^week of "))
    expect(page).to_have_url(re.compile("days=366&bucket=week$"))
    page.reload()
    expect(plot).to_have_attribute("aria-valuetext", re.compile("^week of "))


def test_what_people_say_is_compared_with_confidence(page: Page, measured: str) -> None:  # S2.7
    opened(page, measured)
    accuracy = tile(page, "Probability agrees with you")
    expect(accuracy).to_contain_text("needs your labels")
    page.get_by_label(f"Your judgement of: {QUESTIONS[0]}").select_option("grounded")
    expect(accuracy).to_contain_text("100%")
    # Its confidence is no doubt, and the label disagrees with it.
    page.get_by_label(f"Your judgement of: {QUESTIONS[1]}").select_option("not grounded")
    expect(accuracy).to_contain_text("50%")
    page.reload()
    expect(accuracy).to_contain_text("missed")
    page.get_by_role("button", name="Forget all labels").click()
    expect(accuracy).to_contain_text("not known")


def test_nothing_measured_says_what_to_do(page: Page, measured: str, offline: Stack) -> None:  # S5.7
    assert measured
    offline.add_text("unasked.md", TEXT, workspace="unasked")
    opened(page, "unasked")
    expect(page.get_by_text("there is nothing to measure")).to_be_visible()
    expect(page.get_by_role("link", name="Ask the first question")).to_have_attribute("href", "#/ask")


def test_the_quality_on_a_phone_in_the_dark_in_korean(
    make_page: PageMaker, offline: Stack, measured: str, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # S5.3, S5.7
    page = make_page(offline, size=PHONE, scheme="dark", locale="ko-KR")
    opened(page, measured)
    expect(page.get_by_text("환각 비율").first).to_be_visible()
    expect(page.locator(".chart-plot").first).to_be_visible()
    screenshot(page, "quality-phone-dark-ko")
    check_accessibility(page)
