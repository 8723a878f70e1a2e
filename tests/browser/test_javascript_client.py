"""The JavaScript client in a real browser, on a page of the server's own origin (N9)."""

from pathlib import Path

from playwright.sync_api import Page, Route

from tests.e2e.stack import Stack
from tests.javascript_journey import EXPECTED
from tests.node import CLIENT

BLANK = "<!doctype html><title>A page with the client</title><link rel=icon href=data:,>"
JOURNEY = """
async () => {
  const client = await import("/sdk/src/index.js");
  const { journey } = await import("/sdk/test/journey.js");
  return journey(client, undefined, "javascript-browser");
}
"""


def test_everything_works_in_a_browser(page: Page, offline: Stack, allowed: list[str]) -> None:  # N9
    def serve(route: Route) -> None:
        file = CLIENT / Path(route.request.url.partition("/sdk/")[2])
        route.fulfill(body=file.read_text(encoding="utf-8"), content_type="text/javascript")

    page.route("**/with-the-client", lambda route: route.fulfill(body=BLANK, content_type="text/html"))
    page.route("**/sdk/**", serve)
    # The journey asks for what is not there, and for what is refused.
    allowed += ["status of 404", "status of 422"]
    page.goto(f"{offline.supervisor.url}/with-the-client")
    assert page.evaluate(JOURNEY) == EXPECTED
