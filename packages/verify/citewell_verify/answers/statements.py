"""Reads an answer as statements: its sentences, their citations, and the checks that these need (S5.4). While an answer
is being written, it finds the sentences that more text will not change (N1).

A sentence counts as closed when the next one has begun with a whole word: by then its citation markers, its end and
whether it is a heading are settled, except in rare texts (an aside that closes later, a list of references that turns
out to be none). Code that uses a closed sentence must be able to do without it; `statements` of the complete text is
authoritative.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256

from citewell_verify.answers.parser import can_cite, is_checkable, is_list_sign, parse_answer
from citewell_verify.markers.citable import Citable, citable
from citewell_verify.markers.places import code_regions

_WORTH_KEEPING = 20_000  # characters: caching longer answers, dozens at a time, costs more memory than it is worth


_WHOLE_WORD = re.compile(r"[\W_]*\w+\W")
_STOPPED = re.compile(r"[.!?…。！？｡][\"'”’»)\]」』*_`]*$")
# These signs may begin a marker, an aside or a quotation, in which a stop ends no sentence.
_OPEN = re.compile(
    r"(?:\([^()]{0,300}|\[[^\[\]]{0,300}|【[^【】]{0,60}|［[^［］]{0,60}|〔[^〔〕]{0,60}|<[^<>]{0,60}"
    r"|<sup\b[^<>]{0,60}>[^<>]{0,60}(?:</?[a-z]{0,4})?"
    r'|“[^“”]{0,400}|(?<![\w")])"(?=\S|$)[^"\n]{0,400})\Z'
)
_LONGEST_OPEN = 402
_BOUNDARY = re.compile(r"[.!?…。！？｡\n]")
_BARE_SIGN = re.compile(r"\s(?:[-*•>]|#{1,6}|\d{1,3}[.)])\s*\Z")


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of an answer, without bullet or heading mark.

    `answer[start:end]` are its words in the answer, without the markers after them; `text` also lacks the markers
    inside. In an answer that `correct` wrote the two are equal (N3). `numbers` are the numbers that it cites, as
    written and each once; `missing` are names that it cites and no source has. `claim`: it states something that
    sources can support, so it needs a verdict (N4).
    """

    index: int
    start: int
    end: int
    text: str
    numbers: tuple[int, ...]
    claim: bool
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedCheck:
    """One model call to make: `statement` (an index) against source `number`, or against all sources for None."""

    item: str
    statement: int
    number: int | None


def statements(answer: str, sources: Citable | int | None = None) -> list[Statement]:
    """Return the sentences of `answer` in order; a list of references at its end is not part of it.

    `sources` are those of the answer, or their number: they turn names in citations into numbers, and show whether a
    list of numbers may belong to the text (V5).
    """
    known = citable(sources)
    is_worth_keeping = len(answer) <= _WORTH_KEEPING
    return list(_statements(answer, known) if is_worth_keeping else _statements.__wrapped__(answer, known))


@lru_cache(maxsize=64)
def _statements(answer: str, sources: Citable | None) -> tuple[Statement, ...]:
    """The statements, cached: every check of a draft and every later step parses the same text."""
    reading = parse_answer(answer, sources)
    return tuple(
        Statement(
            index=index,
            start=reading.origin[said.start],
            end=reading.origin[said.end - 1] + 1,
            text=reading.text[said.start : said.end],
            numbers=said.numbers,
            claim=said.claim,
            missing=said.missing,
        )
        for index, said in enumerate(reading.said)
    )


def plan_checks(answer: str, sources: Citable | int) -> list[PlannedCheck]:
    """Return the checks that `answer` needs with these `sources` (or that many), in order (S5.4).

    Each statement has an item `s{statement}:c{number}` for each source that it cites; a claim that cites none has
    `s{statement}:c0`. A statement that is too short to check has no items, and one that repeats another has no items of
    its own: see `deciding_items`.
    """
    return [
        PlannedCheck(item, statement, number)
        for (statement, number), item in deciding_items(statements(answer, sources), _count(sources)).items()
        if item == _item(statement, number)
    ]


def deciding_items(said: Sequence[Statement], source_count: int) -> dict[tuple[int, int | None], str]:
    """Return, for each (statement index, number or None) that needs a verdict, the item of `plan_checks` that gives it.

    The same words are checked against the same source only once: later pairs point to the item of the first pair.
    """
    first: dict[tuple[str, int | None], str] = {}
    return {
        (statement.index, number): first.setdefault(
            (same_words(statement.text), number), _item(statement.index, number)
        )
        for statement in said
        for number in numbers_to_check(statement, source_count)
    }


def same_words(text: str) -> str:
    return " ".join(text.casefold().split())


def check_key(text: str, number: int | None) -> str:
    """The name of a check, made from its content: the words, and source `number`, or all sources for None."""
    return sha256(f"{number or 0} {text}".encode()).hexdigest()[:32]


def check_keys(answer: str, sources: Citable | int) -> dict[str, str]:
    said = statements(answer, sources)
    return {check.item: check_key(said[check.statement].text, check.number) for check in plan_checks(answer, sources)}


def _count(sources: Citable | int) -> int:
    return sources if isinstance(sources, int) else sources.count


def _item(statement: int, number: int | None) -> str:
    return f"s{statement}:c{number or 0}"


def numbers_to_check(statement: Statement, source_count: int) -> Sequence[int | None]:
    """Return the sources 1..`source_count` to check a statement against; None stands for all of them."""
    if not is_checkable(statement.text):
        return ()
    cited = [number for number in statement.numbers if 1 <= number <= source_count]
    return cited or ((None,) if statement.claim and source_count else ())


class GrowingAnswer:
    """Finds the statements of a growing text. It reads only new text and the sentence before that."""

    def __init__(self, sources: Citable | int | None = None) -> None:
        self._sources = sources
        self._text = ""
        self._begin_again()

    def _begin_again(self) -> None:
        """Read the text from its beginning.

        `text[base:]` is read again; `before` statements precede it, and its first `closed` ones are already reported.
        """
        self._base = self._before = self._closed = 0
        self._looked = 0

    def closed_by(self, text: str) -> list[Statement]:
        """Return the statements that are closed now that the text has grown to `text`, each once, in order.

        Places and indexes are those in the whole text. A text that does not continue the previous one is read from its
        beginning.
        """
        if not text.startswith(self._text):
            self._begin_again()
        self._text = text
        if not _BOUNDARY.search(text, self._looked):
            return []
        part = _settled(text[self._base :])
        said = statements(part, self._sources)
        count = _count_closed(part, said)
        closed = [self._placed(statement) for statement in said[self._closed : count]]
        self._closed = max(self._closed, count)
        if closed:
            self._advance(part, said, count)
        return closed

    def _placed(self, statement: Statement) -> Statement:
        return replace(
            statement,
            index=statement.index + self._before,
            start=statement.start + self._base,
            end=statement.end + self._base,
        )

    def _advance(self, part: str, said: Sequence[Statement], count: int) -> None:
        """Continue at the last closed sentence, because the text before markers and lists decides their meaning."""
        anchor = next((statement for statement in reversed(said[:count]) if can_cite(statement.text)), None)
        if anchor is None:
            return
        line = part.rfind("\n", 0, anchor.start) + 1
        # A number before its words ("5. Wait") is a list mark only at the beginning of its line.
        base = line if is_list_sign(part[line : anchor.start]) else anchor.start
        first = next(statement.index for statement in said if statement.start >= base)
        self._base += base
        self._before += first
        self._closed = count - first
        # The open sentence has begun with a word, so another boundary must come before it can be closed.
        self._looked = self._base + said[count].start - base


def without_unfinished_sentence(text: str) -> str:
    said = statements(text)
    if len(said) < 2:
        return text.rstrip()
    closed = text[: said[-1].start].rstrip()
    return _BARE_SIGN.sub("", closed)


def _settled(text: str) -> str:
    end = len(text)
    if (tick := text.rfind("`")) >= 0:
        inside = code_regions(text)
        if not any(start <= tick < after for start, after in inside):
            end = next(
                place
                for place, sign in enumerate(text)
                if sign == "`" and not any(start <= place < after for start, after in inside)
            )
    tail = max(0, end - _LONGEST_OPEN)
    opened = _OPEN.search(text[:end], tail)
    return text[: opened.start()] if opened else text[:end]


def _count_closed(text: str, said: Sequence[Statement]) -> int:
    for following in reversed(said):
        if can_cite(following.text) and _WHOLE_WORD.match(text, following.start):
            if following.index and not _is_apart(text, said[following.index - 1], following):
                continue
            return following.index
    return 0


def _is_apart(text: str, before: Statement, following: Statement) -> bool:
    """True if more than a line break separates the statements: the rest of the second line could still undo a mere line
    break.
    """
    if _STOPPED.search(before.text):
        return True
    between = text[before.end : following.start]
    line = text.rfind("\n", 0, following.start) + 1
    sign = text[line : following.start]
    listed = bool(sign.strip()) and is_list_sign(sign)
    return listed or re.search(r"\n[ \t]*\n", between) is not None or "\n" in text[following.start :]
