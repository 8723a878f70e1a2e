"""Sentences of real texts, word for word."""

import re
from collections.abc import Iterator
from random import Random

from benchmarks.metamorphic.cases import Case, Text, right
from citewell_verify.text.sentences import split_sentences

_FEWEST_WORDS = {"en": 5, "ko": 3}
_MOST_WORDS = 60
_MARKER_LIKE = re.compile(
    r"\[(?:\d{1,3}|†\d+|note \d+|citation needed)\]|[【［〔¹²³⁴-⁹]|\(Source:|\[Source:|\n", re.IGNORECASE
)
_STATES = {
    "en": re.compile(r"^[A-Z\"“(].*[a-z)\d\"”%]\.[\"”)]?$"),
    "ko": re.compile(r"^\S.*다\.$"),
}
_HAS_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|may|must|does|did|rose|fell|sold|won|lost|made|took|began|wrote|held|led|ran|grew|[a-z]{3,}(?:ed|es|s))\b"
)


def stating_sentences(text: Text) -> list[str]:
    """Return the sentences that state something, of one line and without text that looks like a citation marker."""
    return [
        sentence.text
        for sentence in split_sentences(text.text)
        if _FEWEST_WORDS[text.language] <= len(sentence.text.split()) <= _MOST_WORDS
        and _STATES[text.language].match(sentence.text)
        and not _MARKER_LIKE.search(sentence.text)
        and (text.language == "ko" or _HAS_VERB.search(sentence.text))
    ]


def verbatim(text: Text, rng: Random) -> Iterator[Case]:
    del rng
    for sentence in stating_sentences(text):
        yield right("verbatim", text.language, sentence, text.text, unchanged=True)
