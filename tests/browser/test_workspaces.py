"""Workspaces on the page: made, set up, used by questions that choose nothing else, renamed, deleted."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import AccessibilityCheck, PageMaker, Screenshot
from tests.browser.test_ask import asked
from tests.e2e.stack import Stack

POLICY = "Returns must be made within 30 days of purchase. A receipt is required for every return."


def settings_of(offline: Stack, name: str) -> dict[str, object]:
    return offline.http.get(f"/v1/workspaces/{name}").raise_for_status().json()["settings"]


def test_a_workspace_is_made_and_set_up(
    page: Page, offline: Stack, check_accessibility: AccessibilityCheck, screenshot: Screenshot
) -> None:
    page.goto("/#/workspaces")
    page.get_by_role("textbox", name=re.compile("^Name")).fill("made-here")
    page.get_by_role("textbox", name=re.compile("^Title")).fill("Made here")
    page.get_by_role("button", name="Create").click()
    expect(page).to_have_url(re.compile("#/workspaces/made-here$"))
    expect(page.locator("h1")).to_have_text("Made here")
    page.get_by_label("Evidence").select_option("high")
    page.get_by_label("Language of answers").select_option("ko")
    page.get_by_label("Tone").fill("formal")
    page.get_by_label("What is said in place of").fill("Please ask the help desk.")
    page.get_by_label("Term", exact=True).fill("PTO")
    page.get_by_label("Meaning").fill("paid time off")
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_text("The settings are saved.")).to_be_visible()
    found = settings_of(offline, "made-here")
    assert found["mode"] == "high"
    assert found["instructions"] == {
        "language": "ko",
        "tone": "formal",
        "length": None,
        "glossary": {"PTO": "paid time off"},
        "refusal": "Please ask the help desk.",
    }
    screenshot(page, "workspace-light")
    check_accessibility(page)
    # What is emptied is as configured again.
    page.get_by_label("Evidence").select_option("")
    page.get_by_label("Tone").fill("")
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_label("Tone")).to_have_value("")
    expect(page.get_by_text("The settings are saved.").nth(1)).to_be_visible()
    found = settings_of(offline, "made-here")
    assert (found["mode"], found["instructions"]["tone"]) == (None, None)  # pyright: ignore[reportIndexIssue]


def test_a_model_that_is_not_there_is_told_where_it_is_set(page: Page, offline: Stack, allowed: list[str]) -> None:
    allowed.append("status of 422")
    offline.http.post("/v1/workspaces", json={"name": "no-model"}).raise_for_status()
    page.goto("/#/workspaces/no-model")
    page.get_by_label("Model that writes").fill("nobody/nothing")
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_role("alert")).to_contain_text("nobody/nothing")


def test_a_schema_that_cannot_be_kept_is_told_where_it_is_set(page: Page, offline: Stack, allowed: list[str]) -> None:
    allowed.append("status of 422")
    offline.http.post("/v1/workspaces", json={"name": "by-schema"}).raise_for_status()
    page.goto("/#/workspaces/by-schema")
    page.get_by_label("Answers as an object").fill('{"type": ')
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_role("alert")).to_contain_text("This is no JSON")
    page.get_by_label("Answers as an object").fill('{"type": "object", "properties": {"days": {"type": "integer"}}}')
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_role("alert")).to_contain_text("needs a language model")
    assert settings_of(offline, "by-schema")["answer_schema"] is None


def test_an_answer_by_a_schema_shows_the_object_and_what_became_of_its_places(
    groq_page: Page, groq: Stack, check_accessibility: AccessibilityCheck, screenshot: Screenshot
) -> None:
    groq.add_text("policy.md", POLICY, workspace="objects")
    days = {"type": "integer", "description": "Within how many days of purchase returns must be made"}
    fee = {"type": ["integer", "null"], "description": "Restocking charge in percent"}
    schema = {"type": "object", "properties": {"days": days, "fee": fee}, "required": ["days", "fee"]}
    asked_ = groq.ask("Within how many days must returns be made?", workspace="objects", answer_schema=schema)
    groq_page.goto(f"/#/thread/{asked_['id']}")
    section = groq_page.get_by_role("group", name="As an object")
    expect(section.locator("pre")).to_contain_text('"days": 30')
    section.get_by_text("Places and what became of them").click()
    expect(section.get_by_role("row").filter(has_text="/days")).to_contain_text("verified")
    expect(section.get_by_role("row").filter(has_text="/fee")).to_contain_text("not stated")
    screenshot(groq_page, "answer-object-light")
    check_accessibility(groq_page)


def test_a_question_that_chooses_nothing_is_asked_as_its_workspace_has_it(
    page: Page, offline: Stack, screenshot: Screenshot
) -> None:
    offline.add_text("policy.md", POLICY, workspace="strict")
    change = {"settings": {"mode": "high", "instructions": {"tone": "formal"}}}
    offline.http.patch("/v1/workspaces/strict", json=change).raise_for_status()
    page.goto("/#/ask?workspace=strict")
    options = page.get_by_role("button", name="Options")
    expect(options).to_contain_text("Evidence required: High (by the workspace)")
    options.click()
    expect(page.locator("select[name=mode] option").first).to_have_text("Workspace: High")
    expect(page.get_by_text("This workspace answers with: own instructions.")).to_be_visible()
    screenshot(page, "ask-options-light")
    sent: list[Any] = []
    page.on("request", lambda one: sent.append(one.post_data_json) if one.method == "POST" else None)
    asked(page, "Is a receipt required?", workspace="strict")
    assert {"mode", "preset", "run"} & set(sent[0]) == set()
    (turn,) = offline.http.get(f"/v1/conversations/{page.url.rpartition('/')[2]}/turns").json()["turns"]
    query = offline.wait(turn["id"])
    assert query["mode"] == "high"
    # What is chosen goes before it.
    page.goto("/#/ask?workspace=strict&mode=low")
    expect(options).to_contain_text("Evidence required: Low")
    asked_again = page.get_by_label("Your question")
    asked_again.fill("Is a receipt required?")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"#/thread/[0-9a-f-]{36}$"))
    assert sent[-1]["mode"] == "low"


def test_a_workspace_is_renamed_and_deleted(
    page: Page, make_page: PageMaker, offline: Stack, check_accessibility: AccessibilityCheck, screenshot: Screenshot
) -> None:
    offline.add_text("policy.md", POLICY, workspace="old-name")
    offline.add_text("policy.md", POLICY, workspace="stays")
    page.goto("/#/workspaces/old-name")
    page.get_by_role("textbox", name=re.compile("^Name")).fill("new-name")
    page.get_by_role("button", name="Save names").click()
    expect(page).to_have_url(re.compile("#/workspaces/new-name$"))
    assert offline.http.get("/v1/workspaces/old-name").status_code == 404
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Type its name").fill("old-name")
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("nothing was deleted")).to_be_visible()
    assert offline.http.get("/v1/workspaces/new-name").is_success
    page.get_by_role("button", name="Delete").click()
    dialog.get_by_label("Type its name").fill("new-name")
    dialog.get_by_role("button", name="Delete").click()
    expect(page).to_have_url(re.compile("#/workspaces$"))
    expect(page.locator("main")).not_to_contain_text("new-name")
    dark = make_page(offline, scheme="dark")
    dark.goto("/#/workspaces")
    expect(dark.locator(".cards")).to_be_visible()
    screenshot(dark, "workspaces-dark-list")
    check_accessibility(dark)
