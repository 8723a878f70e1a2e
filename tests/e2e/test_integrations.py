"""Citewell used by other programs: RAG frameworks that verify their answers, MCP hosts, Open WebUI."""

import importlib.util
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from mcp import StdioServerParameters
from openai import OpenAI

from tests.e2e.stack import Stack
from tests.mcp.hosting import acting, by_http, call, listening, told

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DOCS = EXAMPLES.parent / "docs"
SOURCE = "All returns must be made within 30 days of the purchase date. A receipt is required for every return."
WRONG = "Returns must be made within 60 days [1]. A receipt is required [1]."
REQUEST = {"question": "How long?", "answer": WRONG, "sources": [{"text": SOURCE, "title": "policy.pdf, p.2"}]}


def library(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("CITEWELL_URL", stack.supervisor.url)
    return runpy.run_path(str(EXAMPLES / "rag_verification.py"))


class Answered(SimpleNamespace):
    """Like LlamaIndex's Response: its text is what `str` returns."""

    def __str__(self) -> str:
        return self.response


def llamaindex_response(text: str) -> Answered:
    """The result of CitationQueryEngine, as far as it is read."""
    metadata = {"file_name": "policy.pdf", "page_label": "2"}
    node = SimpleNamespace(metadata=metadata, get_content=lambda: text)
    return Answered(response=WRONG, source_nodes=[SimpleNamespace(node=node, score=0.9)])


@pytest.mark.parametrize("above", ["", "Source 1:\n"])
def test_a_response_of_llamaindex_is_verified(
    offline: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], above: str
) -> None:  # N9
    examples = library(offline, monkeypatch)
    request = examples["from_llamaindex"](llamaindex_response(above + SOURCE), "How long?")
    assert request == REQUEST
    examples["show"](examples["verify"](request))
    assert "contradicted  Returns must be made within 60 days." in capsys.readouterr().out


def test_an_answer_of_langchain_is_verified(offline: Stack, monkeypatch: pytest.MonkeyPatch) -> None:  # N9
    examples = library(offline, monkeypatch)
    document = SimpleNamespace(page_content=SOURCE, metadata={"source": "policy.pdf", "page": 2})
    request = examples["from_langchain"](WRONG, [document], "How long?")
    assert request == REQUEST
    found = examples["verify"](request)
    assert (
        found["repaired_answer"]
        == "All returns must be made within 30 days of the purchase date. [1] A receipt is required. [1]"
    )
    unnamed = SimpleNamespace(page_content=SOURCE, metadata={})
    assert examples["from_langchain"](WRONG, [unnamed], "?")["sources"] == [{"text": SOURCE, "title": "Source 1"}]


def test_what_cannot_be_verified_is_said_in_one_line(offline: Stack, monkeypatch: pytest.MonkeyPatch) -> None:  # N9
    verify = library(offline, monkeypatch)["verify"]
    with pytest.raises(SystemExit, match=r"Citewell refused: .*sources"):
        verify({**REQUEST, "sources": []})
    verify.__globals__["URL"] = "http://127.0.0.1:9"
    with pytest.raises(SystemExit, match="citewell up"):
        verify(REQUEST)


@pytest.mark.parametrize(("name", "package"), [("llamaindex", "llama_index"), ("langchain", "langchain_core")])
def test_the_script_runs_with_its_framework_or_says_what_to_install(offline: Stack, name: str, package: str) -> None:
    env = {**os.environ, "CITEWELL_URL": offline.supervisor.url}
    command = [sys.executable, str(EXAMPLES / f"verify_{name}.py")]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=120)
    if importlib.util.find_spec(package):
        assert "repaired: Returns must be made within 30 days" in ran.stdout, ran.stderr
    else:
        assert (ran.returncode, ran.stdout) == (1, "")
        assert "pip install " in ran.stderr.splitlines()[-1]


@pytest.mark.parametrize("file", ["claude_desktop_config.json", "vscode.json"])
def test_the_configurations_of_hosts_start_a_server(offline: Stack, file: str) -> None:  # N9
    servers = json.loads((EXAMPLES / "mcp" / file).read_text())
    entry = (servers.get("mcpServers") or servers["servers"])["citewell"]
    assert entry["env"].pop("CITEWELL_URL") == "http://127.0.0.1:8000"
    entry["env"].pop("CITEWELL_API_KEY", None)
    command = Path(sys.executable).parent / entry["command"]
    env = {**entry["env"], "CITEWELL_URL": offline.supervisor.url, "PYTHONPATH": str(EXAMPLES.parent)}
    server = StdioServerParameters(command=str(command), args=entry["args"], env=env)
    assert "documents" in told(call(server, "list_documents"))


def test_the_configuration_for_http_names_the_address_and_the_header(offline: Stack) -> None:  # N9
    entry = json.loads((EXAMPLES / "mcp" / "vscode-http.json").read_text())["servers"]["citewell"]
    assert entry["url"] == "http://127.0.0.1:8765/mcp"
    key = offline.http.post("/v1/keys", json={"name": "host", "scopes": ["read", "ask"]}).json()["key"]
    headers = {name: value.replace("${input:citewell-key}", key) for name, value in entry["headers"].items()}
    with listening(CITEWELL_URL=offline.supervisor.url) as url:
        assert len(acting(by_http(url, **headers), lambda client: client.list_tools()).tools) == 6
        assert "documents" in told(call(by_http(url, **headers), "list_documents"))


def test_the_example_of_the_page_about_mcp_runs(offline: Stack, tmp_path: Path) -> None:  # N9
    offline.add_text("policy.md", SOURCE, workspace="default")
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "mcp.md").read_text(), re.DOTALL)
    script = tmp_path / "asking.py"
    # This checkout, wherever the command was installed from.
    ours = code.replace('"CITEWELL_URL"', f'"PYTHONPATH": "{EXAMPLES.parent}", "CITEWELL_URL"')
    script.write_text(ours.replace("http://127.0.0.1:8000", offline.supervisor.url))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command, env = [sys.executable, str(script)], {**os.environ, "PATH": path}
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=120)
    # Other tests may have put documents there that say the same, and then theirs may be the ones that are cited.
    cited = r"^\d (?:refund-)?policy\.md accurate (?:All )?[Rr]eturns must be made within 30 days"
    assert re.search(cited, ran.stdout, re.MULTILINE), ran.stdout + ran.stderr


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_the_requests_of_the_page_about_integrations_run(offline: Stack) -> None:  # N9
    blocks = re.findall(r"^```sh\n(.*?)^```$", (DOCS / "integrations.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    command, env = ["/bin/bash", "-euxo", "pipefail"], {**os.environ, "CITEWELL": offline.supervisor.url}
    ran = subprocess.run(
        command, input="\n".join(blocks), env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_example_of_the_page_about_responses_runs(offline: Stack) -> None:  # N9, issue 44
    # Not in the workspace of the page, where other tests put documents that say the same.
    offline.add_text("policy.md", SOURCE, workspace="responses")
    page = (DOCS / "openai.md").read_text().partition("## Responses")[2]
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    code = code.replace("http://localhost:8000", offline.supervisor.url).replace('"default"', '"responses"')
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    answer, cited, after, is_ended = ran.stdout.splitlines()
    assert answer.startswith("All returns must be made within 30 days"), ran.stdout + ran.stderr
    assert cited.startswith("[1] policy.md ")
    assert "receipt is required" in after
    assert is_ended == "True"


def test_what_open_webui_calls(offline: Stack) -> None:  # N9
    offline.add_text("policy.md", SOURCE, workspace="webui")
    key = offline.http.post("/v1/keys", json={"name": "open-webui", "scopes": ["read", "ask"]}).json()["key"]
    with OpenAI(base_url=f"{offline.supervisor.url}/v1", api_key=key, timeout=60) as client:
        assert "webui" in [model.id for model in client.models.list()]
        create: Callable[..., Any] = client.chat.completions.create
        chunks = list(
            create(
                model="webui",
                stream=True,
                stream_options={"include_usage": True},
                messages=[
                    {"role": "system", "content": "User Context: answer briefly."},
                    {"role": "user", "content": "Hello"},
                    {"role": "assistant", "content": "I don't know based on the documents."},
                    {"role": "user", "content": [{"type": "text", "text": "Within how many days are returns made?"}]},
                ],
            )
        )
    content = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    # Each mark is a link to its place, which the chat page shows as one.
    assert content.startswith(
        f"All returns must be made within 30 days of the purchase date. [[1]]({offline.supervisor.url}/#/document/"
    )
    assert re.search(r"\n- \[\[1\]\]\(http\S+\) policy\.md", content)
    assert chunks[-1].usage.total_tokens >= 0
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"


def test_the_compose_file_of_open_webui_fits_ours() -> None:  # N9
    ours = yaml.safe_load((EXAMPLES.parent / "docker-compose.yml").read_text())["services"]
    webui = yaml.safe_load((EXAMPLES / "open-webui.yaml").read_text())["services"]["open-webui"]
    assert webui["environment"]["OPENAI_API_BASE_URL"] == "http://api:8000/v1"
    assert set(webui["depends_on"]) <= set(ours)
    assert "healthcheck" in ours["api"]
    assert all(port.startswith("127.0.0.1:") for port in webui["ports"])
