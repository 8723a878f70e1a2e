"""How many tokens a text has for a language model, estimated without anybody's tokenizer.

Models differ by a tenth or two, and a limit in tokens should not need the vocabulary of each. Pieces are counted the
way byte-pair vocabularies of 100,000 and more entries cut them.
"""

import re
from math import ceil

# (pattern, characters per token): a word with its space is about one token up to seven letters of English.
_PIECES = re.compile(
    r"(?P<latin>[A-Za-z]+)|(?P<digits>\d+)|(?P<hangul>[가-힣]+)|(?P<han>[぀-ヿ㐀-䶿一-鿿]+)|(?P<letters>[^\W\d_]+)|(?P<sign>[^\s\w]|_)"
)
_PER_TOKEN = {"latin": 6.0, "digits": 3.0, "hangul": 1.6, "han": 1.4, "letters": 4.0, "sign": 1.0}


def count_tokens(text: str) -> int:
    """Return about how many tokens `text` has; 0 only for one without anything but white space."""
    return sum(ceil(len(piece[0]) / _PER_TOKEN[piece.lastgroup or "sign"]) for piece in _PIECES.finditer(text))
