"""Lists the components of Citewell: the licence of every dependency of the lock, and the image's contents for scanners.

`python -m deploy.inventory licences` prints docs/internals/licences.md; `python -m deploy.inventory sbom` prints
CycloneDX JSON. Both come from the locks and the metadata of installed packages; no server is asked.
"""

import json
import re
import sys
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
ALL, IMAGE = ROOT / "requirements-dev.lock", ROOT / "deploy" / "requirements.lock"

_PINNED = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]+\])?==(?P<version>[^ ;\\]+)(?: ; (?P<where>[^\\]+?))? ?\\?$", re.MULTILINE
)
_HASHES = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_ALIASES = {
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "New BSD": "BSD-3-Clause",
    "ISC License": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "SIL Open Font License 1.1 (OFL-1.1)": "OFL-1.1",
}
# Licences that a person read in the licence's text, where the metadata says nothing, or "BSD" alone; or of packages for
# other systems only.
_READ = {
    "amqp": "BSD-3-Clause",
    "async-timeout": "Apache-2.0",
    "axe-playwright-python": "MIT",
    "billiard": "BSD-3-Clause",
    "colorama": "BSD-3-Clause",
    "flower": "BSD-3-Clause",
    "httpx-aiohttp": "BSD-3-Clause",
    "httpx2-jsfetch": "not read: for Emscripten alone, never installed",
    "kubernetes-validate": "Apache-2.0",
    "promql-parser": "MIT",
    "prompt-toolkit": "BSD-3-Clause",
    "pypdfium2": "BSD-3-Clause AND Apache-2.0",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
    "pywin32": "PSF-2.0",
    "tzdata": "Apache-2.0",
    "valkey": "MIT",
    "vine": "BSD-3-Clause",
}
_UNKNOWN = "not known"
# The system of the image, for the markers in its lock.
_THERE = {
    "os_name": "posix",
    "platform_system": "Linux",
    "sys_platform": "linux",
    "python_version": "3.12",
    "python_full_version": "3.12.0",
}
_TITLE = """# Licences

What Citewell itself is under: [Apache-2.0](../../LICENSE). What it is built from, as `requirements-dev.lock` pins it,
with the licence that each package states (SPDX). Made by `make licences`, and a test keeps it so. *image*: in the
container image; *optional or development*: the embedded servers, MCP, and what builds and tests.

| package | version | licence | where |
|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Package:
    """One line of a lock; `where` is the marker of the systems on which the package is installed."""

    name: str
    version: str
    where: str
    hashes: Sequence[str]

    @property
    def purl(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


def locked(file: Path) -> list[Package]:
    """Return the packages of a lock, by name."""
    text = file.read_text(encoding="utf-8")
    found = list(_PINNED.finditer(text))
    ends = [each.start() for each in found[1:]] + [len(text)]
    packages: list[Package] = []
    for each, end in zip(found, ends, strict=True):
        hashes = _HASHES.findall(text, each.end(), end)
        packages.append(Package(canonicalize_name(each["name"]), each["version"], each["where"] or "", hashes))
    return sorted(packages, key=lambda package: package.name)


def of_the_image() -> list[Package]:
    """Return the packages that the image's lock installs on the image's system."""
    return [each for each in locked(IMAGE) if not each.where or Marker(each.where).evaluate(_THERE)]


def licence_of(name: str) -> str:
    """Return the licence as an SPDX expression, or in the package's own words."""
    if name in _READ:
        return _READ[name]
    try:
        told: Any = metadata(name)  # an e-mail message, whose types say little
    except PackageNotFoundError:
        return _UNKNOWN
    if told.get("License-Expression"):
        return str(told["License-Expression"])
    classifiers: list[str] = told.get_all("Classifier", [])
    classified = [value.rpartition(" :: ")[2] for value in classifiers if value.startswith("License :: OSI")]
    words = str(told.get("License") or "").strip()
    short = [words] if words and len(words) < 40 and "\n" not in words else []
    return next((_ALIASES.get(each, each) for each in (*short, *classified)), _UNKNOWN)


def licences() -> str:
    """Return the text of docs/internals/licences.md."""
    in_image = {package.name for package in of_the_image()}
    rows: list[str] = []
    for package in locked(ALL):
        where = "image" if package.name in in_image else "optional or development"
        only = f", only if `{package.where}`" if package.where else ""
        rows.append(f"| {package.name} | {package.version} | {licence_of(package.name)} | {where}{only} |\n")
    return _TITLE + "".join(rows)


def sbom(version: str) -> dict[str, Any]:
    """Return the Python packages of the image as a CycloneDX 1.6 document, the same for the same lock."""
    packages = of_the_image()
    ours = {"type": "application", "bom-ref": f"pkg:pypi/citewell@{version}", "name": "citewell", "version": version}
    refs = {package.name: package.purl for package in packages}
    edges = [{"ref": package.purl, "dependsOn": _needs(requires_of(package.name), refs)} for package in packages]
    direct = {"ref": ours["bom-ref"], "dependsOn": _needs(requires_of("citewell"), refs)}
    components = [_component(package) for package in packages]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(components))}",
        "version": 1,
        "metadata": {"component": {**ours, "licenses": [{"expression": "Apache-2.0"}]}},
        "components": components,
        "dependencies": [direct, *edges],
    }


def requires_of(name: str) -> list[str]:
    """Return the requirements of an installed package, without those for other systems."""
    try:
        return requires(name) or []
    except PackageNotFoundError:
        return []


def _component(package: Package) -> Mapping[str, Any]:
    return {
        "type": "library",
        "bom-ref": package.purl,
        "name": package.name,
        "version": package.version,
        "purl": package.purl,
        "licenses": [{"expression": licence_of(package.name)}],
        # The hashes of all files of this version that the installer may take; the system decides which one it takes.
        "properties": [{"name": "citewell:sha256", "value": each} for each in package.hashes],
    }


def _needs(wanted: Iterable[str], refs: Mapping[str, str]) -> list[str]:
    names = (canonicalize_name(Requirement(each).name) for each in wanted)
    return sorted({refs[name] for name in names if name in refs})


if __name__ == "__main__":
    if sys.argv[1:] == ["licences"]:
        sys.stdout.write(licences())
    elif sys.argv[1:] == ["sbom"]:
        sys.stdout.write(json.dumps(sbom(metadata("citewell")["Version"]), indent=1) + "\n")
    else:
        sys.exit("python -m deploy.inventory licences|sbom")
