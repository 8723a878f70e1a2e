"""Estimates the number of tokens of a text for a language model, without a tokenizer.

Models differ by a tenth or two, and a token limit should not need the vocabulary of each. Pieces are counted as
byte-pair vocabularies of 100,000 and more entries cut them.
"""

import re
from math import ceil

# (pattern, characters per token): a word with its space is about one token up to seven letters of English.
_PIECES = re.compile(
    r"(?P<latin>[A-Za-z]+)|(?P<digits>\d+)|(?P<hangul>[가-힣]+)|(?P<han>[぀-ヿ㐀-䶿一-鿿]+)|(?P<letters>[^\W\d_]+)|(?P<sign>[^\s\w]|_)"
)
_PER_TOKEN = {"latin": 6.0, "digits": 3.0, "hangul": 1.6, "han": 1.4, "letters": 4.0, "sign": 1.0}


def count_tokens(text: str) -> int:
    """Return the approximate number of tokens of `text`; 0 only for a text of white space."""
    return sum(ceil(len(piece[0]) / _PER_TOKEN[piece.lastgroup or "sign"]) for piece in _PIECES.finditer(text))
