"""How relevant a passage, or one of its sentences, is to a question."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from clients.llm.offline.meaning import Meaning
from clients.llm.offline.tuning import TUNING
from domain.dates import find_dates
from domain.markers import cited_markers
from domain.numbers import find_quantities
from domain.sentences import Sentence, split_sentences
from domain.sources import Source
from domain.words import content_stems, coverage

_WHEN = re.compile(r"\bwhen\b|\b(?:what|which) (?:year|date|month|day|century|decade)\b|언제|몇 [년월일]", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\bhow (?:many|much|long|old|far|often|large|big|high|tall)\b|\bwhat (?:percentage|number|amount|share)\b|몇|얼마|비율",
    re.IGNORECASE,
)
_WHO_WHERE = re.compile(r"\b(?:who|whom|whose|where)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<!^)\b[A-Z][a-z]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of `source` that may answer the question; `score` 0..1 says how likely."""

    score: float
    source: Source
    sentence: Sentence


def chunk_relevance(question: str, chunk: str, meaning: Meaning) -> float:
    """Return how relevant `chunk` is to `question`, 0..1 (S3.1)."""
    wanted = content_stems(question)
    overlap = coverage(wanted, set(content_stems(chunk)))
    if not meaning.known:
        return _logistic(TUNING.words_chunk_slope * (overlap - TUNING.words_chunk_middle))
    best = most_shared(wanted, [sentence.text for sentence in split_sentences(chunk)], TUNING.encoded)
    closeness = meaning.best_likeness(question, best)
    raw = TUNING.chunk_overlap * overlap + TUNING.chunk_meaning * closeness
    return _logistic(TUNING.chunk_slope * (raw - TUNING.chunk_middle))


def most_shared(wanted: Sequence[str], texts: Sequence[str], count: int) -> list[str]:
    """Return the `count` texts with most of the stems `wanted`, best first; among equals the first."""
    return sorted(texts, key=lambda text: -coverage(wanted, set(content_stems(text))))[:count]
