"""Decodes text files of any encoding into storable text."""

import codecs
import re
import unicodedata

from charset_normalizer import from_bytes

from citewell_documents.errors import DocumentUnreadable

_BOMS = (  # UTF-32 first: its little-endian mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NEWLINE = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# Control characters, lone surrogates, non-characters, and byte order marks except a leading one.
_UNSTORABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff]")
# The encodings of the web standard: with DOS and Macintosh code pages allowed, short texts would match those.
_ENCODINGS = [f"cp{number}" for number in (874, *range(1250, 1259))] + [
    *("iso8859_2", "iso8859_7", "koi8_r", "koi8_u"),
    *("cp932", "euc_jp", "iso2022_jp", "gb18030", "big5", "cp949"),
]
MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
}
"""The larger encodings that pages mean when they declare these, by Python's names, as the web standard has them."""
_USUAL = "cp1252"  # preferred among equally good candidates
_MAX_UNSTORABLE_SHARE = 0.01
_MIN_HANGUL_SHARE = 0.8


def decode(data: bytes, filename: str) -> str:
    """Return the text of `data`: by its byte order mark, as UTF-8, or in the best matching encoding.

    Raises DocumentUnreadable when no encoding gives readable text.
    """
    marked = next((encoding for mark, encoding in _BOMS if data.startswith(mark)), None)
    text = _strictly(data, marked or "utf-8")
    if text is None and not marked:
        text = _korean(data) or _guessed(data)
    if text is None or len(_UNSTORABLE.findall(text)) > _MAX_UNSTORABLE_SHARE * len(text):
        raise DocumentUnreadable(f"{filename} is not readable as text; save it as UTF-8")
    return clean(text)


def clean(text: str) -> str:
    """Return `text` in NFC with `\\n` newlines and without characters that cannot be stored or seen."""
    return unicodedata.normalize("NFC", _UNSTORABLE.sub("", _NEWLINE.sub("\n", text)))


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _korean(data: bytes) -> str | None:
    """Decode Korean text, which detectors take for Chinese when it is short; CP949 contains EUC-KR."""
    text = _strictly(data, "cp949")
    if text is None:
        return None
    foreign = "".join(character for character in text if character > "\x7f")
    # EUC-KR holds the syllables in common use; accented capitals of other encodings decode to the rest.
    used = foreign.encode("euc_kr", errors="ignore").decode("euc_kr")
    hangul = sum("가" <= character <= "힣" for character in used)
    return text if hangul >= _MIN_HANGUL_SHARE * len(foreign) else None


def _guessed(data: bytes) -> str | None:
    matches = from_bytes(data, cp_isolation=_ENCODINGS)
    best = matches.best()
    if best is None:
        return None
    for match in matches:
        if _USUAL in match.could_be_from_charset and (match.chaos, -match.coherence) <= (best.chaos, -best.coherence):
            return _strictly(data, _USUAL)
    return str(best)
