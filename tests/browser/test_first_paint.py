"""The first page on a slow line: 150 ms of latency, 1.6 Mbit/s, nothing kept from before."""

import sys
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PageMaker
from tests.e2e.stack import Stack

LATENCY_MS, BYTES_PER_S = 150, 1_600_000 / 8
MOST_BYTES, MOST_MS = {"en-GB": 65_000, "ko-KR": 105_000}, 1_000
# Other work on the machine is no fault of the page: it is looked at again, a few times.
TRIES = 5


@pytest.mark.parametrize("locale", ["en-GB", "ko-KR"])
def test_it_is_painted_within_a_second_and_weighs_little(make_page: PageMaker, offline: Stack, locale: str) -> None:
    offline.add_text("policy.md", "A receipt is required for every return.", workspace="light")
    painted, ready, weight = _looked_at(make_page(offline, locale=locale))
    for _ in range(TRIES - 1):
        if painted > MOST_MS:
            painted, ready, weight = _looked_at(make_page(offline, locale=locale))
    told = f"first paint {painted:.0f} ms, the box to ask in {ready:.0f} ms, {weight / 1000:.0f} kB in all"
    sys.stderr.write(f"\n{locale}: {told}\n")
    assert weight <= MOST_BYTES[locale], told
    assert painted <= MOST_MS, told


def _looked_at(page: Page) -> tuple[float, float, int]:
    """Milliseconds until the first paint and until one can ask, and the bytes of everything that was loaded."""
    devtools: Any = page.context.new_cdp_session(page)
    sizes: list[int] = []

    def loaded(event: dict[str, Any]) -> None:
        sizes.append(event["encodedDataLength"])

    devtools.on("Network.loadingFinished", loaded)
    devtools.send("Network.enable")
    devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
    line = {"latency": LATENCY_MS, "downloadThroughput": BYTES_PER_S, "uploadThroughput": BYTES_PER_S}
    devtools.send("Network.emulateNetworkConditions", {"offline": False, **line})
    page.goto("/")
    expect(page.locator("#question")).to_be_visible()
    ready = page.evaluate("performance.now()")
    page.wait_for_load_state("networkidle")
    [paint] = page.evaluate("performance.getEntriesByName('first-contentful-paint').map((one) => one.startTime)")
    return paint, ready, sum(sizes)
