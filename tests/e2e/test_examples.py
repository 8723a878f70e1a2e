"""The examples of README.md, docs/quickstart.md and docs/client.md run as printed and give what is printed (B6)."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from tests.e2e.stack import Stack

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CLIENT = (ROOT / "docs" / "client.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
QUICKSTART = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
# The code of an example, and what it prints, where the page says it.
EXAMPLE = re.compile(r"```python\n(.*?)```(?:\s+It prints\s+```text\n(.*?)```)?", re.DOTALL)
NEEDS_A_SERVER = [(code, printed) for code, printed in EXAMPLE.findall(CLIENT) if "@app.post" not in code]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A reader's folder: the files that README names."""
    corpus = ROOT / "api" / "dashboard" / "example"
    shutil.copy(corpus / "refund-policy.pdf", tmp_path / "report.pdf")
    (tmp_path / "notes").mkdir()
    shutil.copy(corpus / "nrvx-10q-2023-q3.md", tmp_path / "notes" / "filing.md")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    command = tmp_path / ".venv" / "bin" / "citewell"
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m citewell.cli.main "$@"\n')
    command.chmod(0o755)
    return tmp_path


def run(stack: Stack, where: Path, *command: str) -> str:
    """The output of a command in `where`; an example that fails fails the test."""
    env = {**os.environ, "CITEWELL_URL": stack.supervisor.url, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=where, env=env, capture_output=True, text=True, check=False, timeout=150)
    assert done.returncode == 0, f"{command[-1]}\n{done.stdout[-2000:]}\n{done.stderr}"
    return done.stdout


def test_the_examples_of_the_client_print_what_the_page_says(offline: Stack, tmp_path: Path) -> None:  # N9
    assert len(NEEDS_A_SERVER) >= 4
    assert len([printed for _, printed in NEEDS_A_SERVER if printed]) >= 2
    # A reader types one program; examples that go on from the first have its imports.
    imports = "\n".join(line for line in NEEDS_A_SERVER[0][0].splitlines() if line.startswith(("from", "import")))
    for code, printed in NEEDS_A_SERVER:
        here = code.replace("http://127.0.0.1:8000", offline.supervisor.url)
        told = run(offline, tmp_path, sys.executable, "-c", f"{imports}\n{here}")
        if printed:
            assert told == printed


def blocks(page: str) -> list[str]:
    """What a page says to type where something is running."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    typed = [block for language, block in found if not language]
    return [block for block in typed if re.search(r"^(?:curl|\.venv/bin/citewell)", block, re.MULTILINE)]


def scripted(block: str, url: str, query_id: str) -> str:
    """The block as a script: against `url`, with the id that a reader copies, without commands for another terminal."""
    lines = [line for line in block.splitlines() if not line.startswith("make ")]
    return "\n".join(lines).replace("localhost:8000", url.removeprefix("http://")).replace("<id>", query_id)


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
@pytest.mark.parametrize("page", [README, QUICKSTART], ids=["README", "quickstart"])
def test_the_commands_of_a_page_run(offline: Stack, desk: Path, page: str) -> None:  # A3, N2
    assert len(blocks(page)) >= 3
    offline.add_text("a.md", "The revenue was 412 million dollars in 2023.", workspace="readme")
    query_id = offline.submit("What was the revenue in 2023?", workspace="readme")
    for block in blocks(page):
        script = scripted(block.replace("curl -s", "curl -f -s"), offline.supervisor.url, query_id)
        run(offline, desk, "/bin/bash", "-euo", "pipefail", "-c", script)


def test_the_verification_of_the_readme_gives_what_is_printed(offline: Stack) -> None:  # N2
    example = re.compile(r"/v1/verifications\?wait=30'.*?-d '(.*?)'\n```.*?```json\n(.*?)```", re.DOTALL)
    ((asked, printed),) = example.findall(README)
    sent = offline.http.post("/v1/verifications", params={"wait": 30}, json=json.loads(asked))
    assert_contains(sent.raise_for_status().json(), json.loads(printed))


def assert_contains(found: Any, wanted: Any) -> None:
    """`found` has everything in `wanted`; objects may have more fields."""
    if isinstance(wanted, dict):
        for name, value in cast("dict[str, Any]", wanted).items():
            assert_contains(found[name], value)
    elif isinstance(wanted, list):
        for one, other in zip(found, cast("list[Any]", wanted), strict=True):
            assert_contains(one, other)
    else:
        assert found == wanted
