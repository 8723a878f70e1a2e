"""A source's text as the offline model reads it: sentences and their stems, worked out once."""

from dataclasses import dataclass
from functools import lru_cache

from domain.disagreements import without_markers
from domain.sentences import Sentence, split_sentences
from domain.words import content_stems


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence with its place in the text, and the stems of its content words."""

    place: Sentence
    stems: frozenset[str]

    @property
    def text(self) -> str:
        return self.place.text


@dataclass(frozen=True, slots=True)
class Passage:
    """`text` is the source with its own citation markers blanked out, so that all places stay the same."""

    text: str
    sentences: tuple[ReadSentence, ...]
    stems: frozenset[str]


@lru_cache(maxsize=512)
def read_passage(text: str) -> Passage:
    """Return `text` in sentences. Pure, and cached: the same sources are read by every check of an answer."""
    plain = without_markers(text)
    sentences = tuple(
        ReadSentence(sentence, frozenset(content_stems(sentence.text))) for sentence in split_sentences(plain)
    )
    return Passage(plain, sentences, frozenset[str]().union(*(sentence.stems for sentence in sentences)))
