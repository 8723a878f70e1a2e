"""The complete inventory of Citewell: the licences of all dependencies, the contents of the image."""

import re
from pathlib import Path

from deploy.inventory import ALL, IMAGE, licences, locked, of_the_image, sbom

TABLE = Path("docs/internals/licences.md")
# By the locks alone, without the reading of deploy.inventory.
PINS = re.compile(r"^([a-z0-9-]+)(?:\[[^]]+\])?==", re.MULTILINE)
OPEN = re.compile(r"MIT|Apache|BSD|ISC|MPL|PSF|LGPL|PostgreSQL|Zlib|CC0|0BSD|Unlicense|HPND|OFL")


def test_the_table_has_every_dependency_of_the_lock_with_its_licence() -> None:
    rows = [line.split(" | ") for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][1:]
    assert [row[0].removeprefix("| ") for row in rows] == sorted(PINS.findall(ALL.read_text(encoding="utf-8")))
    unread = [row for row in rows if not OPEN.search(row[2])]
    assert [row[0] for row in unread] == ["| httpx2-jsfetch"]  # for Emscripten: it is never installed


def test_the_table_is_what_the_command_prints() -> None:
    assert TABLE.read_text(encoding="utf-8") == licences(), "run `make licences`"


def test_the_inventory_of_the_image_has_what_its_lock_installs() -> None:
    told = sbom("1.2.3")
    names = [component["name"] for component in told["components"]]
    left_out = {package.name for package in locked(IMAGE) if "win32" in package.where} | {"async-timeout"}  # until 3.11
    assert set(names) == set(PINS.findall(IMAGE.read_text(encoding="utf-8"))) - left_out
    assert len(names) == len(set(names)) == len(of_the_image())
    assert all(component["purl"].endswith(f"@{component['version']}") for component in told["components"])
    assert all(component["properties"] for component in told["components"])


def test_its_parts_refer_to_each_other() -> None:
    told = sbom("1.2.3")
    assert (told["bomFormat"], told["specVersion"]) == ("CycloneDX", "1.6")
    refs = {component["bom-ref"] for component in told["components"]}
    root, *edges = told["dependencies"]
    assert root["ref"] == told["metadata"]["component"]["bom-ref"]
    assert {edge["ref"] for edge in edges} == refs
    assert {needed for edge in told["dependencies"] for needed in edge["dependsOn"]} <= refs
    assert any("/fastapi@" in needed for needed in root["dependsOn"])
    assert sbom("1.2.3") == told
