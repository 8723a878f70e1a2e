"""Labelled pairs of statement and source with the offline verifier's observations, for fitting and measuring it."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from citewell_verify.embeddings.wheel import WHEEL_MODEL, UseEmbedder, default_embedder
from citewell_verify.facts.kinds import Kind
from citewell_verify.offline.judging import observe
from citewell_verify.offline.passages import Meaning
from citewell_verify.support.model import DIRECTIONS

Array = NDArray[np.float64]


class RememberedEmbedder:
    """The embedder, with its vectors stored in a file between runs."""

    name = WHEEL_MODEL
    dimension = UseEmbedder.dimension

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._vectors: dict[str, NDArray[np.float32]] = {}
        if path and path.exists():
            with np.load(path) as stored:
                self._vectors = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector per text, shape (len(texts), 512)."""
        keys = [hashlib.blake2b(text.encode(), digest_size=16).hexdigest() for text in texts]
        for key, text in zip(keys, texts, strict=True):
            if key not in self._vectors:
                self._vectors[key] = default_embedder().encode([text])[0]
        return np.array([self._vectors[key] for key in keys])

    def keep(self) -> None:
        """Write all vectors to the file."""
        if self._path:
            np.savez(self._path, keys=np.array(list(self._vectors)), vectors=np.array(list(self._vectors.values())))


@dataclass(frozen=True)
class Pairs:
    """`x` has a row per pair and a column per name, `differing` a column per kind of difference in `kinds`.

    The other fields have an entry per pair; `closeness` is that of `citewell_verify.support.model`.
    """

    names: tuple[str, ...]
    x: Array
    labels: Array
    sets: NDArray[np.str_]
    languages: NDArray[np.str_]
    kinds: tuple[str, ...]
    differing: NDArray[np.bool_]
    closeness: Array
    substituted: NDArray[np.bool_]
    verbatim: NDArray[np.bool_]

    def where(self, chosen: NDArray[np.bool_]) -> "Pairs":
        return replace(
            self,
            x=self.x[chosen],
            labels=self.labels[chosen],
            sets=self.sets[chosen],
            languages=self.languages[chosen],
            differing=self.differing[chosen],
            closeness=self.closeness[chosen],
            substituted=self.substituted[chosen],
            verbatim=self.verbatim[chosen],
        )

    def of(self, names: Sequence[str]) -> "Pairs":
        return replace(self, names=tuple(names), x=self.x[:, [self.names.index(name) for name in names]])

    @property
    def folds(self) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Yield each data set's name with the rows that belong to it."""
        for name in sorted(set(self.sets.tolist())):
            yield name, self.sets == name

    @property
    def balance(self) -> Array:
        """Return weights that make every data set, and both labels in it, count the same; 1 on average."""
        weights = np.zeros(len(self.labels))
        for _, rows in self.folds:
            for label in (0, 1):
                members = rows & (self.labels == label)
                weights[members] = 1 / max(1, int(members.sum()))
        return weights / weights.mean()


def read_pairs(folder: Path, meaning: Meaning) -> Pairs:
    """Return the observations of every labelled pair in `folder`."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    pairs = [json.loads(line) for line in lines]
    seen = [observe(pair["claim"], pair["source"], meaning) for pair in pairs]
    kinds: tuple[str, ...] = get_args(Kind)
    return Pairs(
        names=tuple(DIRECTIONS),
        x=np.array([[each.features[name] for name in DIRECTIONS] for each in seen]),
        labels=np.array([float(pair["label"]) for pair in pairs]),
        sets=np.array([pair["dataset"] for pair in pairs]),
        languages=np.array([pair.get("lang", "en") for pair in pairs]),
        kinds=kinds,
        differing=np.array([[kind in {found.kind for found in each.disagreements} for kind in kinds] for each in seen]),
        closeness=np.array([each.closeness for each in seen]),
        substituted=np.array([each.substitution is not None for each in seen]),
        verbatim=np.array([each.verbatim for each in seen]),
    )
