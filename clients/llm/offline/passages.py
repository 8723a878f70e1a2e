"""A source's text as the offline model reads it: sentences with their headings and stems, worked out once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from domain.disagreements import without_markers
from domain.markers import cited_markers
from domain.sentences import Sentence, split_sentences
from domain.sources import Source
from domain.support.reading import ReadText

_STOPPED = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_LISTED = re.compile(r"[-*+•‣▪◦·●○■□▶►>|(]|\d+[.)]\s|.*[|\t]")
_LIST_SIGN = re.compile(r"^(?:[-*+•‣▪◦·●○■□▶►]|#{1,6}|>|\|)\s+")
_LONGEST_HEADING = 80


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence with its place in the text, what was read in it, and the stems of the heading above it."""

    place: Sentence
    read: ReadText
    heading: frozenset[str]
    is_heading: bool

    @property
    def text(self) -> str:
        """The sentence as it stands in the source."""
        return self.place.text

    @property
    def stems(self) -> frozenset[str]:
        """The stems of its content words."""
        return self.read.kin.stems


@dataclass(frozen=True, slots=True)
class Passage:
    """`text` is the source with its own citation markers blanked out, so that all places stay the same."""

    text: str
    sentences: tuple[ReadSentence, ...]
    stems: frozenset[str]

    @property
    def reads(self) -> list[ReadText]:
        """What was read in each of its sentences."""
        return [sentence.read for sentence in self.sentences]


@lru_cache(maxsize=512)
def read_passage(text: str) -> Passage:
    """Return `text` in sentences. Pure, and cached: the same sources are read by every check of an answer."""
    plain = without_markers(text)
    sentences = tuple(_read(split_sentences(plain)))
    return Passage(plain, sentences, frozenset[str]().union(*(sentence.stems for sentence in sentences)))


def is_stopped(text: str) -> bool:
    """Say whether `text` ends as a sentence ends."""
    return _STOPPED.search(text) is not None


def shown_sentence(source: Source, sentence: ReadSentence) -> str:
    """Return the words of the source as an answer shows them: in one line, without list sign or markers of its own."""
    text = source.text[sentence.place.start : sentence.place.end]
    for marker in reversed(cited_markers(text)):
        text = text[: marker.start].rstrip() + text[marker.end :]
    return _LIST_SIGN.sub("", " ".join(text.split()))


def _read(sentences: list[Sentence]) -> Iterator[ReadSentence]:
    heading = frozenset[str]()
    followings = [*(sentence.text for sentence in sentences), ""][1:]
    for sentence, following in zip(sentences, followings, strict=True):
        read, is_heading = ReadText(sentence.text), _is_heading(sentence.text, following)
        yield ReadSentence(sentence, read, heading, is_heading)
        heading = read.kin.stems if is_heading else heading


def _is_heading(text: str, following: str) -> bool:
    """A short line without a full stop that stands above prose."""
    if text.startswith("#"):
        return True
    return len(text) <= _LONGEST_HEADING and not is_stopped(text) and not _LISTED.match(text) and is_stopped(following)
