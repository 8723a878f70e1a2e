"""File names in zip archives: decoded from the encodings in use, and confined to the target folder."""

import re
import unicodedata
import zipfile
from pathlib import PurePosixPath

from citewell_documents.errors import DocumentNameInvalid
from citewell_documents.formats import is_lock_file
from citewell_documents.paths import is_relative

_UTF8_FLAG = 0x800
# Rare syllables take eight bytes in EUC-KR, usual ones two.
_USUAL = 2
_MAX_CHARS = 255
_DRIVE = re.compile(r"[A-Za-z]:")
# Operating systems add these beside the user's files.
_JUNK = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})


def decoded_name(info: zipfile.ZipInfo) -> str:
    """The name as its writer meant it: UTF-8, marked or not, Korean Windows' cp949, or else cp437."""
    if info.flag_bits & _UTF8_FLAG or info.orig_filename.isascii():
        return info.orig_filename
    raw = info.orig_filename.encode("cp437")
    for encoding in ("utf-8", "cp949"):
        try:
            name = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        # Accented letters of cp437 that are read as cp949 become rare syllables, which the older KS X 1001 lacks.
        foreign = [character for character in name if not character.isascii()]
        usual = sum(len(character.encode("euc_kr", errors="ignore")) == _USUAL for character in foreign)
        if encoding == "utf-8" or usual * 2 > len(foreign):
            return name
    return info.orig_filename


def is_ignored(name: str) -> bool:
    parts = re.split(r"[/\\]", name)
    return is_lock_file(name) or any(part in _JUNK or (part.startswith(".") and part.strip(".")) for part in parts)


def cleaned_name(name: str) -> str:
    """The path with `/`, in NFC, without empty parts. Raises DocumentNameInvalid when it leads out of the archive."""
    path = unicodedata.normalize("NFC", name).replace("\\", "/")
    cleaned = str(PurePosixPath(path)).strip()
    if cleaned in ("", ".") or len(cleaned) > _MAX_CHARS:
        raise DocumentNameInvalid(f"Its path is empty or longer than {_MAX_CHARS} characters; give it a shorter one.")
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in cleaned):
        raise DocumentNameInvalid("Its name has control characters; give it another one.")
    if _DRIVE.match(cleaned) or not is_relative(cleaned):
        raise DocumentNameInvalid("Its name leads out of the archive; pack it with a relative path.")
    return cleaned
