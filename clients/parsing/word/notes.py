"""Footnotes and endnotes of a Word document."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from docx.oxml.ns import qn

from clients.parsing.numerals import roman
from clients.parsing.office.parts import Element
from clients.parsing.word.text import paragraph_text

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(slots=True)
class Notes:
    """The notes by kind and id; they are numbered in the order of their references."""

    _notes: dict[tuple[str, str], str]
    _counts: dict[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def of(cls, footnotes: Element | None, endnotes: Element | None) -> "Notes":
        notes: dict[tuple[str, str], str] = {}
        for kind, part in (("footnote", footnotes), ("endnote", endnotes)):
            for note in () if part is None else part.findall(qn(f"w:{kind}")):
                text = " ".join(paragraph_text(paragraph) for paragraph in note.iter(qn("w:p")))
                notes[kind, note.get(qn("w:id"), "")] = text.strip()
        return cls(notes)

    def texts(self, references: Iterable[tuple[str, str]]) -> list[str]:
        found: list[str] = []
        for kind, note_id in references:
            self._counts[kind] = number = self._counts.get(kind, 0) + 1
            mark = str(number).translate(_RAISED) if kind == "footnote" else roman(number)
            if text := self._notes.get((kind, note_id)):
                found.append(f"{mark} {text}")
        return found
