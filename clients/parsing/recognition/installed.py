"""Whether text recognition is installed: the library of the extra `ocr`, and Tesseract's data for a language."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

HOW_TO_INSTALL = (
    "install citewell[ocr] and Tesseract's data for its languages (on Debian: tesseract-ocr-eng, tesseract-ocr-kor), "
    "then ingest it again"
)
# Where Debian, Fedora, Alpine and Homebrew put the data of languages.
_PLACES = (
    "/usr/share/tesseract-ocr/*/tessdata",
    "/usr/share/tessdata",
    "/usr/share/tesseract/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)


def recognition_data(wanted: str) -> str | None:
    """The folder with Tesseract's data for any of the `wanted` languages (`kor+eng`); None without it, or without the
    library.
    """
    if find_spec("tesserocr") is None:
        return None
    return next((str(folder) for folder in _folders() if languages_in(str(folder), wanted)), None)


def languages_in(folder: str, wanted: str) -> list[str]:
    """Those of the `wanted` languages that the folder has data of."""
    return [name for name in wanted.split("+") if name and (Path(folder) / f"{name}.traineddata").is_file()]


def _folders() -> Iterator[Path]:
    if given := os.environ.get("TESSDATA_PREFIX"):
        yield Path(given)
    for place in _PLACES:
        yield from sorted(Path("/").glob(place.removeprefix("/")), reverse=True)
