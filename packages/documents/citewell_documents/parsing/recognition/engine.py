"""Reads one picture of a page with Tesseract: rows of words, each with its box and the engine's confidence.

This runs in the child process that reads files (citewell_documents.parsing.sandbox), under its limits of memory and
time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import tesserocr
from PIL import Image
from tesserocr import PSM, RIL, PyResultIterator, PyTessBaseAPI

from citewell_documents.parsing.recognition.rows import Row, Turns, Word

# In which letters a picture is, where those of the installed languages do not fit: by Tesseract's data of scripts.

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


_SAMPLE = 0.12  # the share of a page's height that is enough to tell its language
# The least confidence in the sample. On 37 pages of English and Korean, upright text had 0.67 and more, text on its
# side or upside down 0.57 and less. Covers, whose sample is a picture, and other scripts had up to 0.6 in any
# direction.
_SURE = 0.65
_DOUBTFUL, _MOST_DOUBTFUL = 0.7, 300  # words below this confidence, at most so many, are read in other languages, too
_AROUND = 6  # pixels
_NEAR = 40  # characters
_MIN_CONFIDENCE = 0.15
_MIN_OF_SIGNS = 0.5  # specks look like commas and bars


_BACK: tuple[tuple[Turns, Image.Transpose], ...] = (
    (1, Image.Transpose.ROTATE_90),
    (2, Image.Transpose.ROTATE_180),
    (3, Image.Transpose.ROTATE_270),
)


class TooSlow(Exception):
    """A page takes longer than its limit."""


class Recogniser:
    """One engine for each language, whose data is in a folder; each page is read by the engine that fits it best.

    An engine with two languages reads Korean worse than an engine with Korean alone.
    """

    def __init__(self, folders: Mapping[str, str], page_s: float) -> None:
        self._scripts = Scripts(folders)
        self._page_ms = int(page_s * 1000)
        # Lines go across the whole page: columns are found later as in other PDFs, and rows of tables stay whole.
        self._engines = [
            PyTessBaseAPI(path=folder, lang=language, psm=PSM.SINGLE_COLUMN) for language, folder in folders.items()
        ]

    def read(self, picture: Image.Image, dpi: int) -> tuple[Turns, list[Row], str]:
        """Read a grey picture: how often it is turned by 90° clockwise, its rows when it is upright, from the top down,
        and the name of an unknown script.

        If no installed language has the letters, there are no rows, and their script is named. Raises TooSlow.
        """
        turns, picture, best = self._upright(picture, dpi)
        rows = list(_rows(best, picture, dpi, self._page_ms))
        others = [engine for engine in self._engines if engine is not best]
        doubtful = [word for row in rows for word in row.words if word.confidence < _DOUBTFUL][:_MOST_DOUBTFUL]
        better = {word: read for word in doubtful for engine in others if (read := _read_again(engine, picture, word))}
        surer = [replace(row, words=tuple(better.get(word, word) for word in row.words)) for row in rows]
        kept = [replace(row, words=tuple(filter(_is_text, row.words))) for row in surer]
        unknown = self._scripts.unknown(picture, dpi) if kept and _confidence(kept) < _SURE else ""
        return turns, [] if unknown else [row for row in kept if row.words], unknown

    def _upright(self, picture: Image.Image, dpi: int) -> tuple[Turns, Image.Image, PyTessBaseAPI]:
        """The number of turns of the picture, the upright picture, and the engine that is surest of it. The picture is
        only turned if an engine is then sure.
        """
        sure, best = self._best(picture, dpi)
        upright = picture, best
        turned_by: Turns = 0
        for turns, how in _BACK if sure < _SURE else ():
            turned = picture.transpose(how)
            surer, engine = self._best(turned, dpi)
            if surer > max(sure, _SURE):
                sure, upright, turned_by = surer, (turned, engine), turns
        return turned_by, *upright

    def _best(self, picture: Image.Image, dpi: int) -> tuple[float, PyTessBaseAPI]:
        sample = _fullest_band(picture)
        rated: list[tuple[float, PyTessBaseAPI]] = []
        for engine in self._engines:
            rated.append((_confidence(list(_rows(engine, sample, dpi, self._page_ms))), engine))
        return max(rated, key=lambda rating: rating[0])


def _confidence(rows: Sequence[Row]) -> float:
    words = [word for row in rows for word in row.words]
    letters = sum(len(word.text) for word in words)
    return sum(len(word.text) * word.confidence for word in words) / letters if letters else 0.0


def _read_again(engine: PyTessBaseAPI, picture: Image.Image, word: Word) -> Word | None:
    """The word as the engine of another language reads it, if that is surer: `320kWh` on a page of Korean."""
    left, top, right, bottom = word.box
    engine.SetPageSegMode(PSM.SINGLE_WORD)
    engine.SetImage(picture.crop((left - _AROUND, top - _AROUND, right + _AROUND, bottom + _AROUND)))
    text, confidence = "".join(engine.GetUTF8Text().split()), engine.MeanTextConf() / 100
    engine.SetPageSegMode(PSM.SINGLE_COLUMN)
    is_surer = confidence > max(word.confidence, _DOUBTFUL)
    return word._replace(text=text, confidence=confidence) if text.isprintable() and text and is_surer else None


def _fullest_band(picture: Image.Image) -> Image.Image:
    """The darkest band of the picture, over its whole width."""
    height = max(1, int(_SAMPLE * picture.height))
    tops = range(0, max(1, picture.height - height), max(1, height // 2))
    small = picture.resize((max(1, picture.width // 8), max(1, picture.height // 8)))

    def light(top: int) -> float:
        band = small.crop((0, top // 8, small.width, max((top + height) // 8, top // 8 + 1)))
        return sum(shade * count for shade, count in enumerate(band.histogram()))

    top = min(tops, key=light)
    return picture.crop((0, top, picture.width, top + height))


def _rows(engine: PyTessBaseAPI, picture: Image.Image, dpi: int, most_ms: int) -> Iterator[Row]:
    engine.SetImage(picture)
    engine.SetSourceResolution(dpi)
    if not engine.Recognize(most_ms):
        raise TooSlow
    iterator = engine.GetIterator()
    if iterator is None:
        return
    for _, words in groupby(_words(iterator, engine.GetUTF8Text()), key=lambda numbered: numbered[0]):
        row = list(words)
        yield Row(tuple(word for _, word, _ in row), row[0][2])


def _words(iterator: PyResultIterator, page: str) -> Iterator[tuple[int, Word, float]]:
    """Yield the number of the row, the word, and the row's baseline; `page` is the text of all words."""
    row, rest, baseline = 0, page, 0.0
    for at in tesserocr.iterate_level(iterator, RIL.WORD):
        if at.Empty(RIL.WORD):
            continue
        begins = at.IsAtBeginningOf(RIL.TEXTLINE)
        if begins:
            row += 1
            ends, box = at.Baseline(RIL.TEXTLINE), at.BoundingBox(RIL.TEXTLINE)
            baseline = (ends[0][1] + ends[1][1]) / 2 if ends else float(box[3]) if box else 0.0
        text, box = at.GetUTF8Text(RIL.WORD), at.BoundingBox(RIL.WORD)
        # Korean comes in parts of words. Only the text of the page shows the spaces, and only if the word is found near
        # the expected place in it.
        start = rest.find(text, 0, len(text) + _NEAR)
        spaced = start < 0 or any(character.isspace() for character in rest[:start])
        rest = rest if start < 0 else rest[start + len(text) :]
        text = "".join(character for character in text if character.isprintable() and not character.isspace())
        if text and box:
            yield (
                row,
                Word(text, box, round(at.Confidence(RIL.WORD) / 100, 4), joined=not spaced and not begins),
                baseline,
            )


def _is_text(word: Word) -> bool:
    has_letters = any(character.isalnum() for character in word.text)
    return word.confidence >= (_MIN_CONFIDENCE if has_letters else _MIN_OF_SIGNS)
