"""Foreign pages in the same browser: they write and read nothing without a key, and frame nothing (A8)."""

from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import REBOUND, PageMaker
from tests.e2e.stack import Stack
from tests.simulators.running import serving

# Everything that a page can make a browser send; each tells what the page learned.
ATTACKS = """async (api) => {
  const form = () => {
    const fields = new FormData()
    fields.append("file", new Blob(["Refunds are free."]), "evil.md")
    return fields
  }
  const told = {}
  const attempt = async (name, path, options) => {
    try {
      const answer = await fetch(api + path, options)
      told[name] = answer.type === "opaque" ? "opaque" : `${answer.status}`
    } catch (error) { told[name] = "blocked" }
  }
  const post = (body, more) => ({method: "POST", body, mode: "no-cors", ...more})
  await attempt("form", "/v1/documents", post(form()))
  await attempt("form without referrer", "/v1/documents", post(form(), {referrerPolicy: "no-referrer"}))
  await attempt("text", "/v1/documents", post('{"filename": "evil.md", "text": "Evil."}'))
  await attempt("beacon", "/healthz", {})
  navigator.sendBeacon(api + "/v1/documents", form())
  const json = {"Content-Type": "application/json"}
  await attempt("json", "/v1/documents", {method: "POST", headers: json, body: '{"filename": "e.md", "text": "Evil."}'})
  await attempt("delete", "/v1/documents/0", {method: "DELETE"})
  await attempt("read", "/v1/documents", {})
  await attempt("read opaque", "/v1/documents", {mode: "no-cors"})
  await attempt("metrics", "/metrics", {})
  told.stream = await new Promise((resolve) => {
    const source = new EventSource(api + "/v1/queries/00000000-0000-0000-0000-000000000000/events")
    source.onopen = () => resolve("open")
    source.onerror = () => resolve("blocked")
  })
  return told
}"""
SCRIPT = """(api) => new Promise((resolve) => {
  const script = document.createElement("script")
  script.src = api + "/v1/documents"
  script.onload = () => resolve("loaded")
  script.onerror = () => resolve("blocked")
  document.head.append(script)
})"""
# A form needs no script of the page, and its answer is shown in a frame.
FORM = """(api) => new Promise((resolve) => {
  document.body.innerHTML = `<iframe name="hidden"></iframe><form method="post" enctype="multipart/form-data"
    target="hidden" action="${api}/v1/documents"><input type="file" name="file"></form>`
  const files = new DataTransfer()
  files.items.add(new File(["Refunds are free."], "evil.md"))
  document.querySelector("input").files = files.files
  document.querySelector("iframe").onload = resolve
  document.querySelector("form").submit()
})"""


class _Empty(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>A page of somebody else</title><body></body>")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def other_port() -> Generator[int]:
    """Another program on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Empty)
    with serving(server):
        yield server.server_port


@pytest.fixture
def strangers(browser: Browser) -> Generator[Page]:
    """A page in its own context. Its console reports what is refused, which is expected here."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def stored(stack: Stack) -> list[str]:
    documents = httpx.get(f"{stack.supervisor.url}/v1/documents").raise_for_status().json()["documents"]
    return sorted(document["id"] for document in documents)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", REBOUND])
def test_a_page_elsewhere_writes_and_reads_nothing(
    strangers: Page, offline: Stack, other_port: int, name: str
) -> None:  # F6
    before = stored(offline)
    port = urlsplit(offline.supervisor.url).port
    for api in (f"http://127.0.0.1:{port}", f"http://localhost:{port}"):
        strangers.goto(f"http://{name}:{other_port}/")
        told = strangers.evaluate(ATTACKS, api)
        assert set(told.values()) <= {"blocked", "opaque"}, told
        assert {told[way] for way in ("json", "delete", "read", "metrics", "stream")} == {"blocked"}
        assert strangers.evaluate(SCRIPT, api) == "blocked"
        strangers.evaluate(FORM, api)
    assert stored(offline) == before


def test_a_name_that_leads_here_writes_and_reads_nothing(strangers: Page, offline: Stack) -> None:  # F6
    before = stored(offline)
    own = f"http://{REBOUND}:{urlsplit(offline.supervisor.url).port}"
    strangers.goto(f"{own}/")  # what everybody may see: the page, without any document
    told = strangers.evaluate(ATTACKS, own)
    assert {told[way] for way in ("json", "delete", "read", "metrics", "form")} <= {"403", "opaque"}
    assert told["read"] == told["json"] == told["metrics"] == "403"
    assert stored(offline) == before


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/", "/v1/documents", "/openapi.json", "/nowhere"])
def test_nothing_can_be_framed(strangers: Page, offline: Stack, other_port: int, path: str) -> None:  # F7
    strangers.goto(f"http://localhost:{other_port}/")
    refused = strangers.evaluate(
        """(url) => new Promise((resolve) => {
          const frame = document.createElement("iframe")
          frame.src = url
          frame.onload = () => resolve(true)
          document.body.append(frame)
        })""",
        offline.supervisor.url + path,
    )
    assert refused
    (frame,) = strangers.frames[1:]
    assert frame.url in ("", "chrome-error://chromewebdata/")


def test_a_link_from_elsewhere_leads_to_the_page(strangers: Page, offline: Stack, other_port: int) -> None:
    strangers.goto(f"http://localhost:{other_port}/")
    strangers.evaluate("(url) => { location.href = url }", f"{offline.supervisor.url}/#/documents")
    strangers.wait_for_url("**/#/documents")
    with strangers.expect_response("**/v1/documents*") as listed:
        strangers.reload()
    assert listed.value.status == 200


def test_the_page_of_the_interface_works_under_its_policy(
    make_page: PageMaker, offline: Stack, allowed: list[str]
) -> None:  # F7
    # That nothing else breaks the policy is watched in every page: Redoc's logo alone would come from elsewhere, and
    # it searches in a worker that it makes itself.
    allowed.extend(["cdn.redoc.ly", f"request to blob:{offline.supervisor.url}/"])
    page = make_page(offline)
    page.goto("/docs")
    page.locator(".opblock", has_text="/healthz").locator("button").first.click(no_wait_after=True)
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    page.goto("/redoc")
    expect(page.get_by_role("heading", name="Citewell").first).to_be_visible()
