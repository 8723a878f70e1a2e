"""Extracts of whole documents: their sections from the beginning, and how two of them differ, side by side."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from citewell_verify.evidence.conflicts.replacements import Excerpt, known_documents
from citewell_verify.text.words import content_stems, letters
from clients.llm.offline.quotations import LEADS, Quotation, ReadSource, plain_quotation
from domain.question.whole_documents import whole_request

_LONGEST_EXTRACT = 1_800  # characters
_MOST_DIFFERENCES = 16


def extract(reads: Sequence[ReadSource]) -> list[Quotation]:
    """The sections of the most relevant document, each from its beginning, as far as there is room for all of them."""
    sections = _sections(read for read in reads if read.document == reads[0].document)
    room = _LONGEST_EXTRACT // max(1, len(sections))
    return [quotation for section in sections.values() for quotation in _beginning(section, room)]


def differences(question: str, reads: Sequence[ReadSource]) -> list[Quotation]:
    """What each of two documents says and the other does not, section by section, the older one first."""
    known = known_documents(
        [Excerpt(read.document, read.document, read.source.text, read.source.context) for read in reads]
    )
    pair = sorted(whole_request(question, known), key=lambda name: known[name].date or "9")
    if not pair:
        return []
    sides = [_sections(read for read in reads if read.document == name) for name in pair]
    said = [{letters(quotation.unit.text) for section in side.values() for quotation in section} for side in sides]
    apart: list[Quotation] = []
    for heading in dict.fromkeys(heading for side in (sides[1], sides[0]) for heading in side):
        for side, others in zip(sides, reversed(said), strict=True):
            section = side.get(heading, [])
            apart += [quotation for quotation in section if letters(quotation.unit.text) not in others]
    return [replace(quotation, is_listed=True) for quotation in apart[:_MOST_DIFFERENCES]]


def _sections(reads: Iterable[ReadSource]) -> dict[str, list[Quotation]]:
    """What stands below each heading, the first with the heading; passages overlap, so what stands twice is one."""
    sections: dict[str, dict[str, Quotation]] = {}
    for read in reads:
        for unit in read.units:
            if not unit.is_heading:
                section = sections.setdefault(" ".join(content_stems(unit.heading)), {})
                quotation = plain_quotation(read, unit)
                section.setdefault(
                    letters(unit.text), quotation if section else replace(quotation, text=unit.below_heading)
                )
    return {heading: list(section.values()) for heading, section in sections.items()}


def _beginning(section: Sequence[Quotation], room: int) -> list[Quotation]:
    """As much of a section as there is room for, at least its first sentence, and no line that only introduces more."""
    quoted: list[Quotation] = []
    for quotation in section:
        if quoted and not quoted[-1].text.endswith(LEADS) and room < len(quotation.text):
            break
        quoted.append(quotation)
        room -= len(quotation.text)
    return quoted
