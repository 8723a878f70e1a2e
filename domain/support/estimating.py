"""Estimates the probability that a source says a statement, from words and denials alone."""

from domain.evidence.contradictions import best_places, without_markers
from domain.support.comparing import compare
from domain.support.features import features
from domain.support.model import support_model
from domain.support.reading import ReadSentences, ReadText
from domain.text.memory import remembered
from domain.text.statement_length import is_too_long
from domain.text.word_index import read_sentences


def estimated_support(statement: str, source: str) -> float:
    """Return the probability, 0..1, that the `source` says the `statement`, ignoring figures that differ.

    Synonyms count for nothing, so a low value alone does not refute. Linear in both lengths; 0 for a statement longer
    than a sentence may be.
    """
    if is_too_long(statement):
        return 0.0
    compared = compare(ReadText(" ".join(without_markers(statement).split())), _read(source))
    return support_model().support(features(compared, best_places(statement, source), None))


@remembered()
def _read(source: str) -> ReadSentences:
    return ReadSentences(ReadText(each.text) for each in read_sentences(without_markers(source)).sentences)
