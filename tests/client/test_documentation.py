"""docs/client.md: its webhook receiver and its table; tests/e2e/test_examples.py runs what needs a server."""

import json
import re
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from citewell_client import AsyncCitewellClient, CitewellClient
from clients.webhooks.signing import new_secret, signature_headers
from tests.serving import serving

PAGE = Path(__file__).parents[2].joinpath("docs", "client.md").read_text()
RECEIVE = next(code for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "@app.post" in code)
BODY = json.dumps({"type": "query.succeeded"}).encode()


def run(code: str, **names: Any) -> dict[str, Any]:
    exec(compile(code, "docs/client.md", "exec"), names)  # noqa: S102 - it is our own page
    return names


# N9
def test_the_receiver_takes_genuine_messages_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = new_secret()
    monkeypatch.setenv("CITEWELL_WEBHOOK_SECRET", secret)
    with serving(run(RECEIVE)["app"]) as url:
        for signing, status in ((secret, 204), (new_secret(), 400)):
            signed = signature_headers("msg_1", int(time.time()), BODY, [signing])
            response = httpx.post(f"{url}/hooks/citewell", content=BODY, headers=signed, trust_env=False)
            assert response.status_code == status
    assert capsys.readouterr().out == "query.succeeded msg_1\n"


# N9
def test_every_method_is_on_the_page_and_in_both_halves() -> None:
    for half in (CitewellClient, AsyncCitewellClient):
        public = {name for name in dir(half) if not name.startswith("_")}
        named = public - {"arguments", "reaching", "send", "until_final", "close", "from_environment"}
        assert {name for name in named if f"`{name}`" not in PAGE} == set()
