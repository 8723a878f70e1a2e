"""The offline model's reading of a source: sentences with their headings and stems, computed once."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.evidence.contradictions import without_markers
from domain.markers.parser import cited_markers
from domain.prompting.numbered_sources import Source
from domain.support.analysis import AnalysedSentences, AnalysedText
from domain.text.cache import text_cache
from domain.text.sentences import Sentence
from domain.text.word_index import WordIndex, parse_sentences

_STOPPED = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_LISTED = re.compile(r"[-*+•‣▪◦·●○■□▶►>|(]|\d+[.)]\s|.*[|\t]")
_LIST_SIGN = re.compile(r"^(?:[-*+•‣▪◦·●○■□▶►]|#{1,6}|>|\|)\s+")
_LABEL = re.compile(
    r"^\W*(?:figure|fig|table|tab|exhibit|chart|abbildung|abb|tabelle|그림|표)\b\.? ?[\w.-]{0,8}[.:]?\W*$",
    re.IGNORECASE,
)
_LONGEST_HEADING = 80
_MOST_CHARS = 600_000  # of remembered sources: their readings take far more memory than the texts


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence with its place in the text, its reading, and the stems of the heading above it.

    `is_heading` is true of a caption behind its label, too.
    """

    place: Sentence
    read: AnalysedText
    heading: frozenset[str]
    is_heading: bool

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
    # Cached: every check of an answer reads the same sources.
    plain = without_markers(text)
    sentences = tuple(_read(parse_sentences(plain).sentences))
    stems = frozenset[str]().union(*(sentence.stems for sentence in sentences))
    return Passage(
        plain, sentences, stems, AnalysedSentences(each.read for each in sentences), WordIndex([sorted(stems)])
    )


def is_stopped(text: str) -> bool:
    return _STOPPED.search(text) is not None


def shown_sentence(source: Source, sentence: ReadSentence) -> str:
    text = source.text[sentence.place.start : sentence.place.end]
    for marker in reversed(cited_markers(text)):
        text = text[: marker.start].rstrip() + text[marker.end :]
    return _LIST_SIGN.sub("", " ".join(text.split()))


def _read(sentences: Sequence[Sentence]) -> Iterator[ReadSentence]:
    heading, before = frozenset[str](), ""
    followings = [*(sentence.text for sentence in sentences), ""][1:]
    for sentence, following in zip(sentences, followings, strict=True):
        read, is_heading = AnalysedText(sentence.text), _is_heading(sentence.text, following)
        yield ReadSentence(sentence, read, heading, is_heading or _LABEL.match(before) is not None)
        heading, before = read.related_stems.stems if is_heading else heading, sentence.text


def _is_heading(text: str, following: str) -> bool:
    # Above prose, without a full stop.
    if text.startswith("#"):
        return True
    return len(text) <= _LONGEST_HEADING and not is_stopped(text) and not _LISTED.match(text) and is_stopped(following)
