"""Reads an answer: its sentences, and the sentence to which each citation belongs."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from citewell_verify.answers.checkable import is_claim, labels_what_follows
from citewell_verify.answers.references import strip_references
from citewell_verify.answers.refusals import is_idk
from citewell_verify.markers.citable import Citable
from citewell_verify.markers.protected import protected_regions
from citewell_verify.markers.stripping import LABEL, Mark, plain_text
from citewell_verify.text.sentences import split_sentences

_BULLET = re.compile(r"(?:(?:[-*+•‣▪◦·●○■□▶►>|]|#{1,6}|\(?\d{1,2}[.)])\s+|[①-⑳]\s*)*")


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """One sentence: its own words are `text[start:end]` of the reading, without bullet, heading mark and table bars."""

    start: int
    end: int
    claim: bool
    marks: tuple[Mark, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(number for mark in self.marks for number in mark.numbers))

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for mark in self.marks for name in mark.missing))


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """An answer without markers and without a list of references (`had_references`), and its sentences.

    `text[i]` was `answer[origin[i]]`. `orphans` are the markers of an answer that has no words.
    """

    text: str
    origin: Sequence[int]
    said: tuple[ParsedSentence, ...]
    orphans: tuple[Mark, ...]
    had_references: bool


def parse_answer(answer: str, sources: Citable | int | None = None) -> ParsedAnswer:
    """Find the sentences of `answer` and assign every marker to the one that contains it, else to the previous one.

    A marker that begins a line belongs to the sentence that begins there, and so do all others of a paragraph that puts
    its markers before its sentences: `[1] Paris is … [2] Rome is …`. `sources` are those of the answer, or how many.
    """
    body = strip_references(answer)
    plain = plain_text(body, sources)
    # Again, because a marker can hide a heading: "([2]) Sources:".
    text = strip_references(plain.text)
    sentences = _sentences(text)
    spans = [_own_words(text, start, end) for start, end in sentences]
    owners = [index for index, (start, end) in enumerate(spans) if can_cite(text[start:end])]
    marks: list[list[Mark]] = [[] for _ in sentences]
    if owners:
        for mark, owner in zip(
            plain.marks,
            _owners(text, plain.marks, [sentences[index] for index in owners], [spans[index][0] for index in owners]),
            strict=True,
        ):
            marks[owners[owner]].append(mark)
    refusal = sources.refusal if isinstance(sources, Citable) else None
    # One of several sentences is recognised here only; one of a single sentence also among others.
    refuses = is_idk(text, refusal)
    said = [
        ParsedSentence(
            first, last, not refuses and _claims(text, (start, end), (first, last), own, refusal), tuple(own)
        )
        for (start, end), (first, last), own in zip(sentences, spans, marks, strict=True)
    ]
    orphans = () if owners else plain.marks
    return ParsedAnswer(text, plain.origin, tuple(said), orphans, had_references=len(body) < len(answer))


def is_list_sign(text: str) -> bool:
    stripped = text.lstrip(" \t")
    return not stripped or _BULLET.fullmatch(stripped) is not None


def without_list_sign(text: str) -> str:
    sign = _BULLET.match(text)
    return text[sign.end() :] if sign else text


def _sentences(text: str) -> list[tuple[int, int]]:
    """The sentences, each to the end of its code or formula: a marker within these would become part of them."""
    regions = protected_regions(text)
    starts = [start for start, _ in regions]
    whole: list[tuple[int, int]] = []
    for sentence in split_sentences(text, cites=False):
        before = bisect_left(starts, sentence.end) - 1
        end = max(sentence.end, regions[before][1]) if before >= 0 else sentence.end
        if whole and sentence.start < whole[-1][1]:
            whole[-1] = whole[-1][0], max(end, whole[-1][1])
        else:
            whole.append((sentence.start, end))
    return whole


def _own_words(text: str, start: int, end: int) -> tuple[int, int]:
    bullet = _BULLET.match(text, start, end)
    first = bullet.end() if bullet else start
    words = text[first:end].rstrip("| \t")
    label = LABEL.search(words)
    if label and label.start("label"):
        words = words[: label.start("label")].rstrip()
    return (first, first + len(words)) if words else (start, end)


def can_cite(words: str) -> bool:
    """True unless the words are a stray sign ("…", "|") or a label, which the splitter also returns."""
    return any(map(str.isalnum, words)) and not LABEL.fullmatch(words)


def _claims(
    text: str, sentence: tuple[int, int], words: tuple[int, int], marks: Sequence[Mark], refusal: str | None
) -> bool:
    if not is_claim(text[slice(*sentence)], text[slice(*words)], refusal):
        return False
    return not labels_what_follows(text, *words, cites=any(mark.numbers or mark.missing for mark in marks))


def _owners(
    text: str, marks: Sequence[Mark], sentences: Sequence[tuple[int, int]], first_words: Sequence[int]
) -> list[int]:
    owners = [_owner(mark, sentences) for mark in marks]
    paragraphs = _paragraphs(text, sentences)
    begins = 0
    while begins < len(marks):
        paragraph = paragraphs[owners[begins]]
        ends = begins
        while ends < len(marks) and paragraphs[owners[ends]] == paragraph:
            ends += 1
        following = [bisect_left(first_words, mark.at) for mark in marks[begins:ends]]
        if _lead(marks[begins:ends], following, sentences, paragraphs, paragraph):
            owners[begins:ends] = following
        begins = ends
    return owners


def _lead(
    marks: Sequence[Mark],
    following: Sequence[int],
    sentences: Sequence[tuple[int, int]],
    paragraphs: Sequence[int],
    paragraph: int,
) -> bool:
    if len(marks) < 2 or any(mark.noun or not mark.spaced for mark in marks):
        return False
    if following[0] and paragraphs[following[0] - 1] == paragraph:
        return False
    if any(index == len(sentences) or paragraphs[index] != paragraph for index in following):
        return False
    return all(not index or sentences[index - 1][1] <= mark.at for mark, index in zip(marks, following, strict=True))


def _paragraphs(text: str, sentences: Sequence[tuple[int, int]]) -> list[int]:
    numbers: list[int] = []
    for index, (start, _) in enumerate(sentences):
        new = not index or "\n" in text[sentences[index - 1][1] : start]
        numbers.append(numbers[-1] + new if numbers else 0)
    return numbers


def _owner(mark: Mark, sentences: Sequence[tuple[int, int]]) -> int:
    following = bisect_right(sentences, mark.at, key=lambda span: span[1])
    if following == len(sentences):
        return following - 1
    inside = sentences[following][0] < mark.at
    return following if inside or mark.leads else max(following - 1, 0)
