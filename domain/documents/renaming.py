"""Renames headings and heads of tables after a correction. The contexts of the passages below name them."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

from citewell_documents.document import TextChunk
from citewell_verify.text.windows import cut_line, headings_of, joined
from domain.documents.corrected_headings import CorrectedText, line_end
from domain.documents.corrections import Replacement


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
