"""Detects the encoding of a text that does not state it: chardet proposes encodings, and the words in each are judged.

chardet compares pairs of bytes with those of languages, and is unsure of short texts. A wrong encoding betrays itself
to a reader: symbols within words, capitals within words, letters of two scripts or of no single language, rare
characters.
"""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.letters import ALPHABETS, COMMON
from citewell_documents.parsing.lone_signs import is_ascii_with_signs

# The encodings of the web standard, and encodings of DOS and of the Macintosh that still occur, by their names in
# chardet, with their names in Python and the names that people use.
_ENCODINGS = {
    "cp874": ("cp874", "Thai (Windows-874)"),
    "cp1250": ("cp1250", "Central European (Windows-1250)"),
    "cp1251": ("cp1251", "Cyrillic (Windows-1251)"),
    "cp1252": ("cp1252", "Western European (Windows-1252)"),
    "cp1253": ("cp1253", "Greek (Windows-1253)"),
    "cp1254": ("cp1254", "Turkish (Windows-1254)"),
    "cp1255": ("cp1255", "Hebrew (Windows-1255)"),
    "cp1256": ("cp1256", "Arabic (Windows-1256)"),
    "cp1257": ("cp1257", "Baltic (Windows-1257)"),
    "cp1258": ("cp1258", "Vietnamese (Windows-1258)"),
    "iso8859-2": ("iso8859_2", "Central European (ISO-8859-2)"),
    "iso8859-5": ("iso8859_5", "Cyrillic (ISO-8859-5)"),
    "iso8859-7": ("iso8859_7", "Greek (ISO-8859-7)"),
    "koi8-r": ("koi8_r", "Russian (KOI8-R)"),
    "koi8-u": ("koi8_u", "Ukrainian (KOI8-U)"),
    "cp866": ("cp866", "Cyrillic (DOS, cp866)"),
    "cp850": ("cp850", "Western European (DOS, cp850)"),
    "cp852": ("cp852", "Central European (DOS, cp852)"),
    "mac-roman": ("mac_roman", "Western European (Macintosh)"),
    "cp932": ("cp932", "Japanese (Shift_JIS)"),
    "euc_jis_2004": ("euc_jp", "Japanese (EUC-JP)"),
    "gb18030": ("gb18030", "Chinese (GB18030)"),
    "big5hkscs": ("big5hkscs", "Chinese (Big5)"),
    "cp949": ("cp949", "Korean (EUC-KR, cp949)"),
}
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
"""The larger encodings that pages mean when they declare these, according to the web standard, by Python's names."""
# Python has other encodings, some of which take very long.
_KNOWN = re.compile(r"ascii$|cp\d|iso8859|koi8|euc_|shift_|big5|gb|tis-620$|iso2022|utf-(?:8|16|32)|mac-")
_RARE: Mapping[str, float] = dict.fromkeys(
    ("mac-roman", "cp866", "cp850", "cp852", "iso8859-5", "cp874", "cp1255", "cp1256", "cp1257", "cp1258"), 0.5
)
"""Encodings that are much rarer than others, so they have to fit better."""
_FLOOR, _WEIGHT = 0.02, 2
# The best encoding has to fit this many times better than the next one. The encodings of East Asia share most of their
# bytes, so they have a margin of their own.
_MARGIN, _MARGIN_OF_EAST_ASIA = 2, 4
_EAST_ASIA = frozenset(("cp932", "euc_jp", "gb18030", "big5hkscs", "cp949"))
_USUAL = "cp1252"
_MOST_SAMPLE = 4_000
_MOST_UTF16 = 100_000
_LEAST_NULS, _LEAST_OTHERS = 0.25, 0.1  # shares of the bytes in UTF-16 of Latin letters, and of other letters
_LEAST_WIDE, _LEAST_FOREIGN = 3, 0.25  # letters of UTF-16 without ASCII, and the share of bytes beyond ASCII
_BYTES_OF_SYLLABLE = 2
_KANA = frozenset(("HIRAGANA", "KATAKANA"))
_PLAIN = re.compile(rb"[\0\t\n\r -~]+")
_WORD = re.compile(r"[^\W\d_²³¹¼-¾]+")
_LATIN_WORD = re.compile(r"[A-Za-z]{2}")
_AFTER_WORDS = frozenset("®™°")
_BEFORE_WORDS = frozenset("¿¡§…·")
_WITHIN_WORDS = frozenset("’·…-")
_ASIAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "FULLWIDTH"))
_RARE_CHARACTER, _HALF_WIDTH, _WITHIN_WORD, _NEVER_WRITTEN = 0.6, 0.5, 3, 10


def codec(name: str) -> str:
    """Python's name of an encoding that a text declares. Raises LookupError for an unknown encoding."""
    known = codecs.lookup(name).name
    if not _KNOWN.match(known):
        raise LookupError(name)
    return MEANT.get(known, known)


def named(data: bytes, encoding: str, filename: str) -> bytes:
    """A text of a known encoding, converted to UTF-8. Raises DocumentUnreadable if it is not in that encoding."""
    try:
        return data.decode(codec(encoding)).encode()
    except (LookupError, ValueError):
        raise DocumentUnreadable(
            f"{filename} is not text in the encoding that its metadata name ({encoding[:40]}); "
            "name another one, such as cp1250 or shift_jis, or save it as UTF-8"
        ) from None


class Likely(NamedTuple):
    """A possible encoding of some bytes: its name in Python, its name for people, and how well the text fits it."""

    encoding: str
    name: str
    score: float


def likely_encodings(data: bytes) -> list[Likely]:
    """The likeliest encoding of the bytes; several, the likeliest first, if they fit about equally well and give
    different texts.

    Empty if the bytes are no text in any encoding.
    """
    if is_ascii_with_signs(data):
        return [Likely(*_ENCODINGS[_USUAL], 1.0)]
    sample = _sample(data)
    by_text: dict[str, Likely] = {}
    for key, confidence in _confidences(sample).items():
        encoding, name = _ENCODINGS[key]
        try:
            data.decode(encoding)
            text = sample.decode(encoding)
        except UnicodeDecodeError:
            continue
        fitness = _RARE.get(key, 1.0) * (1 + _FLOOR - _strangeness(text)) ** _WEIGHT
        likely = Likely(encoding, name, _in_small_letters(key, text, confidence) * fitness)
        if text not in by_text or by_text[text].score < likely.score:
            by_text[text] = likely
    best = max(by_text, key=lambda text: by_text[text].score, default="")
    close: list[Likely] = []
    for likely in by_text.values():
        is_asian = {by_text[best].encoding, likely.encoding} <= _EAST_ASIA
        if likely.score * (_MARGIN_OF_EAST_ASIA if is_asian else _MARGIN) > by_text[best].score:
            close.append(likely)
    usual = sample.decode(_USUAL, errors="replace")
    if usual in by_text and by_text[usual] not in close and _says_little(best, usual):
        close.append(by_text[usual])
    return sorted(close, key=lambda likely: -likely.score) + _wide(data)


def _wide(data: bytes) -> list[Likely]:
    """UTF-16, if the bytes may also be UTF-16 without ASCII: letters of one script, none of them strange or rare."""
    wide: list[Likely] = []
    for encoding, order in (("utf-16-le", "little"), ("utf-16-be", "big")):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        scripts = {_script(character) for character in text if character.isalpha()}
        has_letters = sum(map(str.isalpha, text)) >= _LEAST_WIDE and (scripts <= _ASIAN or len(scripts) == 1)
        is_kana = bool(scripts) and scripts <= _KANA
        is_foreign = len(_PLAIN.sub(b"", data)) >= _LEAST_FOREIGN * len(data)
        if has_letters and (is_kana or is_foreign) and not any(_strange_signs(text)) and not _is_rare(text):
            wide.append(Likely(encoding, f"UTF-16 ({order}-endian)", 0.0))
    return wide


def _is_rare(text: str) -> bool:
    """True if most Chinese characters are rare, or if a Korean syllable is not in the Korean standard."""
    chinese = [character for character in text if "\u3400" <= character < "\uac00" and character.isalpha()]
    others = [character for character in text if character >= "\uac00" and character.isalpha()]
    # Python encodes syllables outside of the standard in eight bytes.
    is_standard = all(len(character.encode("euc_kr", errors="ignore")) == _BYTES_OF_SYLLABLE for character in others)
    return not is_standard or 2 * len(COMMON.intersection(chinese)) < len({*chinese})


def unmarked_utf16(data: bytes) -> str | None:
    """The encoding, with its byte order, of UTF-16 without a byte order mark; None for anything else.

    In the wrong byte order, blanks and line ends would be U+2000 and U+0A00.
    """
    sample = data[:_MOST_UTF16]
    nuls = sample.count(0)
    others = len(_PLAIN.sub(b"", sample))
    if len(data) % 2 or not nuls or (nuls < _LEAST_NULS * len(sample) and others < _LEAST_OTHERS * len(sample)):
        return None  # text with one byte per letter that contains a NUL would otherwise be read as Chinese
    orders = [order for order in ("utf-16-le", "utf-16-be") if _is_writing(sample, order)]
    return orders[0] if len(orders) == 1 else None


def _is_writing(sample: bytes, encoding: str) -> bool:
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError as error:
        if error.start < len(sample) - 2:
            return False
        text = sample[: error.start].decode(encoding)
    scripts = Counter(_script(character) for character in text if character.isalpha())
    usual = sum(count for _, count in scripts.most_common(2)) if not scripts.keys() & _ASIAN else scripts.total()
    signs = sum(character.isascii() and (character.isprintable() or character in "\t\n\r") for character in text)
    strange = any(unicodedata.category(character) in ("Cn", "Co", "Cs") for character in text)
    controls = sum(character < " " and character not in "\t\n\r" for character in text)
    return signs > 0 and not strange and not controls and usual >= 0.9 * scripts.total()


def _sample(data: bytes) -> bytes:
    """The lines that are not pure ASCII, up to a limit; in none of these encodings is the byte of a line end a part of
    a character.
    """
    if len(data) <= _MOST_SAMPLE:
        return data
    lines: list[bytes] = []
    length = 0
    for line in data.split(b"\n"):
        if not line.isascii():
            lines.append(line)
            length += len(line)
            if length > _MOST_SAMPLE:
                break
    return b"\n".join(lines) or data[:_MOST_SAMPLE]


def _confidences(sample: bytes) -> dict[str, float]:
    """chardet's confidence in each of the encodings."""
    # chardet's models are only loaded for a file that is not UTF-8.
    from chardet import detect_all  # noqa: PLC0415
    from chardet.registry import lookup_encoding  # noqa: PLC0415

    confidences: dict[str, float] = {}
    for result in detect_all(sample, ignore_threshold=True, include_encodings=_ENCODINGS):
        key = lookup_encoding(result["encoding"] or "") or ""
        if key in _ENCODINGS:
            confidences.setdefault(key, result["confidence"])
    return confidences


def _in_small_letters(key: str, text: str, confidence: float) -> float:
    """The confidence, raised for a text in capitals to that of the same text in small letters: the models know
    languages by their small letters.
    """
    letters = _letters(text)
    if letters and all(map(str.isupper, letters)):
        small = text.lower().encode(_ENCODINGS[key][0], errors="ignore")
        return max(confidence, _confidences(small).get(key, 0.0))
    return confidence


def _strangeness(text: str) -> float:
    """The share of strange characters among the characters beyond ASCII, from 0 to 1: characters that ordinary writing
    never or seldom has in that place.
    """
    foreign = sum(character > "\x7f" for character in text)
    if not foreign:
        return 0.0
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    if _LATIN_WORD.search(text) and _are_alone(words) and any(_script(word) != "LATIN" for word in words):
        return 1.0
    strange = sum(map(_strange_letters, words)) + _letters_of_no_language(words) + sum(_strange_signs(text))
    return min(1.0, strange / foreign)


def _are_alone(words: list[str]) -> bool:
    return all(len(word) == 1 and _script(word) not in _ASIAN for word in words)


def _says_little(text: str, usual: str) -> bool:
    """True if no letter beyond ASCII is within a word, or if the only such letter is a sign in the usual encoding."""
    letters = _letters(text)
    is_lone = len(letters) == 1 and _script(letters[0]) not in _ASIAN and not _letters(usual)
    return (is_lone and not _strangeness(usual)) or _are_alone(
        [word for word in _WORD.findall(text) if not word.isascii()]
    )


def _letters(text: str) -> list[str]:
    return [character for character in text if character > "\x7f" and character.isalpha()]


def _strange_letters(word: str) -> float:
    """The number of letters of a word that are out of place: all letters beyond ASCII if the word mixes scripts or
    capitals, otherwise a share of the rare ones.
    """
    scripts = Counter(_script(character) for character in word)
    foreign = sum(character > "\x7f" for character in word)
    rare = _RARE_CHARACTER * sum(character >= "\u3400" and character not in COMMON for character in word)
    if scripts.keys() & _ASIAN:
        mixed = not scripts.keys() <= {*_ASIAN, "LATIN"} or (rare > 0 and word[0].isascii() and word[-1].isascii())
    else:
        rare = _HALF_WIDTH * scripts["HALFWIDTH"]
        mixed = len(scripts) > 1 or not (word.islower() or word.isupper() or word[1:].lower() == word[1:])
    return foreign if mixed else rare


def _letters_of_no_language(words: list[str]) -> int:
    """The number of Latin letters that are missing in the language that has the most of them."""
    letters = Counter(
        character.lower()[0]
        for word in words
        for character in word
        if character > "\x7f" and _script(character) == "LATIN" and not character.lower()[0].isascii()
    )
    return min(sum(count for letter, count in letters.items() if letter not in alphabet) for alphabet in ALPHABETS)


def _strange_signs(text: str) -> Iterator[int]:
    for at, sign in enumerate(text):
        if sign < "\x80" or sign.isalpha():
            continue
        before, after = text[at - 1 : at].isalpha(), text[at + 1 : at + 2].isalpha()
        category = unicodedata.category(sign)
        if category in ("Cc", "Cn", "Co", "Cs"):
            yield _NEVER_WRITTEN
        elif category[0] == "S":
            is_unit = sign == "°" and not before and not text[at + 2 : at + 3].isalpha()
            yield _WITHIN_WORD * ((after and not is_unit) or (before and sign not in _AFTER_WORDS))
        elif category in ("Pf", "Po") and not before and sign not in _BEFORE_WORDS:
            yield int(after and _script(text[at + 1]) not in _ASIAN)
        elif category[0] in "PN" and category != "Pd" and sign not in _WITHIN_WORDS:
            yield _WITHIN_WORD * (before and after and _script(text[at - 1]) not in _ASIAN)


def _script(letter: str) -> str:
    """The first word of a letter's name in Unicode: LATIN, CYRILLIC, CJK, …"""
    return "LATIN" if letter.isascii() else unicodedata.name(letter, "?").replace("-", " ").partition(" ")[0]
