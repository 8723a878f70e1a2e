"""Words of a text as the lexical checks see them."""

import re
import unicodedata

_WORD = re.compile(r"\w+(?:[.,]\d+)*", re.UNICODE)


def words(text: str) -> list[str]:
    """Return the words of `text` in order: NFKC-normalised, case-folded; a number keeps its inner separators."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
