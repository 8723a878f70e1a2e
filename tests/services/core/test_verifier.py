"""The modules that make the version of a verifier (N8): declared once, and compared here with the judges' imports."""

import ast
import shutil
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import pytest

import citewell
from clients.llm.gateway import ModelGateway
from clients.llm.offline.model import OfflineModel
from config.models import ModelSettings
from config.settings import Settings
from services.core import verifier
from services.core.verifier import DECIDE_NOTHING, JUDGES, OFFLINE_JUDGES, verifier_version

ROOT = Path(citewell.__file__).parents[1]

CARRY_ONLY = ("services.verification.streamed_results", "services.core.context")
"""Modules that bring the judges their input without affecting verdicts."""


def _is_within(module: str, packages: Iterable[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _file(module: str) -> Path:
    path = ROOT / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _below(package: str) -> set[str]:
    folder = ROOT / package.replace(".", "/")
    names = (path.relative_to(ROOT).with_suffix("").as_posix() for path in folder.rglob("*.py"))
    return {name.removesuffix("/__init__").replace("/", ".") for name in names} or {package}


def _imports(module: str) -> set[str]:
    """The modules of the program that this one imports, including those behind names of a package."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(_file(module).read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return {name for name in found if _file(name).is_file()}


def _reached(modules: Iterable[str], within: Iterable[str]) -> set[str]:
    """These modules with everything they import, except through modules that only carry input."""
    reached: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in reached and _is_within(module, within) and module not in CARRY_ONLY:
            reached.add(module)
            waiting.extend(_imports(module))
    return reached


def test_every_module_that_a_judge_imports_counts() -> None:  # N8
    judges = [name for name in (*JUDGES, *OFFLINE_JUDGES) if name != "domain"]
    entries = {each for name in judges for each in _below(name)}
    reached = _reached(entries, ["domain", "services", *OFFLINE_JUDGES])
    assert len(reached) > 100
    assert {name for name in reached if not _is_within(name, (*JUDGES, *OFFLINE_JUDGES))} == set()
    assert {name for name in reached if _is_within(name, DECIDE_NOTHING)} == set()


def test_what_is_declared_exists() -> None:
    assert [name for name in (*JUDGES, *OFFLINE_JUDGES, *DECIDE_NOTHING, *CARRY_ONLY) if find_spec(name) is None] == []


def test_a_judge_that_only_moves_and_what_decides_nothing_keep_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("clients", "domain", "services"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))

    def copied(package: str) -> Path:
        return tmp_path / package

    monkeypatch.setattr(verifier, "files", copied)
    models, settings = ModelGateway(OfflineModel(), ModelSettings()), Settings()
    before = verifier_version(models, settings)

    (tmp_path / "domain/facts").rename(tmp_path / "domain/another_room")
    with (tmp_path / "domain/webhooks/delivery.py").open("a") as file:
        file.write("# decides nothing\n")
    assert verifier_version(models, settings) == before

    (tmp_path / "domain/another_room/comparing.py").write_text("# another rule\n")
    assert verifier_version(models, settings) != before
