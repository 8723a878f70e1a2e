"""The file name of an answer, which every file system accepts."""

import re
import unicodedata
from datetime import date
from typing import Final

LONGEST: Final = 80
# Most file systems allow 255 bytes with the suffix; some that encrypt names allow fewer.
_MOST_BYTES = 200
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\s]+')
# Windows keeps these names for devices, whatever the suffix.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)


def file_name(title: str, at: date, suffix: str) -> str:
    """`How much is a badge 2026-11-27.pdf`: the title, shortened at a word, and the date."""
    normal = unicodedata.normalize("NFC", title)
    # Control characters are left out, and signs that turn the direction of a text, which could hide a suffix.
    shown = "".join(sign for sign in normal if sign.isspace() or unicodedata.category(sign)[0] != "C")
    words = _FORBIDDEN.sub(" ", shown).strip(" .-~")
    date_ = f" {at:%Y-%m-%d}"
    stem = _shortened(words, LONGEST - len(date_))
    if not stem or _DEVICE.fullmatch(stem.split(".")[0].strip()):
        stem = f"answer {stem}".strip()
    return f"{stem}{date_}{suffix}"


def _shortened(words: str, longest: int) -> str:
    if len(words) > longest:
        words = words[:longest].rsplit(" ", 1)[0] if " " in words[longest // 2 : longest] else words[:longest]
    while len(words.encode()) > _MOST_BYTES:
        words = words[:-1]
    return words.rstrip(" .-")
