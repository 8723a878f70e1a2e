"""Every setting named in the documents exists under that name."""

import re
from pathlib import Path
from typing import Any, get_args, get_origin

import yaml
from pydantic import BaseModel, TypeAdapter

from config.settings import Settings
from verify_material.rows import for_all_rows

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
VARIABLE = re.compile(r"\bCITEWELL_[A-Z0-9_]+\b")
DOTTED = re.compile(r"`([a-z_]+(?:\.[a-z_]+)+)`")
GROUPS = frozenset(name for name, field in Settings.model_fields.items() if isinstance(field.default, BaseModel))
# Fields of results, types of webhooks and methods of the client that begin as a group's settings do.
NOT_SETTINGS = frozenset(
    (
        "retrieval.filter stream.query verification.confidence verification.issues verification.question "
        "verification.succeeded verification.failed webhooks.create sources.create"
    ).split()
)
# Read by the client, the tests or Compose; NAME stands for the names of a table.
ELSEWHERE = frozenset(
    (
        "CITEWELL_URL CITEWELL_API_KEY CITEWELL_CONFIG CITEWELL_WEBHOOK_SECRET CITEWELL_CHROMIUM CITEWELL_EVENTS "
        "CITEWELL_PORT CITEWELL_WORKSPACE CITEWELL_VERSION CITEWELL_WEBHOOKS__NAME"
    ).split()
)


def named(page: Path) -> list[str]:
    return sorted({*VARIABLE.findall(page.read_text(encoding="utf-8"))} - ELSEWHERE)


def dotted(page: Path) -> list[str]:
    """Names such as `rerank.top_k`, alone between backticks."""
    found = DOTTED.findall(page.read_text(encoding="utf-8"))
    return sorted({name for name in found if name.split(".")[0] in GROUPS} - NOT_SETTINGS)


def files(page: Path) -> list[str]:
    """Blocks that are a config.yaml, or a part of one."""
    found = re.findall(r"^```yaml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [each for each in found if yaml.safe_load(each).keys() <= Settings.model_fields.keys()]


def exists(path: list[str]) -> bool:
    """Whether the path of names, such as rerank and top_k, leads to a field."""
    model: type[BaseModel] | None = Settings
    for name in path:
        if model is None or name not in model.model_fields:
            return False
        kind = model.model_fields[name].annotation
        if get_origin(kind) is dict:
            return True  # a name of one's own, as of a pool
        models = [each for each in (kind, *get_args(kind)) if isinstance(each, type) and issubclass(each, BaseModel)]
        model = models[0] if models else None
    return True


# README once named one file for settings that are in nine.
@for_all_rows(
    ("page", "variable"), [(page.relative_to(ROOT).as_posix(), each) for page in PAGES for each in named(page)]
)
def test_a_documented_setting_exists(page: str, variable: str) -> None:
    assert exists(variable.removeprefix("CITEWELL_").lower().split("__")), f"{page} names {variable}"


@for_all_rows(("page", "name"), [(page.relative_to(ROOT).as_posix(), each) for page in PAGES for each in dotted(page)])
def test_a_setting_named_by_its_path_exists(page: str, name: str) -> None:
    assert exists(name.split(".")), f"{page} names {name}"


def test_the_readme_leads_to_the_settings() -> None:
    assert "](docs/settings.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


@for_all_rows("text", [text for page in PAGES for text in files(page)])
def test_a_file_of_settings_that_a_page_shows_is_accepted(text: str) -> None:
    for name, value in yaml.safe_load(text).items():
        kind: Any = Settings.model_fields[name].annotation
        TypeAdapter[Any](kind).validate_python(value)
