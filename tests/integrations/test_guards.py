"""The guard in LiteLLM's proxy, NeMo Guardrails and Guardrails AI: their packages against a live server (issue 44)."""

import os
import secrets
import socket
import subprocess
from collections.abc import Generator
from typing import Any

import httpx
import pytest
from openai import BadRequestError, OpenAI

from tests.e2e.stack import Stack
from tests.e2e.test_guard import RIGHT, WRONG, content, messages
from tests.integrations.programs import BIN, EXAMPLES, MARKS, PATIENCE_S, run_python
from tests.waiting import until

pytestmark = MARKS


@pytest.fixture(scope="module")
def gateway(live: Stack) -> Generator[OpenAI]:
    """LiteLLM's proxy with the configuration of examples/, before the simulated model."""
    assert live.writer
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    key = f"sk-{secrets.token_hex(16)}"
    environment = {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "HOME": os.environ["HOME"],
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MASTER_KEY": key,
        "WRITER_URL": f"{live.writer.origin}/v1",
        "WRITER_KEY": "none",
        "CITEWELL_GUARD_URL": f"{live.supervisor.url}/v1/guard",
        "CITEWELL_API_KEY": "none",
    }
    command = [str(BIN / "litellm"), "--config", str(EXAMPLES / "guard_litellm.yaml"), "--host", "127.0.0.1"]
    with subprocess.Popen([*command, "--port", str(port)], env=environment) as process:
        try:
            until(lambda: is_alive(port), PATIENCE_S)
            yield OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key=key, timeout=60, max_retries=0)
        finally:
            process.terminate()


def is_alive(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health/liveliness").is_success
    except httpx.TransportError:
        return False


def test_litellm_lets_only_verified_text_through(gateway: OpenAI) -> None:  # issue 44
    create: Any = gateway.chat.completions.create
    asked = {"model": "writer", "messages": messages(), "extra_body": {"say": WRONG}}
    assert create(**asked).choices[0].message.content.strip() == RIGHT
    assert content(list(create(**asked, stream=True))).strip() == RIGHT
    with pytest.raises(BadRequestError, match="no tool results"):
        create(**{**asked, "messages": messages()[:1]})


def test_nemo_guardrails_lets_only_verified_text_through(live: Stack) -> None:  # issue 44
    printed = run_python("guard_nemo.py", CITEWELL_URL=live.supervisor.url)
    assert "let out:  A receipt is required." in printed


def test_guardrails_ai_lets_only_verified_text_through(live: Stack) -> None:  # issue 44
    printed = run_python("guard_guardrails_ai.py", CITEWELL_URL=live.supervisor.url, OTEL_SDK_DISABLED="true")
    assert "let out:  A receipt is required." in printed
