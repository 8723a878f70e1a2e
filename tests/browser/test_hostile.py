"""Hostile texts wherever others can write: shown as text everywhere, nothing runs, nothing moves."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, PageMaker, Screenshot
from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator

MARKUP = (
    '<script>window.hacked=1</script><img src=x onerror="window.hacked=2"><svg onload=window.hacked=3>'
    "<iframe srcdoc='<script>parent.hacked=4</script>'></iframe><a href=\"javascript:window.hacked=5\">click</a>"
    "<style>*{display:none}</style>{{7*7}} ${window.hacked=6} <%= 7*7 %> [link](javascript:window.hacked=7) &lt;b&gt;"
)
TURNED = "\u202egnp.exe\u2066\u200b\u200d\ufeff\u202a"  # right to left, isolates, embeddings, without width
LONG = "W" * 10_000
NAME = f"{TURNED}<img src=x onerror=window.hacked=8>"
WORKSPACE = "hostile"  # a name itself has letters and digits alone
TEXT = f"Refunds are paid within 14 days {MARKUP} {TURNED}. {LONG} is required for every refund."
QUESTION = f"Within how many days are refunds paid? {MARKUP} {TURNED} {'Q' * 300}"
ANSWER = f"Refunds are paid within 14 days {MARKUP} {TURNED} [†1]. They are paid in gold by {LONG[:2000]} [†1]. "
# The text of an inline element may reorder its neighbours, unless it or its block is isolated.
NOT_ISOLATED = """mark => {
  const found = [];
  const safe = "[dir=auto], bdi, select, textarea, .sr-only";
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.includes(mark) || node.parentElement.closest(safe)) continue;
    const element = node.parentElement;
    const alone = element.textContent.trim() === node.data.trim();
    if (getComputedStyle(element).unicodeBidi === "normal" || !alone) found.push(element.outerHTML.slice(0, 120));
  }
  return found;
}"""


@pytest.fixture
def hostile(groq: Stack, provider: GroqSimulator) -> dict[str, str]:
    """The ids of stored items, each with hostile texts wherever possible."""
    metadata = {"title": MARKUP, f"<b>{TURNED}": LONG[:3000]}
    wishes = {"tone": MARKUP[:300], "refusal": MARKUP[:300], "glossary": {NAME: MARKUP[:300]}}
    document = groq.until_ready(groq.send_file(f"{NAME}.md", TEXT.encode(), workspace=WORKSPACE, metadata=metadata))
    settings = {"title": NAME, "settings": {"instructions": wishes}}
    groq.http.patch(f"/v1/workspaces/{WORKSPACE}", json=settings).raise_for_status()
    provider.fail(Fault(kind=FaultKind.SAYING, match="\ngenerate_answer\n", quote=ANSWER, times=None))
    provider.go_on()
    options = {"max_crag_attempts": 0, "show_claims": True}
    query = groq.ask(QUESTION, workspace=WORKSPACE, verification=options)["id"]
    given: dict[str, Any] = {
        "question": QUESTION,
        "answer": ANSWER.replace("†", ""),
        "custom_id": NAME,
        "sources": [{"text": TEXT, "title": NAME, "url": "javascript:window.hacked=9", "metadata": {"title": MARKUP}}],
    }
    verification = _sent(groq, "/v1/verifications?wait=60", given)
    _sent(groq, "/v1/keys", {"name": NAME, "scopes": ["read"]})
    said = {"rating": "down", "reason": MARKUP, "corrected_answer": LONG, "author": NAME}
    _sent(groq, f"/v1/queries/{query}/feedback", said)
    _sent(groq, f"/v1/queries/{query}/feedback", {"sentence": 0, "verdict": "unsupported", "reason": TURNED + MARKUP})
    return {"document": document, "query": query, "verification": verification}


def _sent(stack: Stack, path: str, body: dict[str, Any]) -> str:
    answer = stack.http.post(path, json=body)
    if answer.status_code == 422 and "url" in str(answer.json()):
        body["sources"][0]["url"] = "https://example.com/?" + MARKUP
        answer = stack.http.post(path, json=body)
    assert answer.is_success, answer.text
    return answer.json()["id"]


def test_nothing_hostile_runs_or_moves_anything(
    make_page: PageMaker, groq: Stack, hostile: dict[str, str], screenshot: Screenshot
) -> None:  # S5.7, A8
    desk, phone = make_page(groq), make_page(groq, size=PHONE)
    faults: list[str] = []
    pages = [f"{name}/{ident}" for name, ident in hostile.items()]
    lists = ("ask", "documents", "verify", "history", "history?kind=verification", "quality", "keys", "feedback")
    for name in [*pages, *lists, "workspaces", f"workspaces/{WORKSPACE}"]:
        for page in (desk, phone):
            page.goto(f"/#/{name}")
            expect(page.locator("h1").first).to_be_visible()
            page.wait_for_load_state("networkidle")
            _open_everything(page)
            faults += _faults(page, name)
        screenshot(phone, f"hostile-{name.partition('?')[0].partition('/')[0]}")
    assert faults == []


def _open_everything(page: Page) -> None:
    page.evaluate("() => { for (const one of document.querySelectorAll('main details')) one.open = true; }")
    for citation in page.locator("main .citation").all()[:1]:
        citation.click()
        expect(page.locator(".floating")).to_be_visible()


def _faults(page: Page, name: str) -> list[str]:
    found = [page.evaluate("window.hacked && `something ran: ${window.hacked}`")]
    made = (
        "main :is(script, iframe, object, embed, style, link, base, img, form[action], [onerror], [onload], [srcdoc])"
    )
    found += page.locator(made).evaluate_all("all => all.map(one => `markup: ${one.outerHTML.slice(0, 200)}`)")
    links: list[str] = page.locator("main a").evaluate_all("all => all.map(one => one.href)")
    found += [f"leads to {link}" for link in links if not link.startswith("http")]
    room = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    found += [f"{room[0]} px wide on {room[1]} px"] if room[0] > room[1] else []
    found += [f"turns its surroundings: {told}" for told in page.evaluate(NOT_ISOLATED, "\u202e")]
    return [f"{name}: {fault}" for fault in found if fault]


def test_hostile_text_is_there_to_be_read(make_page: PageMaker, groq: Stack, hostile: dict[str, str]) -> None:  # A8
    page = make_page(groq)
    page.goto(f"/#/thread/{hostile['query']}")
    expect(page.locator(".turn h2")).to_contain_text("<script>window.hacked=1</script>")
    page.goto(f"/#/document/{hostile['document']}")
    expect(page.locator("main")).to_contain_text('<img src=x onerror="window.hacked=2">')
    page.goto("/#/documents")
    expect(page.locator("main")).to_contain_text("<img src=x onerror=window.hacked=8>")
