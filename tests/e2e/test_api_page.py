"""The examples of the pages about the API, run as they are."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.stack import Stack

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
@pytest.mark.parametrize(("page", "fewest"), [("api.md", 7), ("conversations.md", 1)])
def test_the_examples_of_the_page_run(offline: Stack, page: str, fewest: int) -> None:  # A3, N9
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= fewest
    ran = subprocess.run(
        ["/bin/bash", "-euxo", "pipefail"],
        input="\n".join(blocks),
        env={**os.environ, "CITEWELL": offline.supervisor.url},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
