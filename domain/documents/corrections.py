"""A correction of a stored text: the characters that are replaced, and the new places of everything behind them.

A document's text never changes under the answers that cite it, so a correction belongs to a new version, and every
offset of the old one (pages, sections, blocks, figures, boxes of words, chunks) is moved with `Replacement.moved`.
"""

import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

from citewell_documents.boxes import PageBoxes, Recognised, WordBox, packed, unpacked
from citewell_documents.document import TextChunk
from domain.errors.requests import CorrectionInvalid

MOST_CHARS = 20_000
MOST_TITLE = 300
"""The most characters of a heading: a longer text is a paragraph."""


class Replacement(NamedTuple):
    """`old_text[start:end]`, never empty, becomes `text`."""

    start: int
    end: int
    text: str

    @property
    def growth(self) -> int:
        return len(self.text) - (self.end - self.start)

    def moved(self, offset: int) -> int:
        """The place in the new text of a place of the old one; a place within the replaced text goes to its new end."""
        if offset <= self.start:
            return offset
        return offset + self.growth if offset >= self.end else self.start + len(self.text)

    def touches(self, start: int, end: int) -> bool:
        return start < self.end and end > self.start

    def applied(self, text: str) -> str:
        return text[: self.start] + self.text + text[self.end :]


def corrected_text(sent: str, before: str) -> str:
    """The text that replaces the chunk `before`. Raises CorrectionInvalid, which says what to change."""
    text = sent.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise CorrectionInvalid("The corrected text is empty; to keep a passage from being found, exclude it.")
    if len(text) > MOST_CHARS:
        raise CorrectionInvalid(f"The corrected text has {len(text):,} characters; the limit is {MOST_CHARS:,}.")
    if any(unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t" for character in text):
        raise CorrectionInvalid("The corrected text contains control characters; send plain text.")
    if text == before:
        raise CorrectionInvalid("The corrected text is the text that is there already.")
    return text


def replacement(start: int, before: str, after: str) -> Replacement:
    """The shortest replacement that turns `before`, which stands at `start`, into `after`.

    At least one character is replaced, so that a boundary at the edge of the text moves with text that is added there.
    """
    return narrowest(start, before, after, least=1)


def narrowest(start: int, before: str, after: str, least: int = 0) -> Replacement:
    """The shortest replacement that replaces at least `least` characters of `before`; see `replacement`."""
    head = _shared(before, after, len(before) - least)
    tail = _shared(before[head:][::-1], after[head:][::-1], len(before) - head - least)
    replacement = Replacement(head, len(before) - tail, after[head : len(after) - tail])
    if not replacement.text:
        replacement = _whole_lines(before, replacement)
    return replacement._replace(start=start + replacement.start, end=start + replacement.end)


def _whole_lines(before: str, removed: Replacement) -> Replacement:
    """The same removal, moved to the start of its line if that leaves the same text: `# One, # Two` without `One, # `
    is `# Two`, and so it is without `# One, `.
    """
    back = removed.start - (before.rfind("\n", 0, removed.start) + 1)
    is_same = before[removed.start - back : removed.start] == before[removed.end - back : removed.end]
    return Replacement(removed.start - back, removed.end - back, "") if is_same else removed


def _shared(left: str, right: str, most: int) -> int:
    limit = min(most, len(right))
    return next((place for place in range(limit) if left[place] != right[place]), limit)


def moved_spans(spans: Sequence[Sequence[Any]] | None, change: Replacement) -> list[list[Any]] | None:
    """Move stored pages, sections or figures: [number, title or kind, start, end]."""
    if spans is None:
        return None
    return [[name, change.moved(start), change.moved(end)] for name, start, end in spans]


def moved_blocks(blocks: Sequence[Sequence[Any]] | None, change: Replacement) -> list[list[Any]] | None:
    """Move stored blocks (citewell_documents.blocks): [kind, start, end, level, header_end, place], without empty
    fields at the end.

    A block whose text is gone is dropped, and a heading that became a paragraph becomes a text block.
    """
    return None if blocks is None else [moved for block in blocks if (moved := _moved_block(list(block), change))]


def _moved_block(block: list[Any], change: Replacement) -> list[Any] | None:
    kind, start, end = block[0], *(block[1:3] if len(block) > 2 else (0, 0))
    left = change.moved(end) - change.moved(start)
    if start < end and not left:
        return None
    becomes_text = change.end > end or "\n" in change.text or left > MOST_TITLE
    if kind == "heading" and change.touches(start, end) and becomes_text:
        block = ["text", start, end]
    for place in (1, 2, 4):
        if len(block) > place and block[place]:
            block[place] = change.moved(block[place])
    return block


def moved_boxes(page: PageBoxes, change: Replacement) -> PageBoxes:
    """The page with its boxes moved; the boxes of replaced words share the new words among them."""
    words = list(unpacked(page.words))
    touched = [place for place, word in enumerate(words) if change.touches(word.start, word.end)]
    before = [_moved_word(word, change) for word in words if word.end <= change.start]
    after = [_moved_word(word, change) for word in words if word.start >= change.end]
    middle = _shared_out([words[place] for place in touched], change)
    lines = tuple(Recognised(change.moved(start), change.moved(end), sure) for start, end, sure in page.recognised)
    return PageBoxes(page.number, page.width, page.height, packed([*before, *middle, *after]), lines)


def _moved_word(word: WordBox, change: Replacement) -> WordBox:
    return word._replace(start=change.moved(word.start), end=change.moved(word.end))


def _shared_out(words: Sequence[WordBox], change: Replacement) -> list[WordBox]:
    if not words:
        return []
    first = min(words[0].start, change.start)
    last = max(words[-1].end + change.growth, change.start + len(change.text))
    cuts = [first + place * (last - first) // len(words) for place in range(len(words) + 1)]
    return [
        word._replace(start=cuts[place], end=cuts[place + 1])
        for place, word in enumerate(words)
        if cuts[place] < cuts[place + 1]
    ]


def moved_chunk(chunk: TextChunk, text: str, change: Replacement) -> TextChunk:
    """The chunk in the corrected `text` of the document, without outer white space."""
    start, end = change.moved(chunk.start), change.moved(chunk.end)
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    end = start + len(part.strip())
    return TextChunk(chunk.index, start, end, text[start:end], chunk.page, chunk.section, chunk.context)
