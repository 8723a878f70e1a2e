"""The page in Korean tells what the API says in Korean, too: reasons of verdicts, repairs and refusals, and errors."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Screenshot
from tests.e2e.stack import Stack

POLICY = "모든 반품은 구매일로부터 30일 이내에 해야 합니다. 모든 반품에는 영수증이 필요합니다."
READ = """async (text) => {
  const base = document.querySelector('script[type=module]').src;
  const { reader } = await import(new URL("messages.js", base));
  const table = await (await fetch(new URL("../messages.ko.json", base))).json();
  return reader(table)(text);
}"""


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("no such source", "그런 출처가 없습니다"),
        ("uncertain: the source does not have “a; b”, “c”", "불확실: 출처에 없는 말: “a; b”, “c”"),
        (
            "the statement says “60”, the source says “30”; the source does not have “gold”",
            "문장에는 “60”, 출처에는 “30”(이)라고 되어 있습니다; 출처에 “gold”이(가) 없습니다",
        ),
        (
            "the source has none of these words (but no words of the source were found that say so)",
            "이 낱말들이 출처에 하나도 없습니다(다만 출처에서 그렇게 말하는 부분을 찾지 못했습니다)",
        ),
        (
            "no such source; it could not be repaired: the time for repairs ran out",
            "그런 출처가 없습니다; 고치지 못했습니다: 고칠 시간이 부족했습니다",
        ),
        (
            "More than 20 documents wait to be read. Nothing was stored; try again in 3 seconds.",
            "읽기를 기다리는 문서가 20개를 넘습니다. 저장한 것은 없습니다. 3초 후 다시 시도하세요.",
        ),
        (
            "Only 1 relevant passage found; mode high asks for 3.",
            "관련 구절을 1개만 찾았습니다; high 모드에는 3개가 필요합니다.",
        ),
        ("What a model wrote by itself: it fits (x) nothing.", "What a model wrote by itself: it fits (x) nothing."),
    ],
)
def test_reasons_that_were_put_together_are_read_in_their_parts(korean: Page, said: str, told: str) -> None:  # S5.3
    korean.goto("/#/keys")
    expect(korean.locator("h1")).to_be_visible()
    assert korean.evaluate(READ, said) == told


@pytest.fixture
def verified(offline: Stack) -> dict[str, Any]:
    """An answer with a wrong number, a source that is not there, and something found nowhere."""
    wrong, absent = "모든 반품은 구매일로부터 60일 이내에 해야 합니다 [1].", "회사는 1998년에 설립되었습니다 [2]."
    answer = f"{wrong} {absent} 환불은 금으로 합니다 [1]."
    sent = {"answer": answer, "sources": [{"text": POLICY, "title": "정책.md"}], "show_claims": True}
    return offline.http.post("/v1/verifications?wait=60", json=sent).raise_for_status().json()


def test_every_reason_of_a_verification_is_korean(
    korean: Page, verified: dict[str, Any], screenshot: Screenshot
) -> None:  # S5.3, S5.7
    reasons = [one["reason"] for one in verified["sentences"]] + [one["explanation"] for one in verified["citations"]]
    assert any(re.search("[a-z]{4}", reason) for reason in reasons)
    korean.goto(f"/#/verification/{verified['id']}")
    expect(korean.locator(".sentence")).to_have_count(3)
    for mark in korean.locator(".verdict-mark").all():
        mark.click()
        card = korean.locator(".floating")
        expect(card).to_be_visible()
        assert re.search("[A-Za-z]{4,}", card.inner_text()) is None, card.inner_text()
        korean.keyboard.press("Escape")
    for details in korean.locator("main details").all():
        details.evaluate("one => { one.open = true; }")
    screenshot(korean, "verification-korean")
    words = set(re.findall("[A-Za-z]{4,}", korean.locator("main").inner_text()))
    assert words == set(), words


def test_an_error_is_told_in_korean(korean: Page, allowed: list[str]) -> None:  # S5.3
    allowed.append("status of 422")
    korean.goto("/#/workspaces")
    korean.get_by_role("textbox", name="이름 프로그램").fill("두 낱말?")
    korean.get_by_role("button", name="만들기").click()
    told = korean.get_by_role("alert")
    expect(told).to_contain_text("작업 공간 이름으로 쓸 수 없습니다")
    expect(told).to_contain_text("글자나 숫자로 시작하세요")
