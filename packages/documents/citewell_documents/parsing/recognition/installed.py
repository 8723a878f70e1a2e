"""Whether text recognition is installed: the library of the extra `ocr`, and Tesseract's data for a language."""

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

HOW_TO_INSTALL = (
    "install citewell[ocr], and for Korean Tesseract's data (on Debian: tesseract-ocr-kor), then ingest it again"
)
# Where the extra itself (English), Debian, Fedora, Alpine and Homebrew put the data of languages.
_PLACES = (
    f"{sys.prefix}/share/tessdata",
    "/usr/share/tesseract-ocr/*/tessdata",
    "/usr/share/tessdata",
    "/usr/share/tesseract/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)


def recognition_data(wanted: str) -> dict[str, str]:
    """The folder with Tesseract's data for each of the `wanted` languages (`kor+eng`) that has some.

    Empty without the library, too.
    """
    if find_spec("tesserocr") is None:
        return {}
    folders = list(_folders())
    found = {name: _folder_of(name, folders) for name in wanted.split("+")}
    return {name: folder for name, folder in found.items() if folder}


def _folder_of(language: str, folders: list[Path]) -> str | None:
    return next((str(folder) for folder in folders if (folder / f"{language}.traineddata").is_file()), None)


def _folders() -> Iterator[Path]:
    if given := os.environ.get("TESSDATA_PREFIX"):
        yield Path(given)
    for place in _PLACES:
        yield from sorted(Path("/").glob(place.removeprefix("/")), reverse=True)
