"""The packages of this repository, built as wheels and used alone: without the checkout and without each other."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("packages")]

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "citewell-verify": "packages/verify",
    "citewell-documents": "packages/documents",
    "citewell-client": "sdk/python",
    "citewell": ".",
}
OWN = {name.replace("-", "_") for name in PACKAGES} - {"citewell"}
"""The import names of the packages that are not the server's."""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    # A copy, because setuptools builds inside the source.
    folder, source = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("copy") / "source"
    unwanted = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__", "node_modules", "tests", "bench")
    shutil.copytree(ROOT, source, ignore=unwanted)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    sources = [str(source / path) for path in PACKAGES.values()]
    subprocess.run([*build, "--wheel-dir", str(folder), *sources], check=True, cwd=folder)
    return {path.name.split("-")[0].replace("_", "-"): path for path in folder.glob("*.whl")}


def names_in(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return {name.split("/")[0] for name in archive.namelist() if ".dist-info/" not in name}


def test_no_wheel_carries_a_package_of_another(wheels: dict[str, Path]) -> None:
    assert {name: names_in(wheels[name]) for name in PACKAGES if name != "citewell"} == {
        name: {name.replace("-", "_")} for name in PACKAGES if name != "citewell"
    }
    assert not names_in(wheels["citewell"]) & (OWN | {"benchmarks", "tests", "tools"})


def required(requirements: Iterator[str], extras: set[str]) -> Iterator[tuple[str, set[str]]]:
    for text in requirements:
        requirement = Requirement(text)
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in extras):
            yield requirement.name, requirement.extras


def closure(names: list[tuple[str, set[str]]]) -> dict[str, Distribution]:
    """The installed distributions that these need, by name, without those of this repository."""
    reached: dict[str, Distribution] = {}
    waiting = list(names)
    while waiting:
        name, extras = waiting.pop()
        if name not in PACKAGES and name not in reached:
            reached[name] = distribution(name)
            waiting += required(iter(reached[name].requires or ()), {"", *extras})
    return reached


def example(package: str) -> tuple[str, str]:
    """The first example of its README, and what it is said to print."""
    text = (ROOT / PACKAGES[package] / "README.md").read_text(encoding="utf-8")
    code, printed = re.findall(r"```(?:python)?\n(.*?)```", text, re.DOTALL)[:2]
    return code, printed


@pytest.mark.parametrize(
    ("package", "extras"), [("citewell-verify", set[str]()), ("citewell-documents", {"office", "pdf", "text", "web"})]
)
def test_the_first_example_of_a_readme_runs_with_the_wheel_alone(
    package: str, extras: set[str], wheels: dict[str, Path], tmp_path: Path
) -> None:
    # An environment of its own with nothing but what the wheels ask for, linked from where it is installed.
    used = [package, *(["citewell-verify"] if package == "citewell-documents" else [])]
    asked: list[tuple[str, set[str]]] = []
    for name in used:
        with ZipFile(wheels[name]) as archive:
            archive.extractall(tmp_path)
        metadata = next(tmp_path.glob(f"{name.replace('-', '_')}-*.dist-info")) / "METADATA"
        needs = re.findall(r"^Requires-Dist: (.*)$", metadata.read_text(encoding="utf-8"), re.MULTILINE)
        asked += required(iter(needs), {"", *(extras if name == package else ())})
    for needed in closure(asked).values():
        tops = {file.parts[0] for file in needed.files or () if file.parts[0] not in ("..", "__pycache__", "bin")}
        for top in tops:
            if not (tmp_path / top).exists():
                (tmp_path / top).symlink_to(Path(str(needed.locate_file(top))))
    code, printed = example(package)
    run = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n{code}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", run], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == printed.removeprefix("\n")
