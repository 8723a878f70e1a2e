"""The typographic norms of a PDF document, by which its lines are interpreted."""

import re
from collections import Counter, defaultdict
from itertools import pairwise

from citewell_documents.parsing.pdf.ink import is_unspaced
from citewell_documents.parsing.pdf.lines import Line

_LAST_PART, _FIRST_PART = re.compile(r"\w+$"), re.compile(r"^\w+")
_COMPOUND = re.compile(r"\w+-\w+")
_KEEP_HYPHEN = ("self-", "ex-", "half-", "cross-")
_PARAGRAPH_GAP = 1.3  # times the usual line distance
_MAX_LEADING_EM = 2.5
_MAX_DISPLAY_LEADING_EM = 1.6
_DISPLAY_SIZE = 1.08  # times the body size


class Typography:
    """A document's norms: its body font, the line distance for each font size, and its way of dividing words."""

    def __init__(self, pages: list[list[Line]]) -> None:
        lines = [line for page in pages for line in page]
        styles: Counter[tuple[float, bool]] = Counter()
        for line in lines:
            styles[line.size, line.bold] += len(line.text)
        self.body_size, self.body_is_bold = styles.most_common(1)[0][0] if styles else (10.0, False)
        self._leading = _usual_drops(pages)
        self._compounds = {compound.casefold() for line in lines for compound in _COMPOUND.findall(line.text)}
        self._divides_hangul = _divides_hangul(pages)

    def is_display(self, line: Line) -> bool:
        return line.size >= _DISPLAY_SIZE * self.body_size

    def max_drop(self, size: float) -> float:
        """The distance of baselines above which a new paragraph begins, in points."""
        limit = (_MAX_DISPLAY_LEADING_EM if size > self.body_size else _MAX_LEADING_EM) * size
        return _PARAGRAPH_GAP * min(self._leading.get(size, 1.2 * size), limit)

    def continuation(self, above: Line, line: Line) -> str:
        """The joint between two lines of wrapped prose: a space, nothing, or the hyphen of a compound."""
        if above.divided:
            return "-" if self._keeps_hyphen(above.text, line.text) else ""
        if above.spaced:
            return " "
        last, first = above.text[-1], line.text[0]
        unspaced = is_unspaced(last) and is_unspaced(first)
        divided = self._divides_hangul and _is_hangul(first) and last.isalnum()
        return "" if unspaced or divided else " "

    def _keeps_hyphen(self, above: str, line: str) -> bool:
        last, first = _LAST_PART.search(above), _FIRST_PART.search(line)
        if not last or not first:
            return True
        compound = f"{last[0]}-{first[0]}".casefold()
        return not first[0][0].islower() or compound in self._compounds or compound.startswith(_KEEP_HYPHEN)


def _usual_drops(pages: list[list[Line]]) -> dict[float, float]:
    drops: defaultdict[float, Counter[float]] = defaultdict(Counter)
    for page in pages:
        for above, line in pairwise(page):
            drop = round(2 * (above.y - line.y)) / 2
            if above.size == line.size and 0.8 * line.size <= drop <= _MAX_LEADING_EM * line.size:
                drops[line.size][drop] += 1
    return {size: counter.most_common(1)[0][0] for size, counter in drops.items()}


def _divides_hangul(pages: list[list[Line]]) -> bool:
    """True if lines that end with a whole word have a space there, so that all other lines divide a word."""
    ends = Counter(
        above.spaced
        for page in pages
        for above, line in pairwise(page)
        if _is_hangul(above.text[-1]) and _is_hangul(line.text[0])
    )
    return ends[True] >= 0.1 * ends.total() > 0


def _is_hangul(character: str) -> bool:
    return "가" <= character <= "힣"
