"""Headings after a correction: their new places and names, headings that are gone, and the contexts that name them.

A heading of Markdown, or of plain text, has a mark or a rule in the text itself. In the text of other formats a heading
is a line like any other; so a short line in the place of such a heading is taken for its new name.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

from citewell_documents.document import TextChunk
from citewell_verify.text.windows import cut_line, headings_of, joined
from domain.documents.corrections import MOST_TITLE, Replacement

_MARK = re.compile(r"[ \t]*#{1,6}(?=[ \t\n]|\Z)")
_UNDERLINED = re.compile(r"(?=[ \t]*\S)[^\n]*\n[ \t]*(?:=+|-{2,}|~{3,})[ \t]*(?=\n|\Z)")
_CLOSING = re.compile(r"\s+#+\s*\Z")
_MARKUP = re.compile(r"[*`]+|\[([^\]\n]*)\]\([^)\n]*\)")
_NO_LETTERS = re.compile(r"[\W_]+")
_MOST_TRIED = 20  # lines that are tried as the new line of a heading


class Heading(NamedTuple):
    title: str
    start: int


class _Old(NamedTuple):
    """A heading of the old text: its title is at `text[start:end]`, and the mark or rule that makes it a heading ends
    at `stop`.
    """

    title: str
    start: int
    end: int
    stop: int
    is_marked: bool


class CorrectedText(NamedTuple):
    old: str
    new: str
    change: Replacement

    def headings(self, sections: Sequence[Sequence[Any]]) -> list[Heading | None]:
        """The heading of each stored section in the new text; None for a heading that is gone."""
        headings: list[Heading | None] = [Heading(title, self.change.moved(start)) for title, start, _ in sections]
        touched = self._touched(sections)
        untouched = {made.start for place, made in enumerate(headings) if made and place not in touched}
        for place, made in self._found(touched, untouched) if touched else ():
            headings[place] = made
        return headings

    def _found(self, headings: Mapping[int, _Old], taken: set[int]) -> Iterator[tuple[int, Heading | None]]:
        lines, after = self._lines(), -1
        marked = [line for line in lines if _is_marked(self.new, line)]
        # Unchanged headings are found first, so that no other line is taken for one of them.
        same = self._unchanged(headings, lines)
        taken |= set(same.values())
        for place, heading in headings.items():
            if place in same:
                made = Heading(heading.title, same[place])
            else:
                following = marked[(first := bisect_right(marked, after)) : first + _MOST_TRIED]
                starts = [start for start in self._places(heading, lines, following) if start not in taken]
                named = (Heading(title, start) for start in starts if (title := self._title(heading, start)))
                made = next(named, None)
            made = made if made and made.start > after else None
            after = made.start if made else after
            yield place, made

    def _touched(self, sections: Sequence[Sequence[Any]]) -> dict[int, _Old]:
        touched = dict[int, _Old]()
        for place, (title, start, end) in enumerate(sections):
            heading = _heading_at(self.old, start, title) if self.change.touches(start, end) else None
            if heading and self.change.touches(start, heading.stop):
                touched[place] = heading
        return touched

    def _unchanged(self, headings: Mapping[int, _Old], new_lines: Sequence[int]) -> dict[int, int]:
        """The new starts of the headings whose lines did not change, by the positions of the headings."""
        lines = dict[str, list[int]]()
        for start in reversed(new_lines):
            lines.setdefault(_line(self.new, start).strip(), []).append(start)
        unchanged, after = dict[int, int](), -1
        for place, heading in headings.items():
            starts = lines.get(_line(self.old, heading.start).strip(), [])
            while starts and (starts[-1] <= after or (heading.is_marked and not _is_marked(self.new, starts[-1]))):
                starts.pop()
            if starts:
                unchanged[place] = after = starts.pop()
        return unchanged

    def _places(self, heading: _Old, lines: Sequence[int], marked: Sequence[int]) -> Iterator[int]:
        """Yield the places at which the heading with its new name may begin, the likeliest first."""
        change = self.change
        if heading.start <= change.start:
            yield heading.start
        elif self.old.count("\n", change.start, change.end) == change.text.count("\n"):
            yield lines[self.old.count("\n", change.start, heading.start)]
        if heading.is_marked and heading.start >= change.start:
            yield from marked

    def _lines(self) -> list[int]:
        """The starts of the lines that have new text."""
        first = self.new.rfind("\n", 0, self.change.start) + 1
        last = self.change.start + len(self.change.text)
        return [first, *(match.end() for match in re.compile("\n").finditer(self.new, self.change.start, last))]

    def _title(self, heading: _Old, start: int) -> str | None:
        """The title of the heading if its line is the one at `start`; None if that line can be no heading."""
        text, lines = self._text(heading, start), self.old.count("\n", heading.start, heading.end)
        if heading.is_marked:
            if not _is_marked(self.new, start):
                return None
            text = text if text.count("\n") <= lines else text.partition("\n")[0]
        elif text.count("\n") > lines or not self._is_line(heading, start + len(text)):
            return None
        title = _bare(text)
        if _bare(self.old[heading.start : heading.end]) != heading.title:
            title = _MARKUP.sub(r"\1", title)
        return None if len(title) > MOST_TITLE >= len(heading.title) else title

    def _text(self, heading: _Old, start: int) -> str:
        if start == heading.start <= self.change.start and self.change.end <= heading.end:
            return self.new[start : heading.end + self.change.growth].partition("\n\n")[0]
        return _line(self.new, start)

    def _is_line(self, heading: _Old, end: int) -> bool:
        """False if the line that contains the place `end` runs on into the text that followed the old heading."""
        before, after = line_end(self.old, heading.end), line_end(self.new, end)
        if self.change.end > before and after > self.change.start + len(self.change.text):
            return False
        return _is_apart(self.new, after) or not _is_apart(self.old, before)


def _heading_at(text: str, start: int, title: str) -> _Old | None:
    match = re.compile(r"[ \t]*#{0,6}\s*" + r"\s+".join(map(re.escape, title.split()))).match(text, start)
    # Titles are stored without marks such as those for bold words, and the title of a part of source code is not in the
    # text at all.
    letters = _NO_LETTERS.sub("", title)
    if not match and not (letters and _is_marked(text, start) and letters in _NO_LETTERS.sub("", _line(text, start))):
        return None
    end = match.end() if match else line_end(text, start)
    # Words that are added at the end of the title's line belong to the title.
    last = end + 1 if text[end : end + 1] in ("", "\n") else end
    is_marked = _is_marked(text, start, end) and not title.startswith("#")
    return _Old(title, start, end, _ruled_line(text, start, end) or last, is_marked)


def _is_marked(text: str, start: int, end: int | None = None) -> bool:
    return bool(_MARK.match(text, start)) or bool(_ruled_line(text, start, start if end is None else end))


def _ruled_line(text: str, start: int, end: int) -> int:
    """The end of the rule below the line of `end`, a place in the heading at `start`; 0 if there is no rule."""
    match = _UNDERLINED.match(text, max(start, text.rfind("\n", start, end) + 1))
    return match.end() if match else 0


def _is_apart(text: str, end: int) -> bool:
    return text[end + 1 : end + 2] in ("", "\n")


def _bare(heading: str) -> str:
    return " ".join(_CLOSING.sub("", heading).lstrip("# \t").split())


def _line(text: str, start: int) -> str:
    return text[start : line_end(text, start)]


def line_end(text: str, start: int) -> int:
    return end if (end := text.find("\n", start)) >= 0 else len(text)


class Renaming(NamedTuple):
    """The renaming of `old` to `new` in the contexts of passages. It concerns all passages from `start` to `end`, and
    then those that follow as long as they name `old`, but none from `until` on. All are places of the old text.

    A heading without a `new` name is removed: the passages directly below it belong to the section `above`, if any.
    """

    old: str
    new: str
    start: int
    end: int
    until: int | None = None
    above: str | None = None

    def applied(self, chunk: TextChunk) -> TextChunk:
        is_below = chunk.section == self.old
        name = self.new or (self.above if is_below else None) or ""
        context = self._renamed(chunk.context or "", name, chunk.text)
        if is_below and not self.new:
            context = _with_heading(context, name, chunk.text)
        return replace(chunk, section=(name or None) if is_below else chunk.section, context=context or None)

    def _renamed(self, context: str, name: str, text: str) -> str:
        first, *others = context.split("\n")
        if self.old in (headings := headings_of(context)):
            named = dict.fromkeys(name if heading == self.old else heading for heading in headings)
            first = joined(heading for heading in named if heading and heading not in text)
        else:
            first = self._line(first)
        return "\n".join(line for line in (first, *map(self._line, others)) if line)

    def _line(self, line: str) -> str:
        heading = line.rstrip("\t")
        return line if heading != self.old else self.new and self.new + line[len(heading) :]


def _with_heading(context: str, name: str, text: str) -> str:
    headings = headings_of(context)
    if not name or name in headings or name in text:
        return context
    # A context without headings belongs to a passage whose own text had the heading; then all of it is kept.
    columns = context.partition("\n")[2] if headings else context
    return "\n".join(part for part in (joined((*headings, name)), columns) if part)


class CorrectedSections(NamedTuple):
    """The `sections` as they are stored for the corrected text, and `renamings` of headings that have a new name or are
    gone.
    """

    sections: list[list[Any]]
    renamings: list[Renaming]

    @classmethod
    def of(
        cls, sections: Sequence[Sequence[Any]] | None, old: str, new: str, change: Replacement
    ) -> "CorrectedSections":
        headings = CorrectedText(old, new, change).headings(sections or [])
        kept, renamings = list[list[Any]](), list[Renaming]()
        for place, ((title, start, end), heading) in enumerate(zip(sections or [], headings, strict=True)):
            above = kept[-1][0] if kept else None
            if heading:
                kept.append([heading.title, heading.start, change.moved(end)])
            if not heading or heading.title != title:
                same_title = (section[1] for section in (sections or [])[place + 1 :] if section[0] == title)
                name = heading.title if heading else ""
                renamings.append(Renaming(title, name, start, end, next(same_title, None), above))
        # Each section has the text up to the next section.
        whole = change.moved(sections[-1][2]) if sections else 0
        for section, following in zip_longest(kept, kept[1:]):
            section[2] = following[1] if following else whole
        return cls(kept, renamings)


def renamed_heads(old: str, new: str, change: Replacement) -> Renaming | None:
    """The renaming of the line that contains the change, which may be the head, the title or the unit of a table: the
    contexts of passages further down name it. None if the change is not within one line."""
    start = old.rfind("\n", 0, change.start) + 1
    end = line_end(old, change.start)
    row = old[start:end]
    if change.end > end or "\n" in change.text or not row.strip():
        return None
    return Renaming(cut_line(row), cut_line(new[start : end + change.growth]), start, end)
