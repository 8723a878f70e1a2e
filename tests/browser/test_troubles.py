"""Trouble around the page: no key, an unreachable server or network, addresses that name nothing."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.test_ask import asked
from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator

POLICY = "Returns must be made within 30 days of purchase. A receipt is required for every return."
# The number of lines that each element's text takes.
LINES = """elements => elements.map(element => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].map(line => line.top)).size;
})"""
QUESTION = "Within how many days must returns be made?"
KEYLESS = '{"status": 401, "code": "key_missing", "detail": "Send a key as `Authorization: Bearer cw_…`."}'


@pytest.fixture
def writing(groq: Stack, provider: GroqSimulator) -> None:
    """The model writes the first half of an answer; the rest follows on request."""
    groq.add_text("policy.md", POLICY, workspace="troubles")
    draft = "Returns must be made within 30 days of purchase [†1]. A receipt is required for every return [†1]."
    provider.fail(Fault(kind=FaultKind.SAYING, match="\ngenerate_answer\n", quote=draft))


@pytest.mark.usefixtures("writing")
def test_a_connection_lost_while_an_answer_is_written_is_told_and_found_again(
    groq_page: Page, provider: GroqSimulator, allowed: list[str]
) -> None:  # S5.7, N1
    allowed.append("net::ERR_")
    groq_page.route("**/events", lambda route: route.abort())
    asked(groq_page, QUESTION, workspace="troubles")
    lost = groq_page.get_by_text("The connection is lost.")
    expect(lost).to_have_count(1)
    expect(groq_page.locator(".draft")).to_contain_text("The draft appears here")
    groq_page.unroute("**/events")
    expect(groq_page.locator(".draft")).to_contain_text("within 30 days")
    provider.go_on()
    expect(groq_page.locator(".answer .citation").first).to_be_visible()
    expect(lost).to_have_count(0)


def test_who_has_no_key_is_told_what_to_do_in_the_page(page: Page, allowed: list[str]) -> None:  # A8
    allowed.append("status of 401")
    page.route(
        "**/v1/**", lambda route: route.fulfill(status=401, content_type="application/problem+json", body=KEYLESS)
    )
    page.goto("/#/history")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("This server asks for a key. Enter yours")
    expect(alert).not_to_contain_text("Authorization")
    alert.get_by_role("link", name="Enter a key").click()
    expect(page.get_by_role("textbox", name=re.compile("^Key"))).to_be_visible()
    expect(page.get_by_role("alert").get_by_role("link")).to_have_count(0)


def test_a_question_that_is_typed_stays_when_the_server_goes_away(page: Page, allowed: list[str]) -> None:
    allowed.append("net::ERR_")
    page.route("**/v1/documents?**", lambda route: route.abort())
    page.goto("/#/ask")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The server does not answer.")
    box = page.get_by_label("Your question")
    box.fill(QUESTION)
    page.unroute("**/v1/documents?**")
    alert.get_by_role("button", name="Try again").click()
    expect(alert).to_have_count(0)
    expect(box).to_have_value(QUESTION)


@pytest.mark.parametrize("away", ["proxy", "network"])
def test_a_server_that_is_away_is_told_and_tried_again_from_there(page: Page, allowed: list[str], away: str) -> None:
    allowed.extend(["status of 502", "net::ERR_"])

    def fail(route: Route) -> None:
        if away == "network":
            route.abort()
        else:
            route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway</h1>")

    page.route("**/v1/**", fail)
    page.goto("/#/ask")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The server does not answer.")
    page.unroute("**/v1/**")
    alert.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("region", name="Threads")).not_to_contain_text("does not answer")


def test_an_address_that_cannot_be_read_is_a_problem_on_the_page(page: Page, allowed: list[str]) -> None:
    allowed.append("status of 422")
    page.goto("/#/thread/%")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)


def test_a_refusal_does_not_say_that_something_was_written(page: Page, offline: Stack) -> None:  # S5.7
    offline.add_text("policy.md", POLICY, workspace="refusing")
    query = offline.ask("What colour is the dragon of the mayor?", workspace="refusing")
    assert query["abstained"]
    assert query["sources"]
    page.goto(f"/#/thread/{query['id']}")
    page.get_by_role("button", name="Details").click()
    page.get_by_role("heading", name="Passages that were read").click()
    expect(page.get_by_text(re.compile(r"the best \d+ are these"))).to_be_visible()


def test_on_a_phone_the_open_page_is_in_sight_and_numbers_stay_whole(phone: Page, offline: Stack) -> None:  # S5.7
    offline.add_text("policy.md", POLICY, workspace="whole")
    offline.ask("Within how many days must returns be made?", workspace="whole")
    phone.goto("/#/keys")
    expect(phone.locator("#rooms a[aria-current]")).to_be_in_viewport(ratio=0.99)
    phone.goto("/#/quality")
    phone.get_by_role("heading", name="Other metrics").click()
    numbers = phone.get_by_role("table", name="Other metrics").locator("td.number")
    expect(numbers.first).to_be_visible()
    assert max(numbers.evaluate_all(LINES)) == 1
