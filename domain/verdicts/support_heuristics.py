"""Tests whether a source shares enough words with a statement to support it: the minimum for a model's "supported".

A manipulated model gives its verdict for any statement and quotes what it likes. Words decide here, not meaning, so the
bar is low: an honest paraphrase passes (97 of 100 labelled ones do), an invented fact about something else does not.
Two cases stay undetected: an invention that shares most of its words with a sentence of the source, and a statement in
another script than the source, where words prove nothing.
"""

import re

from domain.evidence.spans import claim_relevance
from domain.support.model import estimated_support
from domain.text.cache import text_cache
from domain.text.words import content_stems

_LEAST_WORDS = 2
_LEAST_SHARED = 0.2
_LEAST_SUPPORT = 0.25  # 3 % of the labelled statements that a source supports are below it
_KOREAN, _MOSTLY_KOREAN = 0.3, 0.7
_HANGUL = re.compile("[가-힣]")


def shares_words(statement: str, quote: str) -> bool:
    """Say whether a quotation has enough words and shares some with a statement in the same script."""
    if len(content_stems(quote)) < _LEAST_WORDS and quote.strip() != statement.strip():
        return False
    return _has_hangul(statement) != _has_hangul(quote) or claim_relevance(statement, quote) >= _LEAST_SHARED


def cannot_support(source: str, statement: str) -> bool:
    """Say whether `source` shares too few words with the `statement` to support it.

    Always False across scripts; a single sentence in another script does not make a source one in that script.
    """
    return not _in_other_scripts(statement, source) and estimated_support(statement, source) < _LEAST_SUPPORT


def _in_other_scripts(statement: str, source: str) -> bool:
    said, stands = _share_of_hangul(statement), _share_of_hangul(source)
    return stands < _KOREAN if said >= _KOREAN else stands > _MOSTLY_KOREAN


@text_cache()
def _share_of_hangul(text: str) -> float:
    letters = sum(map(str.isalpha, text))
    return len(_HANGUL.findall(text)) / letters if letters else 0.0


def _has_hangul(text: str) -> bool:
    return _HANGUL.search(text) is not None
