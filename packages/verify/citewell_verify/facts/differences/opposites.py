"""Says which words exclude each other: `open` and `closed`, `valid` and `invalid`."""

from citewell_verify.facts.reading import korean
from citewell_verify.facts.reading.tokens import Token
from citewell_verify.facts.reading.vocabulary import OPPOSITES, PREFIXES
from citewell_verify.text.words import stem


def are_opposites(left: Token, right: Token) -> bool:
    stems = [stem(_adjective(token.text.casefold())) for token in (left, right)]
    if frozenset(stems) in OPPOSITES:
        return True
    if korean.are_opposed(left.key, right.key):
        return True
    shorter, longer = sorted(stems, key=len)
    if longer[:1] >= "가":
        return any(longer == prefix + shorter for prefix in korean.PREFIXES) or (
            longer[:1] in korean.PREFIXES and shorter[:1] == "유" and longer[1:] == shorter[1:]
        )
    return len(shorter) > 3 and any(longer == prefix + shorter for prefix in PREFIXES)


def _adjective(word: str) -> str:
    """Return `quick` for `quickly`; most other words in "-ly" are no adverbs of short adjectives."""
    plain = word.removesuffix("ly")
    return plain if plain != word and any(stem(plain) in pair for pair in OPPOSITES) else word
