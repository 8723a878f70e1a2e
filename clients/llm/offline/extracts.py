"""Extracts of whole documents: their sections from the beginning, and how two of them differ, side by side."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from citewell_verify.evidence.conflicts.replacements import Excerpt, known_documents
from citewell_verify.question.question_parts import question_stems
from citewell_verify.question.units import Unit
from citewell_verify.text.words import content_stems, coverage
from clients.llm.offline.quotations import Quotation, ReadSource, plain_quotation
from domain.question.whole_documents import named_words, whole_request

_LONGEST_EXTRACT = 1_800  # characters
_MOST_DIFFERENCES = 16
_LEADS = (":", "：")
_APART = re.compile(
    r"\b(?:chang|differ|compar|between|version|old|new|current|previous|earlier|former)\w*|바뀌\w*|바뀐|달라\w*|변경\w*"
    r"|차이\w*|비교\w*",
    re.IGNORECASE,
)
"""What tells versions apart, and not what is compared in them."""


def extract(reads: Sequence[ReadSource]) -> list[Quotation]:
    """The sections of the most relevant document, each from its beginning, as far as there is room for all of them."""
    sections = _sections(read for read in reads if read.document == reads[0].document)
    room = _LONGEST_EXTRACT // max(1, len(sections))
    return [quotation for section in sections.values() for quotation in _beginning(section, room)]


def differences(question: str, reads: Sequence[ReadSource]) -> list[Quotation]:
    """What of two documents differs, section by section, the older one first; only what has most of the words that the
    question has beside the documents' names, if anything has."""
    known = known_documents([_excerpt(read) for read in reads])
    pair = sorted(whole_request(question, known), key=lambda name: known[name].date or "9")
    if not pair:
        return []
    sides = [_sections(read for read in reads if read.document == name) for name in pair]
    apart: list[Quotation] = []
    for heading in dict.fromkeys(heading for side in (sides[1], sides[0]) for heading in side):
        members = [side.get(heading, []) for side in sides]
        said = [{_letters(quotation.unit) for quotation in side} for side in members]
        for side, others in zip(members, reversed(said), strict=True):
            apart += [quotation for quotation in side if _letters(quotation.unit) not in others]
    names = frozenset[str]().union(*(named_words(known[name]) for name in pair))
    topic = [stem for stem in question_stems(_APART.sub(" ", question)) if not coverage([stem], names)]
    has = [coverage(topic, frozenset(content_stems(quotation.text)) | quotation.unit.above) for quotation in apart]
    most = max(has, default=0.0)
    chosen = [quotation for quotation, share in zip(apart, has, strict=True) if share == most]
    return [replace(quotation, is_listed=True) for quotation in chosen[:_MOST_DIFFERENCES]]


def _excerpt(read: ReadSource) -> Excerpt:
    return Excerpt(read.document, read.document, read.source.text, read.source.context)


def _sections(reads: Iterable[ReadSource]) -> dict[str, list[Quotation]]:
    """What stands below each heading, the first with the heading; passages overlap, so what stands twice is one."""
    sections: dict[str, dict[str, Quotation]] = {}
    for read in reads:
        for unit in read.units:
            if not unit.is_heading:
                section = sections.setdefault(" ".join(content_stems(unit.heading)), {})
                quotation = plain_quotation(read, unit)
                section.setdefault(
                    _letters(unit), quotation if section else replace(quotation, text=unit.below_heading)
                )
    return {heading: list(section.values()) for heading, section in sections.items()}


def _beginning(section: Sequence[Quotation], room: int) -> list[Quotation]:
    """As much of a section as there is room for, at least its first sentence, and no line that only introduces more."""
    quoted: list[Quotation] = []
    for quotation in section:
        if quoted and not quoted[-1].text.endswith(_LEADS) and room < len(quotation.text):
            break
        quoted.append(quotation)
        room -= len(quotation.text)
    return quoted


def _letters(unit: Unit) -> str:
    return "".join(filter(str.isalnum, unit.text.casefold()))
