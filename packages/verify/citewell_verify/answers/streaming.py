"""Divides an answer into sentences while it is being written, and reports those that more text will not change (N1).

A sentence counts as closed when the next one has begun with a whole word: by then its citation markers, its end and
whether it is a heading are settled, except in rare texts (an aside that closes later, a list of references that turns
out to be none). Users of a closed sentence must be able to do without it; `citations.statements` of the complete text
is authoritative.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from citewell_verify.answers.parser import can_cite, is_list_sign
from citewell_verify.answers.statements import Statement, statements
from citewell_verify.markers.citable import Citable
from citewell_verify.markers.places import code_regions

_WHOLE_WORD = re.compile(r"[\W_]*\w+\W")
_STOPPED = re.compile(r"[.!?…。！？｡][\"'”’»)\]」』*_`]*$")
# These may turn out to be a marker, an aside or a quotation: inside them a stop ends no sentence.
_OPEN = re.compile(
    r"(?:\([^()]{0,300}|\[[^\[\]]{0,300}|【[^【】]{0,60}|［[^［］]{0,60}|〔[^〔〕]{0,60}|<[^<>]{0,60}"
    r"|<sup\b[^<>]{0,60}>[^<>]{0,60}(?:</?[a-z]{0,4})?"
    r'|“[^“”]{0,400}|(?<![\w")])"(?=\S|$)[^"\n]{0,400})\Z'
)
_LONGEST_OPEN = 402
_BOUNDARY = re.compile(r"[.!?…。！？｡\n]")
_BARE_SIGN = re.compile(r"\s(?:[-*•>]|#{1,6}|\d{1,3}[.)])\s*\Z")


class GrowingAnswer:
    """Finds the statements of a growing text. Reads only new text and the sentence before it."""

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
        """Return the statements that are closed now that `text` is there, each once, in order.

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
        """Read on from the last closed sentence: what precedes markers and lists decides how they are understood."""
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
    """True if more than a line break is between statements, which the rest of the second line could still undo."""
    if _STOPPED.search(before.text):
        return True
    between = text[before.end : following.start]
    line = text.rfind("\n", 0, following.start) + 1
    sign = text[line : following.start]
    listed = bool(sign.strip()) and is_list_sign(sign)
    return listed or re.search(r"\n[ \t]*\n", between) is not None or "\n" in text[following.start :]
