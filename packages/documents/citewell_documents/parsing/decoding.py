"""Decodes text files of any encoding into storable text."""

import codecs
import re
import unicodedata

from citewell_documents.errors import DocumentEmpty, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing.encodings import likely_encodings, unmarked_utf16
from citewell_documents.parsing.limits import ParseLimits

_BOMS = (  # UTF-32 comes first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NEWLINE = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# Control characters, with the terminal sequences that they begin, such as a colour; lone surrogates, non-characters,
# and byte order marks except a leading one.
_UNSTORABLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff]"
    "(?:(?<=\x1b)\\[[0-?]*[ -/]*[@-~])?"
)
# Characters that no reader sees and that would hide words from a search: marks of places where a word may or may not be
# divided, marks of direction, and tags. Joiners stay: scripts of Persia and India, and emoji, are written with them.
_UNSEEN = re.compile("[\u00ad\u034f\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\U000e0000-\U000e007f]")
_ESCAPE = b"\x1b$"  # begins Japanese in ISO-2022, which is ASCII otherwise
_UNDECODED, _BEYOND_ASCII = re.compile("[\udc80-\udcff]"), re.compile("[^\x00-\x7f]")
_LEAST_CHARACTERS = 2  # valid characters of UTF-8 beyond ASCII that a damaged text must have
_MAX_UNSTORABLE_SHARE = 0.05
_MOST_NAMED = 4


def decode(data: bytes, filename: str) -> str:
    """Return the text of `data`, decoded by its byte order mark, as UTF-8, or in the encoding that fits it best.

    Raises DocumentUnreadable when no encoding gives readable text, or several fit about equally well.
    """
    marked = next((encoding for mark, encoding in _BOMS if data.startswith(mark)), None)
    if marked:
        text = _strictly(data, marked)
    else:
        encodings = ("iso2022_jp_ext" if _ESCAPE in data else None, unmarked_utf16(data), "utf-8")
        tried = (_strictly(data, encoding) for encoding in encodings if encoding)
        text = next(filter(None, tried), None) or _cut(data, filename)
        text = _guessed(data, filename) if text is None else text
    if text is None or len(_UNSTORABLE.findall(text)) > _MAX_UNSTORABLE_SHARE * len(text):
        raise DocumentUnreadable(f"{filename} is not readable as text; save it as UTF-8")
    return clean(text)


def decoded(data: bytes, filename: str, limits: ParseLimits) -> str:
    """The text of a file that must not be empty. Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge."""
    text = decode(data, filename)
    if not text.strip():
        raise DocumentEmpty(f"{filename} contains no text")
    return within_limit(text, filename, limits)


def within_limit(text: str, filename: str, limits: ParseLimits) -> str:
    """The same text. Raises DocumentTooLarge if it is too long."""
    if len(text) > limits.max_chars:
        raise DocumentTooLarge(f"{filename} has {len(text):,} characters; the limit is {limits.max_chars:,}")
    return text


def clean(text: str) -> str:
    """Return `text` in NFC with `\\n` newlines and without characters that cannot be stored or seen."""
    return unicodedata.normalize("NFC", _UNSEEN.sub("", _UNSTORABLE.sub("", _NEWLINE.sub("\n", text))))


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _cut(data: bytes, filename: str) -> str | None:
    """The text of UTF-8 that ends within a character, without that character; None if it is not UTF-8. Raises
    DocumentUnreadable for damaged UTF-8.
    """
    text = data.decode(errors="surrogateescape")
    damage = [place.start() for place in _UNDECODED.finditer(text)]
    characters = len(_BEYOND_ASCII.findall(text)) - len(damage)
    if not damage or not characters:
        return None
    try:
        # An incremental decoder keeps back the bytes that begin a character.
        return codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError as error:
        if characters < max(_LEAST_CHARACTERS, len(damage) * 2):
            return None
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentUnreadable(
            f"{filename} is damaged: it is UTF-8, but not everywhere, as in line {line:,}; save it as UTF-8 again"
        ) from None


def _guessed(data: bytes, filename: str) -> str | None:
    likely = likely_encodings(data)
    if len(likely) > 1:
        names = [guess.name for guess in likely[:_MOST_NAMED]]
        raise DocumentUnreadable(
            f"{filename} is text in an encoding that cannot be told: {', '.join(names[:-1])} or {names[-1]}; save it "
            f'as UTF-8, or name its encoding in its metadata, as in {{"encoding": "{likely[0].encoding}"}}'
        )
    return _strictly(data, likely[0].encoding) if likely else None
