"""The baseline of searches by words: BM25 with its usual constants, over unprocessed words."""

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

K = TypeVar("K", bound=Hashable)

_K1, _B = 1.2, 0.75
_WORD = re.compile(r"\w+")


class PlainIndex(Generic[K]):
    def __init__(self, texts: Mapping[K, str]) -> None:
        self._keys = list(texts)
        counted = [Counter(_WORD.findall(text.casefold())) for text in texts.values()]
        lengths = np.array([each.total() for each in counted], dtype=float)
        self._damping = _K1 * (1 - _B + _B * lengths / lengths.mean())
        having: dict[str, list[tuple[int, int]]] = {}
        for place, each in enumerate(counted):
            for word, count in each.items():
                having.setdefault(word, []).append((place, count))
        self._having = {word: np.array(places) for word, places in having.items()}

    def order(self, question: str, among: Callable[[K], bool] | None = None) -> list[K]:
        scores: NDArray[np.float64] = np.zeros(len(self._keys))
        for word in dict.fromkeys(_WORD.findall(question.casefold())):
            if word in self._having:
                places, counts = self._having[word].T
                rarity = math.log(1 + (len(self._keys) - len(places) + 0.5) / (len(places) + 0.5))
                scores[places] += rarity * counts * (_K1 + 1) / (counts + self._damping[places])
        order: list[int] = np.argsort(-scores, kind="stable").tolist()
        found = (self._keys[place] for place in order if scores[place] > 0)
        return [key for key in found if among is None or among(key)]
