"""An answer in its thread: watched in progress, then read, checked against its sources, exported."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import DESK, PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.browser.test_ask import asked
from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator

RETURNS = "All returns must be made within 30 days of the purchase date. A receipt is required for every return."
FEES = "Restocking fees of 15 percent are deducted for opened electronics. Shipping costs are 5 euros per parcel."
QUESTION = "Within how many days must returns be made, and what is deducted for opened electronics?"
# Right; a wrong figure; right with one wrong citation; found nowhere; right.
DRAFT = (
    "All returns must be made within 30 days of the purchase date [†{returns}]. "
    "Restocking fees of 45 percent are deducted for opened electronics [†{fees}]. "
    "A receipt is required for every return [†{fees}][†{returns}]. "
    "Parcels are collected by helicopter on Sundays [†{returns}]. "
    "Shipping costs are 5 euros per parcel [†{fees}]."
)


@pytest.fixture(scope="module")
def workspace(groq_stack: Stack) -> str:
    groq_stack.add_text("returns.md", RETURNS, workspace="reading")
    groq_stack.add_text("fees.md", FEES, workspace="reading")
    return "reading"


def say(provider: GroqSimulator, groq: Stack, workspace: str) -> None:
    """Let the model write DRAFT up to its middle; the rest follows on request."""
    sources = groq.ask(QUESTION, workspace=workspace, enable_verification=False)["sources"]
    numbers = {source["filename"].removesuffix(".md"): place for place, source in enumerate(sources, start=1)}
    provider.fail(Fault(kind=FaultKind.SAYING, match="\ngenerate_answer\n", quote=DRAFT.format(**numbers)))


@pytest.fixture
def mended(groq: Stack, provider: GroqSimulator, workspace: str) -> dict[str, Any]:
    """An answer with one rewritten sentence, one removed sentence, and removed citations."""
    say(provider, groq, workspace)
    provider.go_on()
    return groq.ask(QUESTION, workspace=workspace, verification={"max_crag_attempts": 0, "show_claims": True})


def opened(page: Page, query: dict[str, Any]) -> Locator:
    """The answer in its thread, after everything has loaded."""
    page.goto(f"/#/thread/{query['id']}")
    expect(page.get_by_role("button", name="Details")).to_be_visible()
    return page.locator(".answer").first


def unfolded(page: Page) -> None:
    """Open everything behind the answer."""
    page.get_by_role("button", name="Details").click()
    expect(page.get_by_text("Steps and model calls")).to_be_visible()


def test_an_answer_is_watched_while_it_is_written_and_checked(
    groq_page: Page, groq: Stack, provider: GroqSimulator, workspace: str, screenshot: Screenshot
) -> None:  # S5.7, N1
    say(provider, groq, workspace)
    asked(groq_page, QUESTION, workspace=workspace)
    draft = groq_page.locator(".draft")
    # The first sentence has its verdict, and the model has not written the second half.
    expect(draft.locator(".sentence.supported")).to_have_count(1)
    expect(draft).not_to_contain_text("helicopter")
    expect(groq_page.locator(".stages .current")).to_contain_text("Writing")
    screenshot(groq_page, "query-live-light")
    provider.go_on()
    expect(groq_page.locator(".signal-line")).to_be_visible()
    expect(groq_page.locator(".answer").first).to_contain_text("15 percent")
    expect(groq_page.locator(".draft")).to_have_count(0)


def test_every_sentence_and_citation_shows_what_it_rests_on(groq_page: Page, mended: dict[str, Any]) -> None:  # S5.7
    answer = opened(groq_page, mended)
    sentences = mended["verification"]["sentences"]
    expect(answer.locator(".sentence")).to_have_count(len(sentences))
    card = groq_page.locator(".floating")
    # Pointed at.
    citation = answer.locator(".citation").first
    citation.hover()
    first = mended["citations"][0]
    expect(card.locator("mark")).to_have_text(first["text_span"])
    expect(card).to_contain_text(first["document_name"])
    expect(card.locator(".badge")).to_contain_text("accurate")
    groq_page.mouse.move(0, 0)
    expect(card).to_have_count(0)
    # By the keyboard: into the card and back.
    answer.locator(".verdict-mark").first.focus()
    groq_page.keyboard.press("Tab")
    expect(card.get_by_role("link", name="Open in document")).to_be_focused()
    for name in ("The sources say it", "They do not"):
        groq_page.keyboard.press("Tab")
        expect(card.get_by_role("button", name=name)).to_be_focused()
    groq_page.keyboard.press("Tab")
    expect(citation).to_be_focused()
    expect(card).to_be_visible()
    groq_page.keyboard.press("Tab")
    expect(card.get_by_role("link", name="Open in document")).to_be_focused()
    groq_page.keyboard.press("Escape")
    expect(citation).to_be_focused()
    expect(card).to_have_count(0)
    # A sentence's own mark, pressed.
    answer.locator(".verdict-mark").first.click()
    expect(card).to_contain_text("supported")
    card.get_by_role("link", name="Open in document").click()
    expect(groq_page.locator("mark.cited")).to_have_text(sentences[0]["evidence"])
    expect(groq_page.locator("mark.cited")).to_be_in_viewport()


def test_only_what_is_wrong_is_marked_until_all_marks_are_asked_for(
    groq_page: Page, mended: dict[str, Any], screenshot: Screenshot
) -> None:
    answer = opened(groq_page, mended)
    mark = answer.locator(".sentence.supported > .verdict-mark").first
    expect(mark).to_have_css("opacity", "0")
    mark.focus()
    expect(mark).to_have_css("opacity", "1")
    groq_page.keyboard.press("Escape")  # its card
    unfolded(groq_page)
    groq_page.get_by_label("Mark every sentence").check()
    expect(answer).not_to_have_class(re.compile("quiet"))
    screenshot(groq_page, "query-marks-light")
    groq_page.reload()
    unfolded(groq_page)
    expect(groq_page.get_by_label("Mark every sentence")).to_be_checked()
    expect(groq_page.locator(".answer").first).not_to_have_class(re.compile("quiet"))


def test_the_places_that_are_cited_stand_beside_the_answer_and_lead_to_the_document(
    groq_page: Page, mended: dict[str, Any], screenshot: Screenshot
) -> None:
    opened(groq_page, mended)
    listed = groq_page.locator(".cited-sources li")
    expect(listed).to_have_count(len({one["number"] for one in mended["citations"]}))
    expect(listed.get_by_role("link")).to_have_count(
        len({(one["number"], one["source_start"]) for one in mended["citations"]})
    )
    screenshot(groq_page, "query-light")
    listed.first.get_by_role("link").first.click()
    expect(groq_page.locator("mark.cited")).to_be_in_viewport()


def test_what_was_removed_and_repaired_is_told_with_its_reason(groq_page: Page, mended: dict[str, Any]) -> None:  # S5.7
    answer = opened(groq_page, mended)
    kinds = {edit["kind"] for edit in mended["edits"]}
    assert {"rewritten", "dropped", "removed"} <= kinds
    notice = groq_page.locator(".change-notice")
    expect(notice).to_contain_text(re.compile(r"\d citations? removed"))
    notice.get_by_role("button").click()
    changes = groq_page.locator(".changes")
    expect(changes).to_be_in_viewport()
    rewritten = changes.locator("li", has_text="Sentence rewritten")
    expect(rewritten.locator("del")).to_contain_text("45 percent")
    expect(rewritten.locator("ins")).to_contain_text("15 percent")
    expect(rewritten).to_contain_text("Why: ")
    expect(changes.locator("li", has_text="Sentence removed")).to_contain_text("helicopter")
    expect(changes.locator("li", has_text=re.compile(r"Citation \[\d\] removed")).first).to_contain_text("Why: ")
    groq_page.get_by_role("button", name="Differences").click()
    expect(groq_page.locator(".answer del").first).to_be_visible()
    groq_page.get_by_role("button", name="Original").click()
    expect(groq_page.locator(".answer").first).to_contain_text("45 percent")
    groq_page.get_by_role("button", name="Verified").click()
    expect(answer).not_to_contain_text("45 percent")


def test_claims_are_filtered_and_sorted(groq_page: Page, mended: dict[str, Any]) -> None:  # S5.7, S2.4
    opened(groq_page, mended)
    unfolded(groq_page)
    groq_page.get_by_text("Claims and citation checks").click()
    rows = groq_page.locator(".behind table").first.locator("tbody tr")
    everything = rows.count()
    groq_page.get_by_label("Filter").select_option("inaccurate")
    expect(rows.first).to_contain_text("inaccurate")
    assert 0 < rows.count() < everything
    groq_page.get_by_label("Filter").select_option("")
    groq_page.get_by_label("Find in claims").fill("helicopter")
    expect(rows.first).to_contain_text("helicopter")
    assert 0 < rows.count() < everything
    groq_page.get_by_label("Find in claims").fill("")
    expect(rows).to_have_count(everything)
    head = groq_page.get_by_role("columnheader", name="Statement")
    for order in ("ascending", "descending"):
        head.get_by_role("button").click()
        expect(head).to_have_attribute("aria-sort", order)
        told = rows.locator("th").all_text_contents()
        assert told == sorted(told, reverse=order == "descending")


def test_sentences_of_one_verdict_are_picked_out(
    groq_page: Page, groq: Stack, provider: GroqSimulator, workspace: str
) -> None:  # S5.7
    say(provider, groq, workspace)
    provider.go_on()
    options = {"max_crag_attempts": 0, "repair": "citations"}
    # In mode `low` an answer that its sources do not give is not refused.
    query = groq.ask(QUESTION, workspace=workspace, mode="low", verification=options)
    states = [sentence["status"] for sentence in query["verification"]["sentences"]]
    wrong = next(state for state in states if state not in {"supported", "no_claim"})
    answer = opened(groq_page, query)
    button = groq_page.locator(f".legend-item[data-state={wrong}]")
    expect(button.locator("strong")).to_have_text(str(states.count(wrong)))
    button.click()
    expect(answer.locator(".sentence:not(.dimmed)")).to_have_count(states.count(wrong))
    button.click()
    expect(answer.locator(".dimmed")).to_have_count(0)


def test_attempts_stand_side_by_side(
    groq_page: Page, groq: Stack, provider: GroqSimulator, workspace: str
) -> None:  # S2.3, S5.7
    provider.fail(Fault(kind=FaultKind.LYING, match="\ngenerate_answer\n", times=1))
    query = groq.ask(QUESTION, workspace=workspace)
    opened(groq_page, query)
    unfolded(groq_page)
    groq_page.get_by_text("Attempts side by side").click()
    first, second = groq_page.locator(".attempt").all()
    expect(first.locator("h3")).to_have_text("First draft")
    expect(first.locator(".sentence.supported")).to_have_count(0)
    expect(first).to_contain_text(QUESTION)
    expect(second).to_contain_text("chosen")
    boxes = [each.bounding_box() for each in (first, second)]
    assert len({box["y"] for box in boxes if box}) == 1
    assert len({box["x"] for box in boxes if box}) == 2


def test_a_refusal_says_what_was_searched(page: Page, offline: Stack, screenshot: Screenshot) -> None:  # S3.4, S5.7
    offline.add_text("returns.md", RETURNS, workspace="refusing")
    question = "How many weeks of parental leave do employees get?"
    query = offline.ask(question, workspace="refusing", mode="high")
    assert query["abstained"]
    page.goto(f"/#/thread/{query['id']}")
    refusal = page.locator(".refusal")
    # Without a model, what is known is which passages come closest.
    expect(refusal).not_to_contain_text("do not answer")
    expect(refusal).to_contain_text("Closest passages; no model read them")
    card = refusal.locator(".closest").first
    expect(card.locator("mark")).to_have_text(query["mentions"][0]["quote"])
    start, end = query["mentions"][0]["source_start"], query["mentions"][0]["source_end"]
    expect(card.get_by_role("link")).to_have_attribute("href", re.compile(rf"#/document/.*start={start}&end={end}"))
    expect(refusal.locator("li").first).to_have_text(question)
    expect(refusal).to_contain_text(query["abstain_reason"])
    screenshot(page, "query-refused-light")


def test_documents_that_disagree_are_shown_with_both_places(
    page: Page, offline: Stack, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:
    fee = "# Parcels\n\n{}\n\nThe fee for a parcel abroad is EUR {}."
    offline.add_text("parcels-2024.md", fee.format("Version 1, in force from 1 May 2024.", 12), workspace="disagreeing")
    offline.add_text("parcels.md", fee.format("1 May 2025. Version 2 replaces version 1.", 15), workspace="disagreeing")
    query = offline.ask("What is the fee for a parcel abroad?", workspace="disagreeing")
    page.goto(f"/#/thread/{query['id']}")
    sides = page.get_by_role("group", name="Your documents disagree").locator("li")
    expect(sides).to_have_count(2)
    # What is in force goes first.
    expect(sides.first).to_contain_text("EUR 15 · parcels.md · Parcels · 2025-05-01 · says that it replaces the other")
    expect(sides.last).to_contain_text("EUR 12 · parcels-2024.md · Parcels · 2024-05-01")
    other = query["conflicts"][0]["other"]
    place = re.compile(rf"#/document/{other['document_id']}\?start={other['source_start']}&end={other['source_end']}")
    expect(sides.filter(has_text=other["document"]).get_by_role("link")).to_have_attribute("href", place)
    check_accessibility(page)
    screenshot(page, "query-disagreeing-light")


def test_a_question_is_cancelled_and_tried_again(
    groq_page: Page, groq: Stack, provider: GroqSimulator, workspace: str
) -> None:  # A3
    say(provider, groq, workspace)
    asked(groq_page, QUESTION, workspace=workspace)
    expect(groq_page.locator(".draft .sentence").first).to_be_visible()
    groq_page.get_by_role("button", name="Stop").click()
    expect(groq_page.get_by_text("This question was stopped.")).to_be_visible()
    provider.reset()
    groq_page.get_by_role("button", name="Try again").click()
    expect(groq_page.locator(".answer .citation").first).to_be_visible()
    expect(groq_page.locator(".turn")).to_have_count(1)
    unfolded(groq_page)
    expect(groq_page.get_by_role("link", name="an earlier attempt")).to_be_visible()


def test_an_answer_is_taken_along(page: Page, offline: Stack) -> None:
    offline.add_text("returns.md", RETURNS, workspace="copying")
    query = offline.ask("Is a receipt required for a return?", workspace="copying")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, query)
    more = page.get_by_role("button", name="Copy or save")
    more.click()
    page.get_by_role("button", name="Copy text").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    file = f"/v1/queries/{query['id']}/export"
    assert copied == offline.http.get(file, params={"format": "text"}).text
    assert query["signal"]["reason"] in copied
    more.click()
    page.get_by_role("button", name="Copy Markdown").click()
    expect(page.get_by_text("Copied.")).to_have_count(2)
    span = query["citations"][0]["text_span"]
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == offline.http.get(file).text
    assert f"[^1]: [“{span}”]" in copied
    named = f"Is a receipt required for a return {query['finished_at'][:10]}"
    for button, suffix, beginning in (("JSON", "json", b"{"), ("PDF", "pdf", b"%PDF-"), ("Word", "docx", b"PK")):
        more.click()
        with page.expect_download() as saved:
            page.get_by_role("button", name=f"Save {button}").click()
        assert saved.value.suggested_filename == f"{named}.{suffix}"
        assert saved.value.path().read_bytes().startswith(beginning)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("locale", ["en-GB", "ko-KR"])
def test_an_answer_can_be_read_by_everybody(
    make_page: PageMaker,
    groq_stack: Stack,
    readable: dict[str, Any],
    check_accessibility: AccessibilityCheck,
    screenshot: Screenshot,
    scheme: str,
    size: tuple[int, int],
    locale: str,
) -> None:  # S5.7
    page = make_page(groq_stack, scheme=scheme, size=size, locale=locale)
    page.goto(f"/#/thread/{readable['id']}")
    name = f"query-{scheme}-{'phone' if size == PHONE else 'desk'}-{locale[:2]}"
    opener = page.locator("[aria-controls^=details]")
    expect(opener).to_be_visible()
    screenshot(page, name)
    opener.click()
    expect(page.locator(".behind > details").last).to_be_visible()
    page.evaluate("document.querySelectorAll('.page details').forEach((one) => { one.open = true; })")
    check_accessibility(page)
    screenshot(page, f"{name}-open")
    page.evaluate("scrollTo(0, 0)")
    (page.locator(".answer .citation").first.tap if size == PHONE else page.locator(".answer .citation").first.hover)()
    expect(page.locator(".floating mark")).to_be_visible()
    check_accessibility(page)
    page.screenshot(path=f"build/screenshots/{name}-card.png")


@pytest.fixture(scope="module")
def readable(groq_stack: Stack, provider: GroqSimulator, workspace: str) -> dict[str, Any]:
    """An answer with everything that can be shown: a corrective round, repairs, removed citations."""
    say(provider, groq_stack, workspace)
    provider.go_on()
    options = {"confidence_threshold": 0.95, "max_crag_attempts": 1, "show_claims": True}
    query = groq_stack.ask(QUESTION, workspace=workspace, verification=options)
    provider.reset()
    return query


def test_a_question_of_a_conversation_tells_how_it_was_understood(
    groq: Stack, groq_page: Page, workspace: str
) -> None:  # N9
    said = [
        ("user", "Within how many days must returns be made?"),
        ("assistant", "30 days."),
        ("user", "Receipt for that?"),
    ]
    messages = [{"role": role, "content": text} for role, text in said]
    sent = groq.http.post("/v1/chat/completions", json={"model": workspace, "messages": messages}).raise_for_status()
    groq_page.goto(f"/#/thread/{sent.json()['citewell']['query_id']}")
    expect(groq_page.get_by_role("heading", level=2)).to_have_text("Receipt for that?")
    meant = "Within how many days must returns be made? Receipt for that?"
    expect(groq_page.get_by_text(f"Understood as: “{meant}”")).to_be_visible()
