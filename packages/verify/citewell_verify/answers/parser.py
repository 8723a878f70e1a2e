"""Reads an answer: its sentences, which of them claim something that sources can support or contradict (S5.4, N4),
and the sentence to which each citation belongs.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from citewell_verify.answers.refusals import is_idk
from citewell_verify.answers.translation import strip_references
from citewell_verify.markers.citable import Citable
from citewell_verify.markers.places import protected_regions
from citewell_verify.markers.stripping import LABEL, Mark, plain_text
from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.words import negations

_MIN_CHARS, _MIN_LETTERS = 5, 2

_QUESTION = re.compile(r"[?？][\"'”’»)\]*_]*$")
_HEADING = re.compile(r"#{1,6}\s.*(?<![.!。])|(\*\*|__)[^*_]{1,80}(?<![.!。])\1:?", re.DOTALL)
_LEAD_IN = re.compile(r"[^\d\n]{1,80}[:：][*_]*")
_LISTED = re.compile(r"\s*(?:[-*+•·|]|\(?\d{1,2}[.)]|[①-⑳])\s?")
_CONNECTIVE = re.compile(
    r"(?:however|therefore|thus|also|additionally|furthermore|moreover|overall|finally|for (?:example|instance)"
    r"|in (?:summary|short|conclusion|addition|other words|detail)|to (?:summari[sz]e|sum up)|on the other hand"
    r"|(?:here is|here's|this is) (?:a|an|the|my) (?:short |brief )?(?:summary|answer|overview|list)"
    r"|(?:i )?hope (?:this|that) helps|sure|of course|certainly|based on the (?:provided |given )?(?:sources|documents)"
    r"|따라서|그러나|하지만|또한|그리고|결론적으로|예를 들어|요약하면|정리하면|반면에?|한편"
    r"|(?:요약하면 |정리하면 |내용은 |답변은 )?다음과 같습니다|도움이 되(?:었으면|길) (?:좋겠습니다|바랍니다))"
)

_RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*")
_UNDERLINED = re.compile(r"[^\n]{1,100}\n[ \t]*(?:={3,}|-{3,})[ \t]*")
_CAPTION = re.compile(
    r"[*_]{0,2}(?:table|figure|fig\.|chart|exhibit|box|표|그림|도표|图|表|図)\s?\d{1,3}(?:\s?[.:：–—-]\s?(?P<title>\D{0,120}))?[*_]{0,2}",
    re.IGNORECASE,
)
_STOPPED = re.compile(r"[.!?。！？…][\"'”’)\]*_]*$")
_SMALL_WORDS = frozenset("a an and as at by for from in into of on or over per the to under vs with".split())
_KOREAN_PREDICATE = re.compile(r"[다요죠까함됨임음]$")
_LONGEST_HEADING, _MOST_HEADING_WORDS = 60, 8
_LONGEST_LINE = 1000  # characters of a table's head: if all sentences are on one line, each of them scans the line


def is_checkable(words: str) -> bool:
    """Row S5.4's filter: at least 5 characters and 2 letters.

    Letters of every script count, because a Japanese sentence is as much a claim as a Korean one.
    """
    return len(words) >= _MIN_CHARS and sum(map(str.isalpha, words)) >= _MIN_LETTERS


def is_claim(sentence: str, words: str, refusal: str | None = None) -> bool:
    """Return whether `sentence` needs a verdict; `words` is the sentence without bullet and heading mark, `refusal` its
    workspace's wording of "I don't know".

    These are no claims: text that is not checkable, questions, "I don't know", headings, lead-ins ("The steps are:")
    and connectives ("In summary."). A lead-in that denies something is a claim ("Opened goods can never be returned:")
    unless a list is below it (`labels_what_follows`). In doubt a sentence is a claim: an unchecked claim does more harm
    than a checked phrase.
    """
    if not is_checkable(words) or _QUESTION.search(words) or is_idk(words, refusal):
        return False
    if _HEADING.fullmatch(sentence) or (_LEAD_IN.fullmatch(words) and not negations(words)):
        return False
    return not _CONNECTIVE.fullmatch(words.casefold().strip(" ,.:;!…。*_\"'"))


def labels_what_follows(text: str, start: int, end: int, *, cites: bool) -> bool:
    """Return whether `text[start:end]` only names the text below it, as the head of a table, a caption or a heading
    does.

    A line that `cites` a source is a statement, unless it is the head of a table.
    """
    line_start = max(text.rfind("\n", max(0, start - _LONGEST_LINE), start) + 1, start - _LONGEST_LINE, 0)
    line_end = text.find("\n", end, end + _LONGEST_LINE)
    line_end = min(len(text), end + _LONGEST_LINE) if line_end < 0 else line_end
    below = text[line_end + 1 : line_end + 1 + _LONGEST_LINE]
    next_line = below.split("\n", 1)[0]
    if "|" in text[line_start:line_end] and "|" in next_line and _RULE.fullmatch(next_line):
        return True
    words = text[start:end].strip()
    if _LEAD_IN.fullmatch(words) and _LISTED.match(below):
        return not cites
    if _UNDERLINED.fullmatch(words):
        return True
    if cites or len(words) > 2 * _LONGEST_HEADING or "\n" in words or text[end:line_end].strip(" \t*_:："):
        return False
    if (caption := _CAPTION.fullmatch(words)) and not _STOPPED.search(caption["title"] or ""):
        return True
    is_alone = not next_line.strip() and bool(below.strip())
    return is_alone and not text[line_start:start].strip() and _is_title(words)


def _is_title(words: str) -> bool:
    """True for a short text without full stop or figure, with its important words capitalised."""
    if len(words) > _LONGEST_HEADING or _STOPPED.search(words) or any(map(str.isdigit, words)):
        return False
    tokens = words.split()
    if any("가" <= sign <= "힣" for sign in words):
        return len(tokens) <= _MOST_HEADING_WORDS and not _KOREAN_PREDICATE.search(words)
    weighty = [word for word in tokens if word.lower() not in _SMALL_WORDS]
    return 2 <= len(tokens) <= _MOST_HEADING_WORDS and all(
        word[:1].isupper() or not word[0].isalpha() for word in weighty
    )


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
    """Find the sentences of `answer` and assign every marker to the sentence that contains it, or else to the previous
    one.

    A marker that begins a line belongs to the sentence that begins there. If a paragraph puts its markers before its
    sentences, all of its markers do: `[1] Paris is … [2] Rome is …`. `sources` are those of the answer, or their
    number.
    """
    body = strip_references(answer)
    plain = plain_text(body, sources)
    # The references are stripped again, because a marker can hide a heading: "([2]) Sources:".
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
    # A refusal of several sentences is recognised only here; a refusal of one sentence also among other sentences.
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
    """The places of the sentences. A sentence with code or a formula reaches to its end, because a marker within it
    would become a part of it.
    """
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
