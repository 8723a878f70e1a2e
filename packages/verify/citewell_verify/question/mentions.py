"""The words of passages, for looking up a name in any form (V8)."""

import re
import unicodedata

from rapidfuzz import fuzz, process

from citewell_verify.text.words import STOP_WORDS, vocabulary, words

_SHORTEST_PREFIX = 4  # letters that an inflected form keeps
_ENDING = 3  # letters, at most, that an inflection changes
_SPELT_ALIKE = 80  # of 100: "Faroe" and "Faeroes"
_RUN = re.compile(r"(?<!\w)(?:[A-Z][\w'’.]*+[ -](?:of |and |for |the |& )?+){1,7}+(?:[A-Z][\w'’]*+)?+")
_CAPITALISED = re.compile(r"(?<![^\W_])[A-ZÀ-ÖØ-Þ][\w'’-]*")
_MARKS = re.compile("[\u0300-\u036f]")
_GENERAL = vocabulary("""
    company corporation firm group board committee council government ministry department office agreement contract
    party section chapter act law policy plan program programme project report first second third fourth fifth
    university school city state country county district court church bank team union internet web world
""")
"""These name something only together with other words: "the Company"."""

# Names that texts express with quite different words, which letters cannot match.
_BY_OTHER_NAMES = frozenset(
    "us usa uk eu un uae america britain england holland netherlands germany china korea japan greece switzerland spain"
    " hungary finland croatia albania".split()
)


class Mentions:
    """The names that a text may contain; in doubt it contains a name."""

    def __init__(self, text: str) -> None:
        text = _unaccented(text)
        self._words = frozenset(words(text))
        self._capitalised = frozenset(word.casefold() for word in _CAPITALISED.findall(text))
        self._initials = frozenset("".join(re.findall(r"\b[A-Z]", run)).casefold() for run in _RUN.findall(text))
        self._long = tuple(word for word in self._capitalised | self._words if len(word) >= _SHORTEST_PREFIX)

    def has(self, name: str) -> bool:
        name = _unaccented(name)
        parts = [part for part in words(name) if part not in STOP_WORDS and (len(part) > 1 or part.isdigit())]
        if _GENERAL.issuperset(parts) or any(part in _BY_OTHER_NAMES for part in parts):
            return True
        if all(part in self._words for part in parts):
            return True
        if len(parts[0]) > 1 and any(parts[0] in initials for initials in self._initials):
            return True
        letters = "".join(re.findall(r"\b[A-Z]", name)).casefold()
        if len(letters) > 1 and letters in self._words:
            return True
        # "great" alone does not name the Great Gatsby; a capitalised surname does name a person.
        return any(self._has_form(part) for part in parts if part in self._capitalised or part not in self._words)

    def _has_form(self, part: str) -> bool:
        if part in self._capitalised:
            return True
        if len(part) < _SHORTEST_PREFIX or any(map(str.isdigit, part)):
            return any(part in word for word in self._words) if len(part) > 1 else False
        head = part[: max(_SHORTEST_PREFIX, len(part) - _ENDING)]
        if any(head in word for word in self._long):
            return True
        return process.extractOne(part, self._long, scorer=fuzz.ratio, score_cutoff=_SPELT_ALIKE) is not None


def _unaccented(text: str) -> str:
    """The text without accents, composed again because Hangul would otherwise stay decomposed."""
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))
