"""Finds the browser for the tests of the page; as a program, installs one if there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Without fonts for Korean, screenshots show boxes.
_DEBIAN = ("chromium", "fonts-noto-cjk")
MISSING = (
    "There is no Chromium. `make test-browser` installs one where it can; otherwise install Chromium or Chrome "
    "yourself and set CITEWELL_CHROMIUM to its path."
)


def find_chromium() -> str | None:
    """The path of an installed Chromium or Chrome: the one named by CITEWELL_CHROMIUM, or the first one found."""
    named = os.environ.get("CITEWELL_CHROMIUM")
    if named:
        return named
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    return found or _playwrights_own()


def _playwrights_own() -> str | None:
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _commands() -> list[list[str]]:
    apt = shutil.which("apt-get")
    if apt and os.geteuid() == 0:
        return [[apt, "update", "-q"], [apt, "install", "-q", "-y", "--no-install-recommends", *_DEBIAN]]
    return [[sys.executable, "-m", "playwright", "install", "chromium"]]


def main() -> int:
    """Install a Chromium unless there is one."""
    if find_chromium() is None:
        for command in _commands():
            subprocess.run(command, check=False)
    found = find_chromium()
    sys.stderr.write(f"Browser: {found}\n" if found else f"{MISSING}\n")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
