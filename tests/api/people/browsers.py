"""A person's browser: it keeps cookies, and says that Citewell's own page asks."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import httpx

from tests.api.people.provider import Provider

CLIENT = "citewell"
SHELF = "of-the-first"
"""The workspace that the rules are about; the makers of tests.api.test_foreign_ids fill it."""
RULES: list[dict[str, Any]] = [
    {"group": "readers", "role": "reader", "workspaces": [SHELF]},
    {"group": "contributors", "role": "contributor", "workspaces": [SHELF]},
    {"group": "owners", "role": "owner", "workspaces": [SHELF]},
    {"group": "elsewhere", "role": "owner", "workspaces": ["elsewhere"]},
    {"group": "admins", "role": "admin"},
    {"group": "others", "role": "admin", "tenant": "second"},
    {"group": "helpers", "role": "contributor"},
    {"group": "newcomers", "role": "none"},
]


@contextmanager
def browser(url: str) -> Generator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=30, headers={"Sec-Fetch-Site": "same-origin"}) as client:
        yield client


def sign_in(client: httpx.Client, provider: Provider, subject: str, *groups: str, place: str = "") -> httpx.Response:
    """The response that brings `subject`, who is in these groups, back to the page."""
    provider.knows(subject, groups=list(groups), email=f"{subject}@example.com", email_verified=True)
    return come_back(client, provider.answers(begin(client, place), subject))


def begin(client: httpx.Client, place: str = "") -> str:
    """The address at the provider that the browser is sent to."""
    sent = client.get("/auth/sign-in", params={"next": place} if place else None)
    assert sent.status_code == 303, sent.text
    return sent.headers["location"]


def come_back(client: httpx.Client, address: str) -> httpx.Response:
    # The provider's page sends the browser, so the request is from another site.
    return client.get(address, headers={"Sec-Fetch-Site": "cross-site"})
