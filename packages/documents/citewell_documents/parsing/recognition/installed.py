"""Finds an installed text recognition: the library of the extra `ocr`, and Tesseract's data for a language."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

HOW_TO_INSTALL = (
    "install citewell[ocr], and for Korean Tesseract's data (on Debian: tesseract-ocr-kor), then ingest it again"
)
# The folders in which the extra itself (English), Debian, Fedora, Alpine and Homebrew put the data of languages.
_PLACES = (
    f"{sys.prefix}/share/tessdata",
    "/usr/share/tesseract-ocr/*/tessdata",
    "/usr/share/tessdata",
    "/usr/share/tesseract/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)


def recognition_data(wanted: str) -> dict[str, str]:
    """The folder with Tesseract's data for each of the `wanted` languages (`kor+eng`) that has data.

    It is also empty without the library.
    """
    if find_spec("tesserocr") is None:
        return {}
    given = os.environ.get("TESSDATA_PREFIX")
    folders = [Path(given)] if given else []
    for place in _PLACES:
        folders += sorted(Path("/").glob(place.removeprefix("/")), reverse=True)
    data: dict[str, str] = {}
    for name in wanted.split("+"):
        holding = (folder for folder in folders if (folder / f"{name}.traineddata").is_file())
        if folder := next(holding, None):
            data[name] = str(folder)
    return data
