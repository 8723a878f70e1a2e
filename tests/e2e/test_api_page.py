"""The examples of the API page, run as they are."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.stack import Stack

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("stacks")]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_the_examples_of_the_page_run(offline: Stack) -> None:  # A3
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 7
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
