"""The files of the deployment, read as the tools read them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
KUBERNETES = ROOT / "deploy" / "kubernetes"


def image_environment() -> dict[str, str]:
    """The environment that the Dockerfile's image sets for every process."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
    last = [line for line in text.splitlines() if line.startswith("ENV ")][-1]
    return dict(part.split("=", 1) for part in last.removeprefix("ENV ").split())


def compose() -> dict[str, Any]:
    """docker-compose.yml, its anchors resolved."""
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))


def services() -> dict[str, dict[str, Any]]:
    return compose()["services"]


def manifests(folder: str) -> list[dict[str, Any]]:
    """The manifests of a kustomization and of those it names; lists are taken apart."""
    return list(_of(KUBERNETES / folder))


def _of(folder: Path) -> Iterator[dict[str, Any]]:
    for name in yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))["resources"]:
        path = (folder / name).resolve()
        yield from _of(path) if path.is_dir() else read(path)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The manifests in a file."""
    for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
        yield from document["items"] if document["kind"] == "List" else [document]
