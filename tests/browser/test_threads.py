"""A thread on the page: begun, followed up, asked again, edited, found, renamed, deleted (N9)."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.browser.test_ask import asked
from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator

PUMPS = "\n\n".join(
    f"Pump {number} runs at a pressure of {number + 20} bar. Pump {number} is inspected every {number + 2} months."
    for number in (4, 10, 20)
)
FIRST = "How much pressure does pump 4 run at?"
SECOND = "What about pump 20?"


@pytest.fixture(scope="module")
def workspace(offline: Stack) -> str:
    offline.add_text("pumps.md", PUMPS, workspace="threads")
    return "threads"


@pytest.fixture
def single(offline: Stack, workspace: str) -> dict[str, Any]:
    """A question that was asked over the API, without a conversation."""
    return offline.ask(FIRST, workspace=workspace)


def follow_up(page: Page, question: str) -> None:
    page.get_by_label("Ask a follow-up question").fill(question)
    page.keyboard.press("Enter")


def turn(page: Page, place: int = 0) -> Locator:
    return page.locator(".turn").nth(place)


def begun(page: Page, workspace: str) -> None:
    """A thread with one answered question, begun on the page."""
    asked(page, FIRST, workspace=workspace)
    expect(turn(page).locator(".answer")).to_contain_text("24 bar")


def test_a_thread_is_followed_up_and_a_question_edited(
    page: Page, offline: Stack, workspace: str, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:
    begun(page, workspace)
    follow_up(page, SECOND)
    expect(turn(page, 1)).to_contain_text("How much pressure does pump 20 run at?")
    expect(turn(page, 1).locator(".answer")).to_contain_text("40 bar")
    expect(turn(page, 1).get_by_role("button", name=re.compile("Citation 1"))).to_be_visible()
    follow_up(page, "And when is it inspected?")
    expect(turn(page, 2).locator(".answer")).to_contain_text("22 months")
    # Each has its signal, its sources and its judgements; what is to be known of the server is said once.
    for part in (".signal-line", ".citation", ".cited-sources", "[aria-label='It helps']"):
        expect(page.locator(f".turn {part}")).to_have_count(3)
    expect(page.get_by_role("note")).to_have_count(1)
    screenshot(page, "thread-light")
    check_accessibility(page)
    turn(page, 1).get_by_role("button", name="Edit").click()
    page.get_by_label("The question in other words").fill("What about pump 10?")
    page.keyboard.press("Enter")
    # What followed it is set aside.
    expect(page.locator(".turn")).to_have_count(2)
    expect(turn(page, 1).locator(".answer")).to_contain_text("30 bar")
    page.reload()
    expect(page.locator(".turn")).to_have_count(2)
    conversation = page.url.rpartition("/")[2]
    every = offline.http.get(f"/v1/conversations/{conversation}/turns", params={"set_aside": True}).json()["turns"]
    aside = next(told for told in every if told["question"] == SECOND)
    page.goto(f"/#/thread/{aside['id']}")
    expect(turn(page).locator(".answer")).to_contain_text("40 bar")
    expect(page.get_by_label("Ask a follow-up question")).to_have_count(0)
    page.get_by_role("link", name="Open the thread").click()
    expect(page.locator(".turn")).to_have_count(2)


def test_a_question_of_the_api_is_a_thread_that_goes_on(page: Page, offline: Stack, single: dict[str, Any]) -> None:
    page.goto(f"/#/query/{single['id']}")
    expect(page).to_have_url(re.compile(f"#/thread/{single['id']}$"))
    expect(turn(page).locator(".answer")).to_contain_text("24 bar")
    follow_up(page, SECOND)
    expect(turn(page, 1).locator(".answer")).to_contain_text("40 bar")
    conversation = offline.http.get(f"/v1/queries/{single['id']}").json()["conversation_id"]
    expect(page).to_have_url(re.compile(f"#/thread/{conversation}$"))
    # Its address of before leads to the same thread, and so does that of conversations.
    for address in (f"query/{single['id']}", f"conversations/{conversation}"):
        page.goto(f"/#/{address}")
        expect(page.locator(".turn")).to_have_count(2)
    page.goto("/#/conversations")
    expect(page).to_have_url(re.compile("#/ask$"))


# 41
def test_a_thread_is_branched_from_a_turn_and_stays_whole(page: Page, offline: Stack, workspace: str) -> None:
    begun(page, workspace)
    follow_up(page, SECOND)
    expect(turn(page, 1).locator(".answer")).to_contain_text("40 bar")
    original = page.url.rpartition("/")[2]
    turn(page).get_by_role("button", name="Branch from here").click()
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.get_by_label("Ask a follow-up question")).to_be_focused()
    page.keyboard.type("What about pump 10?")
    page.keyboard.press("Enter")
    expect(turn(page, 1).locator(".answer")).to_contain_text("30 bar")
    expect(turn(page, 1)).to_contain_text("How much pressure does pump 10 run at?")
    # What was asked last names it in the list.
    expect(page.locator(".threads a").first).to_contain_text("pump 10")
    page.get_by_role("link", name="Branched from another thread").click()
    expect(page).to_have_url(re.compile(f"#/thread/{original}$"))
    expect(turn(page, 1).locator(".answer")).to_contain_text("40 bar")
    # A question in other words, in a thread of its own.
    turn(page, 1).get_by_role("button", name="Edit").click()
    page.get_by_label("The question in other words").fill("And when is it inspected?")
    page.get_by_role("button", name="Ask in a new thread").click()
    expect(turn(page, 1).locator(".answer")).to_contain_text("6 months")
    turn(page).get_by_role("button", name="Edit").click()
    page.get_by_label("The question in other words").fill("How often is pump 20 inspected?")
    page.get_by_role("button", name="Ask in a new thread").click()
    expect(turn(page).locator(".answer")).to_contain_text("22 months")
    expect(page.locator(".turn")).to_have_count(1)
    turns = offline.http.get(f"/v1/conversations/{original}/turns").json()["turns"]
    assert [told["question"] for told in turns] == [FIRST, SECOND]


def test_a_question_is_asked_again_with_other_choices_and_nothing_is_lost(
    page: Page, offline: Stack, workspace: str
) -> None:
    wishes = {"retrieval": {"filter": {"filenames": ["pumps.md"]}}, "refusal_language": "question"}
    single = offline.ask(FIRST, workspace=workspace, **wishes)
    page.goto(f"/#/thread/{single['id']}")
    turn(page).get_by_role("button", name="Ask again with").click()
    choice = page.get_by_role("group", name="Ask again with")
    choice.get_by_label("Evidence").select_option("low")
    choice.get_by_role("button", name="Ask").click()
    expect(turn(page, 1).locator("h2")).to_have_text(FIRST)
    expect(turn(page, 1).locator(".answer")).to_contain_text("24 bar")
    conversation = page.url.rpartition("/")[2]
    turns = offline.http.get(f"/v1/conversations/{conversation}/turns").json()["turns"]
    told = [offline.http.get(turn["links"]["self"]).json() for turn in turns]
    assert [query["mode"] for query in told] == ["balanced", "low"]
    for query in told:
        assert wishes.items() <= query["request"].items()


def test_a_question_of_several_workspaces_is_asked_again_of_all_of_them(
    page: Page, offline: Stack, workspace: str
) -> None:
    offline.add_text("hoses.md", "A hose holds 9 bar.", workspace="threads-too")
    single = offline.ask(FIRST, workspaces=[workspace, "threads-too"])
    page.goto(f"/#/thread/{single['id']}")
    turn(page).get_by_role("button", name="Ask again with").click()
    page.get_by_role("group", name="Ask again with").get_by_role("button", name="Ask").click()
    expect(page).not_to_have_url(re.compile(single["id"]))
    expect(turn(page).locator(".answer")).to_contain_text("24 bar")
    again = offline.http.get(f"/v1/queries/{page.url.rpartition('/')[2]}").json()
    assert again["workspaces"] == [workspace, "threads-too"]


def test_every_turn_can_be_shared_copied_saved_and_judged(page: Page, offline: Stack, workspace: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    begun(page, workspace)
    follow_up(page, SECOND)
    expect(turn(page, 1).locator(".answer")).to_contain_text("40 bar")
    for place, value in enumerate(("24 bar", "40 bar")):
        shown = turn(page, place)
        shown.get_by_role("button", name="Copy or save").click()
        shown.get_by_role("button", name="Copy text").click()
        expect(page.get_by_text("Copied.").nth(place)).to_be_visible()
        assert value in page.evaluate("navigator.clipboard.readText()")
        shown.get_by_role("button", name="Copy or save").click()
        with page.expect_download() as saved:
            shown.get_by_role("button", name="Save JSON").click()
        assert value in saved.value.path().read_text(encoding="utf-8")
        shown.get_by_role("button", name="It helps").click()
        expect(shown.get_by_role("button", name="It helps")).to_have_attribute("aria-pressed", "true")
        shown.get_by_role("button", name="Share").click()
        expect(page.get_by_role("dialog", name="Share this answer")).to_contain_text("No link is open.")
        page.keyboard.press("Escape")
        shown.get_by_role("button", name="Details").click()
        expect(shown.get_by_text("Steps and model calls")).to_be_visible()
    turns = offline.http.get(f"/v1/conversations/{page.url.rpartition('/')[2]}/turns").json()["turns"]
    for told in turns:
        kept = offline.http.get("/v1/feedback", params={"query_id": told["id"]}).json()["feedback"]
        assert [one["rating"] for one in kept] == ["up"]


def test_a_thread_is_renamed_found_and_deleted(
    page: Page, single: dict[str, Any], screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:
    page.goto(f"/#/thread/{single['id']}")
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Title").fill("Found by its title")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Found by its title")
    page.goto("/#/ask")
    found = page.locator(".threads a")
    page.get_by_label("Search threads").fill("found BY its")
    expect(found).to_have_count(1)
    expect(page.get_by_role("heading", name="Today")).to_be_visible()
    screenshot(page, "threads-found")
    check_accessibility(page)
    found.click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page).to_have_url(re.compile("#/ask$"))
    page.get_by_label("Search threads").fill("found by its")
    expect(page.get_by_text("No thread has these words.")).to_be_visible()


def test_the_keyboard_alone_begins_a_thread_and_goes_on(page: Page, workspace: str) -> None:
    page.goto(f"/#/ask?workspace={workspace}")
    expect(page.get_by_label("Your question")).to_be_focused()
    page.keyboard.type(FIRST)
    page.keyboard.press("Enter")
    expect(turn(page).locator(".answer")).to_contain_text("24 bar")
    more = turn(page).get_by_role("button", name="Copy or save")
    more.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(turn(page).get_by_role("button", name="Copy text")).to_be_focused()
    page.keyboard.press("Escape")
    expect(more).to_be_focused()
    box = page.get_by_label("Ask a follow-up question")
    for _ in range(30):
        page.keyboard.press("Tab")
        if box.evaluate("box => box === document.activeElement"):
            break
    page.keyboard.type(SECOND)
    page.keyboard.press("Enter")
    expect(turn(page, 1).locator(".answer")).to_contain_text("40 bar")


def test_a_question_is_stopped_and_the_next_one_waits_for_its_end(
    groq_page: Page, groq: Stack, provider: GroqSimulator
) -> None:
    groq.add_text("pumps.md", PUMPS, workspace="threads")
    provider.fail(Fault(kind=FaultKind.HANG, match="\ngenerate_answer\n"))
    turn_ = groq.http.post("/v1/conversations/turns", json={"workspace": "threads", "question": FIRST}).json()
    groq_page.goto(f"/#/thread/{turn_['conversation_id']}")
    expect(groq_page.locator(".stages .current")).to_contain_text("Writing")
    # It is there again after a reload in the middle.
    groq_page.reload()
    expect(groq_page.locator(".stages .current")).to_contain_text("Writing")
    turn(groq_page).get_by_role("button", name="Edit").click()
    edited = groq_page.get_by_label("The question in other words")
    edited.fill("How much pressure does pump 10 run at?")
    follow_up(groq_page, SECOND)
    expect(groq_page.get_by_text("It is asked when the answer before it is there.")).to_be_visible()
    groq_page.get_by_role("button", name="Stop").click()
    expect(turn(groq_page)).to_contain_text("This question was stopped.")
    expect(groq_page.locator(".turn")).to_have_count(2)
    # What is being written stays when the question above it ends.
    expect(edited).to_have_value("How much pressure does pump 10 run at?")


def test_a_refused_question_is_asked_with_less_evidence_by_one_click(groq_page: Page, groq: Stack) -> None:
    groq.add_text("pumps.md", PUMPS, workspace="threads")
    refused = groq.ask("How many weeks of parental leave do employees get?", workspace="threads", mode="high")
    assert refused["abstained"]
    groq_page.goto(f"/#/thread/{refused['id']}")
    groq_page.get_by_role("button", name="Ask with less evidence required").click()
    expect(groq_page.locator(".turn")).to_have_count(2)
    conversation = groq.http.get(f"/v1/queries/{refused['id']}").json()["conversation_id"]
    turns = groq.http.get(f"/v1/conversations/{conversation}/turns").json()["turns"]
    assert groq.http.get(turns[1]["links"]["self"]).json()["mode"] == "low"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_and_in_korean(
    make_page: PageMaker,
    offline: Stack,
    workspace: str,
    screenshot: Screenshot,
    check_accessibility: AccessibilityCheck,
    scheme: str,
) -> None:
    page = make_page(offline, size=PHONE, locale="ko-KR", scheme=scheme)
    page.goto(f"/#/ask?workspace={workspace}")
    page.get_by_label("질문", exact=True).fill(FIRST)
    page.get_by_role("button", name="질문하기").click()
    expect(turn(page).locator(".answer")).to_contain_text("24 bar")
    page.get_by_label("이어서 질문하기").fill(SECOND)
    page.keyboard.press("Enter")
    expect(turn(page, 1).locator(".answer")).to_contain_text("40 bar")
    screenshot(page, f"thread-phone-ko-{scheme}")
    check_accessibility(page)
