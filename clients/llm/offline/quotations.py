"""What an answer quotes of its sources, with what belongs to it, and how it is written."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice, pairwise, takewhile

from citewell_verify.facts.structure.tables import cells_as_text
from citewell_verify.prompting.numbered_sources import Source
from citewell_verify.question.features import FORMS, without_asking
from citewell_verify.question.question_parts import QuestionPart, has_kind
from citewell_verify.question.relevance import Candidate
from citewell_verify.question.units import Unit, is_stopped, units_of
from citewell_verify.text.words import coverage
from domain.question.asked_cells import asked_cells

_MOST_ITEMS = 40  # of a list or a table that is quoted as a whole
_LONGEST_SECTION = 500  # characters of a section that is quoted from its beginning
LEADS = (":", "：")


@dataclass(frozen=True, slots=True)
class ReadSource:
    """A source with its units, which are read once for a question: they are told apart by identity."""

    source: Source
    units: Sequence[Unit]

    @classmethod
    def of(cls, source: Source) -> "ReadSource":
        return cls(source, units_of(source.text, source.context, source.label))

    @property
    def document(self) -> str:
        """The name of its document, which the label has before the page."""
        return self.source.label.partition(", p.")[0]


@dataclass(frozen=True, slots=True)
class Quotation:
    """What an answer quotes of a source: `text`, which is that of `unit` with what makes it clear. `covers` are the
    words of the question that it has, `own` those that do not only stand above it. `is_listed`: it is an item of a list
    that is quoted as a whole.
    """

    read: ReadSource = field(repr=False)
    unit: Unit
    text: str
    probability: float = 0.0
    covers: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    is_listed: bool = False

    @property
    def source(self) -> Source:
        return self.read.source


def plain_quotation(read: ReadSource, unit: Unit) -> Quotation:
    return Quotation(read, unit, unit.text, is_listed=unit.is_item)


def quotation_of(part: QuestionPart, read: ReadSource, candidate: Candidate) -> Quotation | None:
    """Quote a unit for a part of a question: below its heading if that has words of the question, the cells of a row
    that are asked for. None if the row has no value there."""
    standing, unit = candidate.standing, candidate.unit
    # "If it fails: 2. Call the desk." would be two sentences, of which the first says nothing.
    is_numbered = unit.is_item and unit.text[:1].isdigit()
    has_head = not is_numbered and _is_by_head(unit, standing.has, standing.own)
    text = unit.below_heading if has_head else unit.text
    if unit.row is not None:
        cells = asked_cells(part, unit.row, read.units)
        if not cells:
            return None
        text = cells_as_text(unit.row, cells)
    return Quotation(read, unit, text, candidate.probability, standing.has, standing.own)


def _is_by_head(unit: Unit, has: Set[str], own: Set[str]) -> bool:
    """Return whether the head above a unit has words of the question that the unit itself lacks."""
    return any(coverage([word], unit.above) for word in has - own)


def with_what_belongs_to_it(part: QuestionPart, quotation: Quotation) -> list[Quotation]:
    """Return the quotation with the whole list, section or table whose head has the words of the question that it has
    itself, with the whole list if the head has further words of the question, or with the next sentence if that has."""
    unit, read = quotation.unit, quotation.read
    if unit.row is not None:
        return [quotation] if names_row(unit, quotation.own) else _whole_table(part, quotation)
    place = next(at for at, member in enumerate(read.units) if member is unit)
    following = read.units[place + 1 :]
    if _introduces(unit, following):
        return _with_list(quotation, following)
    is_one_of_many = unit.is_item and part.kind != "decision" and _is_by_head(unit, quotation.covers, quotation.own)
    if part.kind not in FORMS and (is_one_of_many or all(coverage([word], unit.above) for word in quotation.own)):
        return _whole_section(quotation, read.units[:place])
    if following and following[0].group == unit.group and _adds(part, quotation, following[0]):
        further = replace(plain_quotation(read, following[0]), is_listed=False)
        return [quotation, *_with_list(further, following[1:])]
    return [quotation]


def names_row(unit: Unit, own: Set[str]) -> bool:
    """Whether the words `own` that a question shares with a row say more than the heads of its columns."""
    return not all(coverage([word], unit.above) for word in own)


def _introduces(unit: Unit, following: Sequence[Unit]) -> bool:
    return unit.text.endswith(LEADS) or any(item.lead == unit.text for item in following[:1])


def _with_list(quotation: Quotation, following: Sequence[Unit]) -> list[Quotation]:
    """The quotation with the list that it introduces, if it does."""
    if not _introduces(quotation.unit, following):
        return [quotation]
    below, table = quotation.unit.group + 1, following[0].row.table if following and following[0].row else None
    items = takewhile(lambda item: item.row.table == table if item.row else item.group == below, following)
    listed = (replace(plain_quotation(quotation.read, item), is_listed=True) for item in islice(items, _MOST_ITEMS))
    return [quotation, *listed]


def _whole_section(quotation: Quotation, before: Sequence[Unit]) -> list[Quotation]:
    """The list with the line that introduces it, or the beginning of the section."""
    unit, read = quotation.unit, quotation.read
    members = [
        member for member in read.units if member.group == unit.group and member.row is None and not member.is_heading
    ]
    section = [plain_quotation(read, member) for member in members]
    if any(member.is_item for member in members):
        heads = [head for head in before if head.text == (unit.lead or unit.heading)][-1:]
        return [*(plain_quotation(read, head) for head in heads), *section[:_MOST_ITEMS]]
    section[:1] = [replace(first, text=first.unit.below_heading) for first in section[:1]]
    ends = accumulate(len(member.text) for member in members)
    return [member for member, end in zip(section, ends, strict=True) if end <= _LONGEST_SECTION] or [quotation]


def _whole_table(part: QuestionPart, quotation: Quotation) -> list[Quotation]:
    """All rows of a table of which the question names only columns."""
    read, table = quotation.read, quotation.unit.row and quotation.unit.row.table
    rows = [(unit, unit.row) for unit in read.units if unit.row and unit.row.table == table][:_MOST_ITEMS]
    quoted = ((unit, row, asked_cells(part, row, read.units)) for unit, row in rows)
    return [Quotation(read, unit, cells_as_text(row, cells)) for unit, row, cells in quoted if cells]


def _adds(part: QuestionPart, quotation: Quotation, following: Unit) -> bool:
    """Whether the next sentence has words of the question that the quotation lacks, or what is asked for."""
    if any(following.read.related_stems.similarity(word) for word in set(without_asking(part.stems)) - quotation.own):
        return True
    is_kind = has_kind(part.kind, following.text, part.text)
    return is_kind is True and has_kind(part.kind, quotation.text, part.text) is not True


def in_writing(quotations: Sequence[Quotation]) -> list[str]:
    """Return the quotations as the pieces of an answer, each with its marker: sentences follow each other, items of a
    list and what is no sentence have lines of their own."""
    pieces: list[str] = []
    for quotation in quotations:
        dash = "- " if quotation.is_listed and not quotation.text[0].isdigit() else ""
        pieces.append(f"{dash}{quotation.text} [†{quotation.source.number}]")
    ends = [_gap(quotation, following) for quotation, following in pairwise(quotations)]
    return [piece + end for piece, end in zip(pieces, [*ends, ""], strict=False)]


def _gap(quotation: Quotation, following: Quotation) -> str:
    if following.is_listed:
        return "\n"
    is_same_item = quotation.is_listed and following.unit.group == quotation.unit.group
    stays_open = not is_stopped(quotation.text) or (quotation.is_listed and not is_same_item)
    return "\n\n" if stays_open else " "
