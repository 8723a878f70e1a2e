"""The offline model's reading of a source: its sentences and their stems, computed once."""

from collections.abc import Sequence
from dataclasses import dataclass

from citewell_verify.evidence.contradictions import without_markers
from citewell_verify.support.analysis import AnalysedSentences, AnalysedText
from citewell_verify.text.cache import text_cache
from citewell_verify.text.sentences import Sentence
from citewell_verify.text.word_index import WordIndex, parse_sentences

_MOST_CHARS = 600_000  # of remembered sources: their readings take far more memory than the texts


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
