"""The Python client as a package of its own: built, and installed where there is nothing of Citewell (N9)."""

import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from tests.e2e.stack import Stack

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import asyncio, sys
from importlib.util import find_spec
from pathlib import Path
from citewell_client import AsyncCitewellClient, CitewellClient, NotFound

strange = [name for name in ("citewell", "domain", "clients", "api", "aiohttp", "pydantic") if find_spec(name)]
print("here:", *strange)
url, file = sys.argv[1:]
question = "How long do customers have to return a product?"
with CitewellClient(url) as client:
    print(client.upload(Path(file), workspace="alone", wait=True)["status"])
    stream = client.stream(question, workspace="alone")
    print(*(sentence["text"] for sentence in stream), stream.query["status"])
    conversation = client.conversations.create("alone")
    query = client.conversations.ask(conversation["id"], question)
    print(query["citations"][0]["text_span"])
    found = client.verify("Products may be returned within 60 days [1].", [{"text": Path(file).read_text()}])
    print(found["sentences"][0]["status"])
    print(client.feedback.give(query["id"], rating="up")["rating"], client.share(query["id"])["url"].startswith(url))
    try:
        client.workspaces.get("nowhere")
    except NotFound as error:
        print(error.code)

async def main():
    async with AsyncCitewellClient(url) as client:
        print((await client.ask(question, workspace="alone"))["status"])

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client's wheel, built from a copy of its folder alone."""
    folder = tmp_path_factory.mktemp("client")
    shutil.copytree(ROOT / "sdk" / "python", folder / "source")
    offline = ("--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", *offline, "--wheel-dir", folder, folder / "source"]
    subprocess.run(build, check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture
def elsewhere(wheel: Path, tmp_path: Path) -> Path:
    """The interpreter of an environment with the wheel and what it needs, in the versions of the lock."""
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet", wheel]
    subprocess.run(install, check=True)
    (packages,) = (tmp_path / "venv" / "lib").glob("python3*/site-packages")
    for name in needed("httpx"):
        for file in distribution(name).files or ():
            if ".." not in file.parts:
                target = packages / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), target)
    return python


def needed(name: str) -> Iterator[str]:
    """A package that is installed here, and what it asks for."""
    yield name
    for each in map(Requirement, distribution(name).requires or ()):
        if each.marker is None or each.marker.evaluate({"extra": ""}):
            yield from needed(each.name)


def test_its_only_dependency_is_httpx(wheel: Path) -> None:  # N9
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        told = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    assert [line for line in told.splitlines() if line.startswith("Requires-Dist")] == ["Requires-Dist: httpx>=0.28"]
    assert "citewell_client/py.typed" in names


def test_it_works_where_nothing_of_citewell_is_installed(  # N9
    offline: Stack, elsewhere: Path, tmp_path: Path
) -> None:
    file = tmp_path / "policy.md"
    file.write_text("Customers may return a product within 30 days of the purchase date.\n")
    ran = subprocess.run(
        [elsewhere, "-I", "-W", "error", "-c", PROGRAM, offline.supervisor.url, file],
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert ran.stdout.splitlines() == [
        "here:",
        "ready",
        "Customers may return a product within 30 days of the purchase date. succeeded",
        "Customers may return a product within 30 days of the purchase date.",
        "partial",
        "up True",
        "workspace_not_found",
        "succeeded",
    ]
