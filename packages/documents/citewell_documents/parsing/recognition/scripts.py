"""In which letters a picture is, where those of the installed languages do not fit: by Tesseract's data of scripts."""

from collections.abc import Mapping
from pathlib import Path

from PIL import Image
from tesserocr import PSM, PyTessBaseAPI

_DATA = "osd"
# The beginnings of Tesseract's names of languages that are written in a script.
_LANGUAGES = {
    "Korean": ("kor",),
    "Hangul": ("kor",),
    "Japanese": ("jpn",),
    "Han": ("chi", "jpn"),
    "Cyrillic": ("rus", "ukr", "bel", "bul", "srp", "mkd", "kaz", "script/Cyrillic"),
    "Greek": ("ell", "grc"),
    "Arabic": ("ara", "fas", "urd"),
    "Hebrew": ("heb",),
    "Thai": ("tha",),
    "Devanagari": ("hin", "mar", "nep"),
}


class Scripts:
    """Tells scripts apart if the data for it lies in one of the folders of languages."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        holding = (folder for folder in folders.values() if (Path(folder) / f"{_DATA}.traineddata").is_file())
        self._folder = next(holding, None)
        self._languages = tuple(folders)

    def unknown(self, picture: Image.Image, dpi: int) -> str:
        """The script of a picture if none of the languages has it; empty if one has it, or it cannot be told."""
        if self._folder is None:
            return ""
        with PyTessBaseAPI(path=self._folder, lang=_DATA, psm=PSM.OSD_ONLY) as engine:
            engine.SetImage(picture)
            engine.SetSourceResolution(dpi)
            told = engine.DetectOrientationScript() or {}
        script = str(told.get("script_name", ""))
        is_known = any(language.startswith(_LANGUAGES.get(script, "")) for language in self._languages)
        return "" if is_known else script
