"""Measures texts: approximate tokens for a model, and the longest statement that is compared fact by fact."""

import re
from math import ceil

from citewell_verify.text.sentences import LONGEST_SENTENCE

# (pattern, characters per token): a word with its space is about one token up to seven letters of English.
_PIECES = re.compile(
    r"(?P<latin>[A-Za-z]+)|(?P<digits>\d+)|(?P<hangul>[가-힣]+)|(?P<han>[぀-ヿ㐀-䶿一-鿿]+)|(?P<letters>[^\W\d_]+)|(?P<sign>[^\s\w]|_)"
)
_PER_TOKEN = {"latin": 6.0, "digits": 3.0, "hangul": 1.6, "han": 1.4, "letters": 4.0, "sign": 1.0}


def count_tokens(text: str) -> int:
    """Return the approximate number of tokens of `text`; 0 only for a text of white space."""
    return sum(ceil(len(piece[0]) / _PER_TOKEN[piece.lastgroup or "sign"]) for piece in _PIECES.finditer(text))


LONGEST_STATEMENT = LONGEST_SENTENCE

TOO_LONG = (
    f"a statement of more than {LONGEST_STATEMENT:,} characters is not read fact by fact: make shorter ones of it"
)


def is_too_long(statement: str) -> bool:
    return len(statement) > LONGEST_STATEMENT


def stands_in(statement: str, source: str) -> bool:
    return _squeezed(statement) in _squeezed(source)


def _squeezed(text: str) -> str:
    return "".join(text.casefold().split())
