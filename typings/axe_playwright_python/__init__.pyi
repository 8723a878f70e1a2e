# See sync_playwright.pyi.
