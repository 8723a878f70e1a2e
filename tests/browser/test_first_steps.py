"""The first day on the page: the example, a pasted text, a web page, a folder, and the clicks of the first tasks."""

import re
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import GroqSimulator

POLICY = """# Travel policy

## Cars

The mileage allowance for private cars is EUR 0.42 per kilometre.

## Flights

Flights are booked 7 days before departure through the travel desk.
"""
# Keys click buttons too, with the detail 0. What happens in the picker of files is the operating system's; going to
# another page keeps the count.
COUNT = (
    "window.clicks = Number(sessionStorage.clicks || 0);"
    "addEventListener('click', ({ isTrusted, detail }) => {"
    "  sessionStorage.clicks = window.clicks += isTrusted && detail > 0; }, true);"
)
MOST_CLICKS = {"first answer": 1, "follow-up": 0, "proof": 1, "correction": 2}
MOST_CLICKS_TO_A_MODEL = 3


def test_the_example_comes_by_a_button_with_questions_that_it_answers(
    page: Page, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # S5.7
    page.goto("/#/ask?workspace=first-steps")
    page.get_by_role("button", name="Try it with five example documents").click()
    expect(page).to_have_url(re.compile("workspace=example"))
    expect(page.get_by_text("5 of 5 files ready")).to_be_visible()
    questions = page.locator(".suggestions button")
    expect(questions).to_have_count(5)
    check_accessibility(page)
    screenshot(page, "first-steps")
    questions.first.click()
    expect(page.locator(".answer .sentence").first).to_contain_text("$486.2 million")
    page.goto("/#/ask?workspace=example")
    page.locator(".suggestions button", has_text="the documents do not say it").click()
    expect(page.locator(".signal-line").first).to_contain_text("Not answered")


def test_a_pasted_text_is_a_document(page: Page, offline: Stack) -> None:  # S5.7
    page.goto("/#/documents")
    page.get_by_label("Workspace").first.fill("pasted")
    page.get_by_role("button", name="Paste a text").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog).to_be_visible()  # it lacks a title
    dialog.get_by_label("Title").fill("Cars: 2026/27")
    dialog.get_by_role("textbox", name="Text").fill(POLICY)
    dialog.get_by_role("button", name="Add").click()
    expect(page.get_by_role("link", name="Open Cars 2026 27.md")).to_be_visible()
    assert "EUR 0.42" in offline.ask("What is the mileage allowance for private cars?", workspace="pasted")["answer"]
    page.get_by_role("button", name="Paste a text").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_web_page_becomes_a_source(page: Page) -> None:  # S5.7
    page.goto("/#/documents")
    page.get_by_role("button", name="Add a web page").click()
    page.get_by_role("dialog").get_by_label("Address").fill("https://example.com/handbook/travel/")
    page.keyboard.press("Enter")
    expect(page.get_by_text("example.com/handbook/travel is being read")).to_be_visible()
    page.goto("/#/sources")
    expect(page.get_by_text("example.com/handbook/travel").first).to_be_visible()


def test_a_folder_is_one_list_with_one_progress(page: Page, tmp_path: Path) -> None:  # S5.7
    (tmp_path / "handbook" / "parts").mkdir(parents=True)
    for name in ("one.md", "parts/two.md", ".hidden.md"):
        (tmp_path / "handbook" / name).write_text(f"# {name}\n\nThe part {name} is kept in the red binder.\n")
    page.goto("/#/documents")
    page.get_by_label("Workspace").first.fill("folder")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a folder").click()
    chooser.value.set_files(tmp_path / "handbook")
    expect(page.get_by_text("2 of 2 files ready")).to_be_visible()
    expect(page.get_by_role("link", name="Open handbook/parts/two.md")).to_be_visible()


@pytest.mark.parametrize("locale", ["en-GB"])
def test_the_first_tasks_take_few_clicks(
    make_page: PageMaker, offline: Stack, tmp_path: Path, screenshot: Screenshot, locale: str
) -> None:  # S5.7
    page = make_page(offline, locale=locale)
    page.add_init_script(COUNT)
    told: dict[str, int] = {}

    def done(task: str) -> None:
        told[task] = page.evaluate("window.clicks")
        page.evaluate("sessionStorage.clicks = window.clicks = 0")
        screenshot(page, f"task-{task}")

    (tmp_path / "travel.md").write_text(POLICY)
    page.goto("/#/ask?workspace=tasks")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose files").click()
    chooser.value.set_files(tmp_path / "travel.md")
    page.get_by_label("Your question").fill("What is the mileage allowance for private cars?")
    page.keyboard.press("Enter")
    expect(page.locator(".answer .sentence").first).to_contain_text("EUR 0.42")
    done("first answer")
    page.get_by_label("Ask a follow-up question").fill("And when are flights booked?")
    page.keyboard.press("Enter")
    expect(page.locator(".turn").nth(1).locator(".answer .sentence").first).to_contain_text("7 days")
    done("follow-up")
    page.locator(".turn").first.get_by_role("link", name="EUR 0.42").click()  # the quote among the sources
    expect(page.locator("mark.cited")).to_contain_text("EUR 0.42")
    done("proof")
    page.get_by_role("button", name="Correct this passage").click()
    text = page.locator(".chunks textarea")
    expect(text).to_be_focused()
    text.fill(text.input_value().replace("0.42", "0.45"))
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".passage")).to_contain_text("EUR 0.45")
    done("correction")
    sys.stderr.write(f"\nclicks: {told}\n")
    assert told == MOST_CLICKS


@pytest.fixture
def local_model(offline: Stack) -> Generator[str]:
    """The address of a server of models that wants no key, as Ollama does."""
    with GroqSimulator(accounts={"": Account("local")}) as simulator:
        yield f"{simulator.base_url}/openai/v1"
        offline.http.delete("/v1/model-servers/current").raise_for_status()


def test_a_model_is_set_up_in_three_clicks(
    page: Page, offline: Stack, local_model: str, screenshot: Screenshot
) -> None:  # 41
    page.add_init_script(COUNT)
    offline.add_text("travel.md", POLICY, workspace="to-a-model")
    copied = offline.ask("What is the mileage allowance for private cars?", workspace="to-a-model")
    page.goto(f"/#/thread/{copied['id']}")
    page.get_by_role("note").get_by_role("link", name="Choose a language model").click()
    page.get_by_label("Address").fill(local_model)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Try it").click()
    page.get_by_role("button", name="Use it").click()
    expect(page.locator("main")).to_contain_text("Chosen on this page")
    clicks = page.evaluate("window.clicks")
    sys.stderr.write(f"\nclicks to a model: {clicks}\n")
    screenshot(page, "task-model")
    # It answers at once.
    page.get_by_role("link", name="Ask a question").click()
    page.get_by_role("combobox", name="Workspace").select_option("to-a-model")
    page.get_by_label("Your question").fill("How are flights booked?")
    page.keyboard.press("Enter")
    expect(page.locator(".turn .answer")).to_be_visible()
    assert clicks == MOST_CLICKS_TO_A_MODEL
