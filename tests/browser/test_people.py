"""The pages of people who sign in, in front of the API alone: their access and keys, members, answers to review."""

import re
import uuid

import pytest
from playwright.sync_api import Browser, Page, expect

from db.models import QueryStatus
from db.queries.runs.queries import get_query
from db.queries.verifications.feedback import add_feedback
from db.session import transaction
from tests.api.people.browsers import SHELF, sign_in
from tests.api.people.browsers import browser as person
from tests.api.people.conftest import one_provider as one_provider
from tests.api.people.conftest import provider as provider
from tests.api.people.provider import Provider
from tests.browser.conftest import AccessibilityCheck, Watch
from tests.serving import api_url as api_url
from tests.stored import ANSWER, store_answered_query

NARROW, WIDE = (390, 844), (1440, 900)


@pytest.mark.parametrize(("size", "scheme", "locale"), [(WIDE, "light", "en-GB"), (NARROW, "dark", "ko-KR")])
def test_people_see_their_access_give_roles_and_review_answers(
    browser: Browser,
    watch: Watch,
    provider: Provider,
    api_url: str,
    check_accessibility: AccessibilityCheck,
    size: tuple[int, int],
    scheme: str,
    locale: str,
) -> None:  # 41, 43, 44
    with transaction() as session:
        query = store_answered_query(session, workspace=SHELF)
        held = get_query(session, uuid.UUID(str(query.id)))
        held.status, held.review = QueryStatus.HELD, "held"
        session.flush()
        add_feedback(session, query.id, place="answer", excerpt=ANSWER, reasons=["confidence", "conflicts"])
    with person(api_url) as reader, person(api_url) as admin:
        sign_in(reader, provider, "grace", "readers")
        sign_in(admin, provider, "ada", "admins")
        cookies = [{"name": name, "value": value, "url": api_url} for name, value in admin.cookies.items()]
    width, height = size
    context = browser.new_context(
        base_url=api_url,
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        locale=locale,
        reduced_motion="reduce",
    )
    context.add_cookies(cookies)  # pyright: ignore[reportArgumentType]
    page = context.new_page()
    watch.over(page, api_url)
    try:
        _looks_at_all(page, check_accessibility, wide=size == WIDE)
    finally:
        context.close()


def _looks_at_all(page: Page, check_accessibility: AccessibilityCheck, *, wide: bool) -> None:
    page.goto("/#/account")
    expect(page.locator("h1")).to_have_text("Ada")
    page.locator("form input[required]").fill("notebook")
    page.locator("form .primary").click()
    expect(page.get_by_role("dialog").locator("input")).to_have_value(re.compile("^cw_"))
    page.keyboard.press("Escape")
    key = page.get_by_role("row").filter(has_text="notebook")
    expect(key).to_contain_text("read, ask" if wide else "읽기, 질문")
    check_accessibility(page)
    page.goto("/#/members")
    page.locator("form .primary").click()
    given = page.get_by_role("row").filter(has_text="an owner" if wide else "소유자")
    expect(given).to_have_count(1)
    assert given.get_by_role("button").evaluate("button => button.getClientRects().length") == 1
    check_accessibility(page)
    page.goto("/#/feedback")
    page.locator(".reviews summary").click()
    answer = page.locator(".reviews .answer")
    expect(answer).to_contain_text("30 days")
    # The answer beside its sources where both have room, never a word per line.
    assert answer.evaluate("element => element.clientWidth") > 250
    expect(page.locator("#threads")).to_contain_text("‖")
    check_accessibility(page)
