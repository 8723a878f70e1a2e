"""The page of models: from the yellow box to an answer by a model, and back, with a trial before each switch."""

import re
from collections.abc import Generator
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESK, AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack, running_stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator

MODEL = "openai/gpt-oss-20b"
TEXT = "Returns policy. Returns are accepted within 30 days of the purchase date. A receipt is required for returns."
QUESTION = "Within how many days are returns accepted?"


@pytest.fixture(scope="module")
def local() -> Generator[GroqSimulator]:
    """A server that wants no key, as Ollama does."""
    with GroqSimulator(accounts={"": Account("local")}) as simulator:
        yield simulator


@pytest.fixture(scope="module")
def stack(local: GroqSimulator) -> Generator[Stack]:
    """A stack without a model, whose operator named the address of one."""
    with running_stack(
        CITEWELL_MODELS__SERVERS=f'["{local.base_url}/openai/v1"]', CITEWELL_RERANK__CONTEXT_TOKENS="400"
    ) as stack:
        stack.add_text("returns.md", TEXT, workspace="default")
        yield stack


@pytest.fixture(autouse=True)
def without_model(stack: Stack, local: GroqSimulator) -> Generator[None]:
    yield
    local.reset()
    stack.http.delete("/v1/model-servers/current").raise_for_status()


def test_the_yellow_box_leads_to_an_answer_by_a_model_and_back(
    make_page: PageMaker, stack: Stack, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:
    page = make_page(stack)
    copied = stack.ask(QUESTION)
    page.goto(f"/#/query/{copied['id']}")
    page.get_by_role("note").get_by_role("link", name="Choose a language model").click()
    expect(page.get_by_role("heading", name="What answers now")).to_be_visible()
    expect(page.get_by_text("No language model: answers are sentences")).to_be_visible()
    form = page.locator("form").filter(has_text=":")
    form.get_by_label(re.compile("^Model of")).select_option(MODEL)
    form.get_by_label("Who judges").select_option("standard")
    check_accessibility(page)
    form.get_by_role("button", name="Try it").click()
    expect(page.get_by_text("It can do all that a question needs.")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="a streamed answer that cites")).to_contain_text("✓ works")
    expect(page.get_by_text(f"{MODEL} scores passages and judges statements.")).to_be_visible()
    expect(page.get_by_text("Questions and documents stay on this machine")).to_be_visible()
    screenshot(page, "models-trial-light-desk")
    check_accessibility(page)
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_role("heading", name="What answers now")).to_be_focused()
    expect(page.locator("main")).to_contain_text("Chosen on this page")
    screenshot(page, "models-chosen-light-desk")
    check_accessibility(page)
    page.get_by_role("link", name="Ask a question").click()
    page.get_by_role("textbox").first.fill("Is a receipt required for returns?")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("receipt is required")
    expect(page.get_by_text("No language model is configured")).to_have_count(0)
    page.goto("/#/models")
    page.get_by_role("button", name="Back to no model").click()
    page.get_by_role("dialog").get_by_role("button", name="Back to no model").click()
    expect(page.get_by_text("No language model: answers are sentences")).to_be_visible()
    assert stack.ask(QUESTION)["provider"] == "offline"


def test_a_wrong_key_is_told_in_the_words_of_the_server_and_a_right_one_stays_here(
    make_page: PageMaker, stack: Stack, allowed: list[str], check_accessibility: AccessibilityCheck
) -> None:
    allowed.append("status of 422")
    page = make_page(stack)
    with GroqSimulator() as strict:
        page.goto("/#/models")
        page.get_by_label(re.compile("^Address")).fill(f"{strict.base_url}/openai/v1")
        page.get_by_label(re.compile("^Key")).fill("gsk_wrong_key")
        page.get_by_role("button", name="List its models").click()
        expect(page.get_by_role("alert")).to_contain_text("the key is refused: HTTP 401 Invalid API Key")
        expect(page.get_by_role("alert")).not_to_contain_text("gsk_wrong_key")
        check_accessibility(page)
        page.get_by_label(re.compile("^Key")).fill(KEY)
        page.get_by_role("button", name="List its models").click()
        form = page.get_by_role("region", name="Another server").locator("form").nth(1)
        form.get_by_label("Model", exact=True).select_option(MODEL)
        form.get_by_label("Who judges").select_option("small")
        form.get_by_role("button", name="Try it").click()
        page.get_by_role("button", name="Use it").click()
        expect(page.get_by_text("Citewell’s rules", exact=True)).to_be_visible()
        assert KEY not in page.content()
        page.reload()
        expect(page.locator("main")).to_contain_text("Chosen on this page")
        assert KEY not in page.content()


def test_a_server_that_answers_nonsense_is_refused_with_its_table(
    make_page: PageMaker, stack: Stack, local: GroqSimulator, check_accessibility: AccessibilityCheck
) -> None:
    page = make_page(stack, locale="ko-KR")
    local.fail(Fault(kind=FaultKind.WRONG_SCHEMA, times=9))
    page.goto("/#/models")
    form = page.locator("form").filter(has_text=":")
    form.get_by_label(re.compile("모델$")).first.select_option(MODEL)
    form.get_by_role("button", name="시험하기").click()
    expect(page.get_by_role("alert")).to_contain_text("사용할 수 없습니다.")
    expect(page.get_by_role("row").filter(has_text="✕")).to_contain_text("구절을 바탕으로 답하지 않습니다")
    expect(page.get_by_role("button", name="사용하기")).to_have_count(0)
    check_accessibility(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, (390, 800)], ids=["desk", "phone"])
@pytest.mark.parametrize("locale", ["en-GB", "ko-KR"])
def test_it_can_be_used_by_everybody(
    make_page: PageMaker,
    stack: Stack,
    check_accessibility: AccessibilityCheck,
    screenshot: Screenshot,
    scheme: Literal["light", "dark"],
    size: tuple[int, int],
    locale: str,
) -> None:  # S5.7
    page = make_page(stack, scheme=scheme, size=size, locale=locale)
    page.goto("/#/models")
    expect(page.locator("form")).to_have_count(2)
    screenshot(page, f"models-{scheme}-{size[0]}-{locale[:2]}")
    check_accessibility(page)


def test_the_keyboard_alone_tries_and_uses_a_model(make_page: PageMaker, stack: Stack) -> None:
    page: Page = make_page(stack)
    page.goto("/#/models")
    expect(page.locator("form")).to_have_count(2)
    page.get_by_label(re.compile("^Model of")).focus()
    page.keyboard.type(MODEL)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Trial", exact=True)).to_be_focused()
    use = page.get_by_role("button", name="Use it")
    expect(use).to_be_visible()
    for _ in range(6):
        page.keyboard.press("Tab")
        if use.evaluate("button => button === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("Chosen on this page")
