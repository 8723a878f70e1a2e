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
VERIFY = ROOT / "packages/verify"

CARRY_ONLY = ("services.verification.round_results", "services.core.context")
"""Modules that bring the judges their input without affecting verdicts."""


def _is_within(module: str, packages: Iterable[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _root(module: str) -> Path:
    return VERIFY if module.startswith("citewell_verify") else ROOT


def _file(module: str) -> Path:
    path = _root(module) / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


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
    asked = _reached([*JUDGES[2:], "citewell_verify.judging.statement"], ["citewell_verify", "domain", "services"])
    offline = _reached(["citewell_verify.offline.judging", *OFFLINE_JUDGES[:1]], ["citewell_verify"])
    assert len(asked) > 70
    assert {name for name in asked if not _is_within(name, JUDGES)} == set()
    assert {name for name in asked if _is_within(name, DECIDE_NOTHING)} == set()
    assert {name for name in offline - asked if not _is_within(name, (*JUDGES, *OFFLINE_JUDGES))} == set()


def test_what_is_declared_exists() -> None:
    assert [name for name in (*JUDGES, *OFFLINE_JUDGES, *DECIDE_NOTHING, *CARRY_ONLY) if find_spec(name) is None] == []


def test_a_judge_that_only_moves_and_what_decides_nothing_keep_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("citewell_verify", "domain", "services"):
        shutil.copytree(_root(package) / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))

    def copied(package: str) -> Path:
        return tmp_path / package

    monkeypatch.setattr(verifier, "files", copied)
    models, settings = ModelGateway(OfflineModel(), ModelSettings()), Settings()
    before = verifier_version(models, settings)

    (tmp_path / "citewell_verify/facts").rename(tmp_path / "citewell_verify/another_room")
    with (tmp_path / "citewell_verify/pipeline.py").open("a") as file:
        file.write("# decides nothing\n")
    assert verifier_version(models, settings) == before

    (tmp_path / "citewell_verify/another_room/comparing.py").write_text("# another rule\n")
    assert verifier_version(models, settings) != before
