"""The page at / in a real browser, in front of whole stacks. Run by `make test-browser`, not by plain `pytest`.

`page`, `dark`, `phone` and `korean` show the page of the stack without a key, `groq_page` that of the stack with the
simulated provider. What a page must never do is watched in every test: see `Watch`.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Dialog, Page, Request, expect, sync_playwright

from tests.browser.chromium import MISSING, find_chromium
from tests.e2e.conftest import groq as groq
from tests.e2e.conftest import groq_stack as groq_stack
from tests.e2e.conftest import offline as offline
from tests.e2e.conftest import provider as provider
from tests.e2e.stack import Stack

# A foreign name that resolves to this machine, as an attacker's can.
REBOUND = "evil.example"
SCREENSHOTS = Path("build/screenshots")
DESK, PHONE = (1200, 900), (360, 740)
# Answers are worked out by a stack that shares the machine with the browser.
WAIT_MS = 30_000
expect.set_options(timeout=WAIT_MS)

# Without fetching style sheets and pictures again, which it looks for in the wrong place.
_AXE: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}

PageMaker = Callable[..., Page]
Screenshot = Callable[[Page, str], Path]
AccessibilityCheck = Callable[[Page], None]


@dataclass
class Watch:
    """Faults in the pages of a test: errors, violations of the CSP (from the console), dialogs, foreign hosts.
    `allowed` has parts of messages that a test causes on purpose."""

    faults: list[str] = field(default_factory=list[str])
    allowed: list[str] = field(default_factory=list[str])

    def over(self, page: Page, origin: str) -> None:
        """Listen to `page`, which may send requests only to `origin`."""
        page.on("console", lambda line: self._hear(line.text) if line.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: self._hear(str(error)))
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self._requested(request, origin))

    def _hear(self, text: str) -> None:
        self.faults.append(text)

    def _dialog(self, dialog: Dialog) -> None:
        self._hear(f"dialog {dialog.message}")
        dialog.dismiss()

    def _requested(self, request: Request, origin: str) -> None:
        parts = urlsplit(request.url)
        if f"{parts.scheme}://{parts.netloc}" != origin:
            self._hear(f"request to {request.url}")

    def unexpected(self) -> list[str]:
        """The faults that were not allowed."""
        return [fault for fault in self.faults if not any(part in fault for part in self.allowed)]


@pytest.fixture(scope="session")
def browser() -> Generator[Browser]:
    """One Chromium for all tests."""
    path = find_chromium()
    if path is None:
        pytest.fail(MISSING)
    with sync_playwright() as playwright:
        # Without its sandbox, which root may not use; it only ever shows this machine's own pages.
        arguments = ["--no-sandbox", f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1"]
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def watch() -> Generator[Watch]:
    """Fails the test at its end if anything went wrong in one of its pages."""
    watch = Watch()
    yield watch
    assert watch.unexpected() == []


@pytest.fixture
def allowed(watch: Watch) -> list[str]:
    """Append parts of console messages that the test causes on purpose ("status of 404")."""
    return watch.allowed


@pytest.fixture
def make_page(browser: Browser, watch: Watch) -> Generator[PageMaker]:
    """`make_page(stack, size=, scheme=, locale=)`: a new page of a new user, with nothing stored."""
    contexts: list[Any] = []

    def make(
        stack: Stack,
        *,
        size: tuple[int, int] = DESK,
        scheme: Literal["light", "dark"] = "light",
        locale: str = "en-GB",
    ) -> Page:
        width, height = size
        context = browser.new_context(
            base_url=stack.supervisor.url,
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            locale=locale,
            reduced_motion="reduce",
            has_touch=size == PHONE,
        )
        contexts.append(context)
        context.set_default_timeout(WAIT_MS)
        page = context.new_page()
        watch.over(page, stack.supervisor.url)
        return page

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(make_page: PageMaker, offline: Stack) -> Page:
    """A desktop page, light, English; `page.goto("/#/documents")`."""
    return make_page(offline)


@pytest.fixture
def dark(make_page: PageMaker, offline: Stack) -> Page:
    """The same in dark mode."""
    return make_page(offline, scheme="dark")


@pytest.fixture
def phone(make_page: PageMaker, offline: Stack) -> Page:
    """A narrow phone with touch."""
    return make_page(offline, size=PHONE)


@pytest.fixture
def korean(make_page: PageMaker, offline: Stack) -> Page:
    """A desktop page in Korean."""
    return make_page(offline, locale="ko-KR")


@pytest.fixture
def groq_page(make_page: PageMaker, groq: Stack) -> Page:
    """A desktop page of the stack with the simulated provider; plan its faults with `provider`."""
    return make_page(groq)


@pytest.fixture
def screenshot() -> Screenshot:
    """`screenshot(page, "history-dark")` into build/screenshots: the full length of the page."""

    def take(page: Page, name: str) -> Path:
        path = SCREENSHOTS / f"{name}.png"
        page.screenshot(path=path, full_page=True)
        return path

    return take


@pytest.fixture
def check_accessibility() -> AccessibilityCheck:
    """`check_accessibility(page)`: axe finds no fault of any weight, and nothing scrolls sideways."""
    axe = Axe()

    def check(page: Page) -> None:
        found: list[dict[str, Any]] = axe.run(page, options=_AXE).response["violations"]
        told = [
            f"{fault['id']}: {fault['help']}: {node['target']} {node['html'][:160]}"
            for fault in found
            for node in fault["nodes"]
        ]
        assert told == []
        room = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert room[0] <= room[1], f"The page is {room[0]} px wide and scrolls sideways on {room[1]} px."

    return check
