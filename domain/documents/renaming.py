"""What a correction renames: a heading, or the heads of a table, which the passages below have in their context."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from domain.documents.chunk_context import cut_line, headings_of, joined
from domain.documents.corrections import Replacement
from domain.documents.documents import TextChunk

_CLOSING = re.compile(r"\s+#+\s*\Z")


class Renaming(NamedTuple):
    """What is called `old` in the passages from `start` on, in all of them up to `end` and in those behind as long as
    they name it, but before `until`, is called `new`. All are places of the old text."""

    old: str
    new: str
    start: int
    end: int
    until: int | None = None

    def applied(self, chunk: TextChunk) -> TextChunk:
        section = self.new if chunk.section == self.old else chunk.section
        return replace(chunk, section=section, context=self._renamed(chunk.context, chunk.text))

    def _renamed(self, context: str | None, text: str) -> str | None:
        if not context:
            return context
        lines = [self._line(line) for line in context.split("\n")]
        if self.old in (headings := headings_of(context)):
            named = [self.new if each == self.old else each for each in headings]
            lines[0] = joined(each for each in named if each not in text)
        return "\n".join(line for line in lines if line) or None

    def _line(self, line: str) -> str:
        found = line.rstrip("\t")
        return self.new + line[len(found) :] if found == self.old else line


def retitled(
    sections: Sequence[Sequence[Any]] | None, old: str, new: str, change: Replacement
) -> list[tuple[int, Renaming]]:
    """By their places in the stored `sections`, the titles that the change from the text `old` to `new` renames."""
    found: list[tuple[int, Renaming]] = []
    for place, (title, start, end) in enumerate(sections or []):
        if change.touches(start, end) and (name := _title(title, start, old, new, change)) != title:
            following = (other[1] for other in (sections or [])[place + 1 :] if other[0] == title)
            found.append((place, Renaming(title, name, start, end, next(following, None))))
    return found


def _title(title: str, start: int, old: str, new: str, change: Replacement) -> str:
    heading = re.compile(r"#{0,6}\s*" + r"\s+".join(map(re.escape, title.split()))).match(old, start)
    if heading is None or change.start >= heading.end():
        return title
    if start > change.start:
        return _bare(_line_in_place_of(start, old, new, change)) or title
    end = heading.end() + change.growth if change.end <= heading.end() else _line_end(new, start)
    return _bare(new[start:end]) or title


def _line_in_place_of(start: int, old: str, new: str, change: Replacement) -> str:
    """The new line for the one at `start`, within what is replaced; empty unless as many lines are in its place."""
    if old.count("\n", change.start, change.end) != change.text.count("\n"):
        return ""
    begin = new.rfind("\n", 0, change.start) + 1
    for _ in range(old.count("\n", change.start, start)):
        begin = _line_end(new, begin) + 1
    return new[begin : _line_end(new, begin)]


def _bare(heading: str) -> str:
    return " ".join(_CLOSING.sub("", heading).lstrip("# \t").split())


def renamed_heads(old: str, new: str, change: Replacement) -> Renaming | None:
    """The line that the change is within: the head, the title or the unit of a table is in the context of passages
    further down."""
    start = old.rfind("\n", 0, change.start) + 1
    end = _line_end(old, change.start)
    row = old[start:end]
    if change.end > end or "\n" in change.text or not row.strip():
        return None
    return Renaming(cut_line(row), cut_line(new[start : end + change.growth]), start, end)


def _line_end(text: str, start: int) -> int:
    return end if (end := text.find("\n", start)) >= 0 else len(text)
