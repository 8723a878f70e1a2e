"""What an answer states, sentence by sentence, what each sentence cites, and which checks follow from that (S5.4)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from domain.markers import code_regions
from domain.modes import is_idk
from domain.plain import LABEL, Mark, PlainText, plain_text
from domain.references import strip_references
from domain.sentences import split_sentences

_MIN_CHARS, _MIN_LETTERS = 5, 2

_BULLET = re.compile(r"(?:(?:[-*+•‣▪◦·●○■□▶►>|]|#{1,6}|\(?\d{1,2}[.)])\s+|[①-⑳]\s*)*")

_QUESTION = re.compile(r"[?？][\"'”’»)\]*_]*$")
_HEADING = re.compile(r"#{1,6}\s.*|(\*\*|__)[^*_]{1,80}(?<![.!。])\1:?", re.DOTALL)
_LEAD_IN = re.compile(r"[^\d\n]{1,80}[:：][*_]*")
_CONNECTIVE = re.compile(
    r"(?:however|therefore|thus|also|additionally|furthermore|moreover|overall|finally|for (?:example|instance)"
    r"|in (?:summary|short|conclusion|addition|other words|detail)|to (?:summari[sz]e|sum up)|on the other hand"
    r"|(?:here is|here's|this is) (?:a|an|the|my) (?:short |brief )?(?:summary|answer|overview|list)"
    r"|(?:i )?hope (?:this|that) helps|sure|of course|certainly|based on the (?:provided |given )?(?:sources|documents)"
    r"|따라서|그러나|하지만|또한|그리고|결론적으로|예를 들어|요약하면|정리하면|즉|반면에?|한편"
    r"|(?:요약하면 |정리하면 |내용은 |답변은 )?다음과 같습니다|도움이 되(?:었으면|길) (?:좋겠습니다|바랍니다))"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of an answer, without bullet or heading sign.

    `answer[start:end]` are its words in the answer, without the markers behind them; `text` is that without the markers
    inside either. In an answer that `correct` wrote the two are equal (N3). `numbers` is what it cites, as written and
    each once. `claim`: it states something that sources can support, so it needs a verdict (N4).
    """

    index: int
    start: int
    end: int
    text: str
    numbers: tuple[int, ...]
    claim: bool


@dataclass(frozen=True, slots=True)
class PlannedCheck:
    """One model call to make: `statement` (an index) against source `number`, or against all sources for None."""

    item: str
    statement: int
    number: int | None


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer without markers and list of references (`has_references`: it had one), and its sentences.

    `spans` are the statements' places in `plain.text`; `marks[i]` belong to `spans[i]`, `orphans` to no sentence.
    """

    plain: PlainText
    has_references: bool
    spans: tuple[tuple[int, int], ...]
    claims: tuple[bool, ...]
    marks: tuple[tuple[Mark, ...], ...]
    orphans: tuple[Mark, ...]

    def numbers(self, index: int) -> tuple[int, ...]:
        """Return what statement `index` cites, each number once."""
        return tuple(dict.fromkeys(number for mark in self.marks[index] for number in mark.numbers))


def statements(answer: str) -> list[Statement]:
    """Return the sentences of `answer` in order; a list of references at its end is not part of it."""
    reading = read(answer)
    origin = reading.plain.origin
    return [
        Statement(
            index=index,
            start=origin[start],
            end=origin[end - 1] + 1,
            text=reading.plain.text[start:end],
            numbers=reading.numbers(index),
            claim=reading.claims[index],
        )
        for index, (start, end) in enumerate(reading.spans)
    ]


def read(answer: str) -> Reading:
    """Find the sentences of `answer` and give every marker to one: to that which it stands in, else behind.

    A marker that begins a line belongs to the sentence that it begins. Where there are no words, markers are orphans.
    """
    plain = plain_text(strip_references(answer))
    # Once more, because a marker can hide a heading: "([2]) Sources:".
    text = strip_references(plain.text)
    sentences = _sentences(text)
    spans = tuple(_own_words(text, start, end) for start, end in sentences)
    claims = (
        _is_claim(text[slice(*sentence)], text[slice(*span)]) for sentence, span in zip(sentences, spans, strict=True)
    )
    owners = [index for index, (start, end) in enumerate(spans) if _can_cite(text[start:end])]
    owning = [sentences[index] for index in owners]
    marks: list[list[Mark]] = [[] for _ in sentences]
    for mark in plain.marks if owners else ():
        marks[owners[_owner(mark, owning)]].append(mark)
    return Reading(
        plain,
        has_references=len(body) < len(answer),
        spans=spans,
        claims=tuple(claims),
        marks=tuple(map(tuple, marks)),
        orphans=() if owners else plain.marks,
    )


def plan_checks(answer: str, source_count: int) -> list[PlannedCheck]:
    """Return the checks that `answer` needs, in order (S5.4).

    Item `s{statement}:c{number}` for each cited source 1..`source_count`, `s{statement}:c0` for a claim that cites none
    of them. A statement too short to check has no items; one that repeats another has none of its own: see
    `deciding_items`.
    """
    return [
        PlannedCheck(item, statement, number)
        for (statement, number), item in deciding_items(statements(answer), source_count).items()
        if item == _item(statement, number)
    ]


def deciding_items(said: Sequence[Statement], source_count: int) -> dict[tuple[int, int | None], str]:
    """Return for each (statement index, number or None) that needs a verdict the item of `plan_checks` that gives it.

    The same words about the same source are checked once: later pairs point to the item of the first.
    """
    first: dict[tuple[str, int | None], str] = {}
    return {
        (statement.index, number): first.setdefault(
            (" ".join(statement.text.casefold().split()), number), _item(statement.index, number)
        )
        for statement in said
        for number in _numbers_to_check(statement, source_count)
    }


def _item(statement: int, number: int | None) -> str:
    return f"s{statement}:c{number or 0}"


def _numbers_to_check(statement: Statement, source_count: int) -> Sequence[int | None]:
    if not _is_checkable(statement.text):
        return ()
    cited = [number for number in statement.numbers if 1 <= number <= source_count]
    return cited or ((None,) if statement.claim and source_count else ())


def _sentences(text: str) -> list[tuple[int, int]]:
    """Split `text`, but never inside code: a marker that is put behind a sentence would become a part of the code."""
    regions = code_regions(text)
    starts = [start for start, _ in regions]
    whole: list[tuple[int, int]] = []
    for sentence in split_sentences(text):
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


def _owner(mark: Mark, sentences: Sequence[tuple[int, int]]) -> int:
    following = bisect_right(sentences, mark.at, key=lambda span: span[1])
    if following == len(sentences):
        return following - 1
    inside = sentences[following][0] < mark.at
    return following if inside or mark.leads else max(following - 1, 0)


def _can_cite(words: str) -> bool:
    """Stray signs ("…", "|") and labels are sentences to the splitter, but a citation is not theirs."""
    return any(map(str.isalnum, words)) and not LABEL.fullmatch(words)


def _is_claim(sentence: str, words: str) -> bool:
    if not _is_checkable(words) or _QUESTION.search(words) or is_idk(words):
        return False
    if _HEADING.fullmatch(sentence) or _LEAD_IN.fullmatch(words):
        return False
    return not _CONNECTIVE.fullmatch(words.casefold().strip(" ,.:;!…。*_\"'"))


def _is_checkable(text: str) -> bool:
    """Row S5.4's filter. Letters of every script count: a Japanese sentence is no less a claim than a Korean one."""
    return len(text) >= _MIN_CHARS and sum(map(str.isalpha, text)) >= _MIN_LETTERS
