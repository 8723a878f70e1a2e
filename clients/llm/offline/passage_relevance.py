"""Scores the relevance of a passage to a question (S3.1): what the offline model does as a reranker."""

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from citewell_verify.offline.meaning import Meaning
from citewell_verify.offline.passages import read_passage
from citewell_verify.offline.tuning import TUNING
from citewell_verify.question.features import without_question_words
from citewell_verify.question.question_parts import question_stems
from citewell_verify.text.cache import text_cache
from citewell_verify.text.words import CALCULATIONS, content_stems, coverage
from domain.retrieval.lexemes import is_unspaced, lexemes
from domain.retrieval.questions import searched_question, without_instructions

_CELL = re.compile(r"[|\t]")


def chunk_relevance(question: str, chunk: str, meaning: Meaning) -> float:
    """The relevance of `chunk` to `question`, 0..1: the question's words in the whole chunk, in its best sentence and
    in the names of its rows, the words of statements for its terms, and the meaning of its best sentences.
    """
    wanted, passage = _looked_for(question), read_passage(chunk)
    overlap = _overlap(question, wanted, chunk)
    if not meaning.known:
        return _logistic(TUNING.words_chunk_slope * (overlap - TUNING.words_chunk_middle))
    shares = [coverage(wanted, sentence.stems) for sentence in passage.sentences]
    best = sorted(range(len(shares)), key=lambda place: -shares[place])[: TUNING.encoded]
    closeness = meaning.best_likeness(question, [passage.sentences[place].text for place in best])
    raw = TUNING.chunk_overlap * overlap + TUNING.chunk_meaning * closeness
    raw += TUNING.chunk_sentence * max(shares, default=0.0) + TUNING.chunk_row * _named_row(wanted, chunk)
    raw += TUNING.chunk_further * coverage(searched_question(question).further, passage.stems)
    return _logistic(TUNING.chunk_slope * (raw - TUNING.chunk_middle))


@lru_cache(maxsize=256)
def _looked_for(question: str) -> tuple[str, ...]:
    """The stems of what a question is about: the average of other assets is asked of what says "Other assets"."""
    stems = without_question_words(question_stems(without_instructions(question), dated=True))
    return tuple(stem for stem in stems if stem not in CALCULATIONS) or tuple(stems)


def _overlap(question: str, wanted: Sequence[str], chunk: str) -> float:
    """The share of `wanted` in the chunk; in unspaced scripts mixed with that of pairs of characters: people write
    both 전기요금 인상 and 전기요금인상.
    """
    by_words = coverage(wanted, read_passage(chunk).stems)
    asked = _lexemes(question)
    if not any(map(is_unspaced, asked)):
        return by_words
    by_pairs = len(asked & _lexemes(chunk)) / len(asked)
    return by_words + TUNING.unspaced_pairs * (by_pairs - by_words)


@text_cache()
def _lexemes(text: str) -> frozenset[str]:
    return frozenset(lexemes(text))


def _named_row(wanted: Sequence[str], chunk: str) -> float:
    """How far a row of a table is called as the question says, at best 1: years are columns, and do not count."""
    asked = frozenset(word for word in wanted if not word.isdigit())
    alike = (2 * len(asked & name) / (len(asked) + len(name)) for name in _row_names(chunk))
    return max(alike, default=0.0)


@text_cache()
def _row_names(chunk: str) -> tuple[frozenset[str], ...]:
    rows = (sentence.text.lstrip(" \t|") for sentence in read_passage(chunk).sentences)
    names = (frozenset(content_stems(_CELL.split(row, maxsplit=1)[0])) for row in rows if _CELL.search(row))
    return tuple(filter(None, names))


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))
