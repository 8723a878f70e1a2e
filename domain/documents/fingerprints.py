"""Fingerprints that find nearly equal texts without comparing each text with each other (MinHash, in bands).

A text is the set of its shingles: runs of characters, without spaces, punctuation and capitals. So the same words are
equal in lines of a PDF and in any other spacing, in any language. The similarity of two texts is the share of their
shingles that both have; the share of equal minima estimates it.
"""

import re
import unicodedata
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

NEAR = 0.9
"""From this similarity on, a text is called a near-duplicate."""

_SHINGLE = 9
_FEWEST = 40
_PIECE = 1_000_000
_SKETCH = 4_096
_MINIMA, _BANDS, _ROWS = 256, 16, 8
_UNSPOKEN = re.compile(r"[\W_]+")

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """`minima` are packed. Two texts that share one of the `bands` may be similar; two texts of the similarity NEAR
    share one with a probability of 99.9 %.
    """

    minima: bytes
    bands: tuple[int, ...]


def fingerprint(text: str) -> Fingerprint | None:
    """The fingerprint of a text; None if the text is too short to have a useful one."""
    spoken = _UNSPOKEN.sub("", unicodedata.normalize("NFKC", text).casefold())
    if len(spoken) < _SHINGLE + _FEWEST:
        return None
    sketch, seeds = _sketch(spoken), _mixed(np.arange(1, _MINIMA + 1, dtype=np.uint64))
    minima = np.array([_mixed(sketch ^ seed).min() >> np.uint64(32) for seed in seeds], np.uint32)
    parts = minima[: _BANDS * _ROWS].reshape(_BANDS, _ROWS)
    bands: list[int] = []
    for number, part in enumerate(parts):
        digest = blake2b(part.tobytes(), digest_size=8, salt=number.to_bytes(2, "big")).digest()
        bands.append(int.from_bytes(digest, "big", signed=True))
    return Fingerprint(minima.tobytes(), tuple(bands))


def similarity(left: bytes, right: bytes) -> float:
    """The estimated similarity of two texts from the minima of their fingerprints, from 0 to 1."""
    equal = np.equal(np.frombuffer(left, np.uint32), np.frombuffer(right, np.uint32))
    return np.count_nonzero(equal) / _MINIMA


def _sketch(text: str) -> Hashes:
    """The smallest hashes of all shingles. The sketches of two texts are as similar as their sets of all hashes,
    whatever the length of the texts.
    """
    sketch = np.empty(0, np.uint64)
    for first in range(0, len(text) - _SHINGLE + 1, _PIECE):
        piece = text[first : first + _PIECE + _SHINGLE - 1]
        sketch = np.unique(np.concatenate([sketch, _shingles(piece)]))[:_SKETCH]
    return sketch


def _shingles(text: str) -> Hashes:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    rolled = np.zeros(len(codes) - _SHINGLE + 1, np.uint64)
    for place in range(_SHINGLE):
        rolled = rolled * np.uint64(0x100000001B3) + codes[place : place + len(rolled)]
    return _mixed(rolled)


def _mixed(values: Hashes) -> Hashes:
    """The finaliser of SplitMix64: every bit of the result depends on all bits of the value."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
