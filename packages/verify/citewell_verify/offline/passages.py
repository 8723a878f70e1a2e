"""The offline model's reading of a source: its sentences, their stems and their meaning, each computed once per
process; and all numbers on which its decisions depend, with their origin."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from citewell_verify.embeddings.protocol import Encoder
from citewell_verify.evidence.contradictions import without_markers
from citewell_verify.support.comparison import AnalysedSentences, AnalysedText
from citewell_verify.text.cache import text_cache
from citewell_verify.text.quotes import WordIndex, parse_sentences
from citewell_verify.text.sentences import Sentence

_MOST_CHARS = 600_000  # characters of remembered sources: their readings take far more memory than the texts
_LOCKS = 64


@dataclass(frozen=True, slots=True)
class Tuning:
    """Weights and thresholds; shares, cosines and scores are 0..1.

    Chosen on half of each data set, split by a hash of the item's id, and measured on the other half: addressing and
    relations on eight labelled sets of statements (FEVER-symmetric, HAGRID, KLUE-NLI …), questions on SQuAD 2.
    """

    # The weights of a statement's support are in `packages/verify/citewell_verify/support/model.json`, those of a
    # question's answers in `packages/verify/citewell_verify/question/model.json`.
    same_matter: float = 0.5

    # Relevance of a chunk: words of the question in the chunk and in its best sentence, the likeness of a row's name,
    # cosine with its best sentence, mapped to 0..1 so that 0.2 (the default of `min_evidence_score`) lies above 95 % of
    # what is retrieved from unrelated documents. Chosen on halves of TAT-QA, SQuAD 2 and KLUE-NLI
    # (`benchmarks.search.table_recall`); that of further words on whole filings (`benchmarks.search.filings`).
    chunk_overlap: float = 0.5
    chunk_meaning: float = 0.4
    chunk_sentence: float = 0.1
    chunk_row: float = 0.2
    chunk_further: float = 0.1
    # Added to the cosine with a passage in another script, which shares no words; XQuAD, Chinese and Russian questions.
    chunk_foreign: float = 0.05
    unspaced_pairs: float = 0.4
    chunk_middle: float = 0.5
    chunk_slope: float = 12.0
    words_chunk_middle: float = 0.62
    words_chunk_slope: float = 10.0

    # Units of an answer: at most four, none much less likely than the best, no near-duplicates.
    most_sentences: int = 4
    close_to_best: float = 0.65
    duplicate: float = 0.9

    # An answer addresses its question if they share words or meaning to this degree: 97 % of the sentences with the
    # answer do, 6 % of other sentences.
    addressing: float = 0.2
    # Only the sentences with most of the words are encoded: the others are never the best, and encoding costs 5 ms.
    encoded: int = 2
    sources_judged: int = 3


TUNING = Tuning()


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence with its place in the text, and its reading."""

    place: Sentence
    read: AnalysedText

    @property
    def text(self) -> str:
        return self.place.text

    @property
    def stems(self) -> frozenset[str]:
        return self.read.related_stems.stems


@dataclass(frozen=True, slots=True)
class Passage:
    """`text` is the source with its own citation markers blanked out, so that positions stay the same.

    `reads` holds the readings of its sentences, indexed by words; `words` indexes the whole text.
    """

    text: str
    sentences: tuple[ReadSentence, ...]
    stems: frozenset[str]
    reads: AnalysedSentences
    words: WordIndex

    def covers(self, wanted: Sequence[str]) -> float:
        """The share of the stems `wanted` that the text contains, 0..1."""
        return self.words.coverages(wanted).get(0, 0.0)


@text_cache(_MOST_CHARS)
def read_passage(text: str) -> Passage:
    """Read a source; cached, because every check of an answer reads the same sources."""
    plain = without_markers(text)
    sentences = tuple(
        ReadSentence(sentence, AnalysedText(sentence.text)) for sentence in parse_sentences(plain).sentences
    )
    stems = frozenset[str]().union(*(sentence.stems for sentence in sentences))
    return Passage(
        plain, sentences, stems, AnalysedSentences(sentence.read for sentence in sentences), WordIndex([sorted(stems)])
    )


class Meaning:
    """Cosines between texts; without an embedder `known` is False and every cosine is 0. Thread-safe.

    Each text is encoded alone: in a batch the last digits of its vector would depend on its neighbours.
    """

    def __init__(self, embedder: Encoder | None, *, remembered: int = 4096) -> None:
        self.known = embedder is not None
        self._embedder = embedder
        self._remembered = lru_cache(maxsize=remembered)(self._encode)
        # Threads score the passages of one question together; each text is encoded once while the others wait for it.
        self._encoding = [Lock() for _ in range(_LOCKS)]

    def best_likeness(self, text: str, others: Sequence[str]) -> float:
        """The highest cosine of `text` with any of the `others`, 0..1; 0 if there are none."""
        return max(self.likenesses(text, others), default=0.0)

    def likenesses(self, text: str, others: Sequence[str]) -> list[float]:
        if not self.known:
            return [0.0] * len(others)
        vector = self._vector(_plain(text))
        return [max(0.0, min(1.0, float(vector @ self._vector(_plain(candidate))))) for candidate in others]

    def _vector(self, text: str) -> NDArray[np.float32]:
        with self._encoding[hash(text) % _LOCKS]:
            return self._remembered(text)

    def _encode(self, text: str) -> NDArray[np.float32]:
        if self._embedder is None:
            raise RuntimeError("there is no embedder")
        return self._embedder.encode([text])[0]


def _plain(text: str) -> str:
    return " ".join(text.split())
