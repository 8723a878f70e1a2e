# The part of axe-playwright-python that tests.browser uses; the package ships no types.
from typing import Any

from playwright.sync_api import Page

class AxeResults:
    response: dict[str, Any]

class Axe:
    def run(
        self, page: Page, context: dict[str, Any] | None = None, options: dict[str, Any] | None = None
    ) -> AxeResults: ...
