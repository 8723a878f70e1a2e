"""`python -m benchmarks.search.boxes FOLDER [SPANS]`: whether the box of a word has that word in it.

Random spans of the text of every PDF in a folder (2,000 over all, a document's share by its words). For each word of
a span, the letters and digits that another reader of PDFs (pdfminer.six) finds in the word's boxes have to be those of
the word. Words with letters that the other reader cannot tell are counted apart. For each span, the joined boxes that a
page marks may hold no other letters.
"""

import random
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import cast

from pdfminer.converter import PDFPageAggregator
from pdfminer.layout import LTChar, LTContainer
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage
from rich.console import Console
from rich.table import Table

from citewell_documents.boxes import WordBox, boxes_of_span, words_on
from citewell_documents.document import ParsedDocument
from citewell_documents.parsing import ParseLimits, parse
from citewell_verify.errors import CitewellError

LIMITS = ParseLimits(max_pages=5_000, max_chars=20_000_000)
SPANS = 2_000
HEADINGS = ("file", "spans", "words", "right", "wrong", "not read by the other", "spans with other letters")
_MOST_WORDS = 12
_UNREAD = "\ufffd"
_EDGE = 0.6  # points: the two readers measure letters in their own ways


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter that the other reader found, with the middle of its box, from the upper left corner of the page."""

    text: str
    x: float
    y: float


@dataclass(slots=True)
class Tally:
    """Counts of words, and of spans; `examples` has (word, letters in its box)."""

    spans: int = 0
    right: int = 0
    wrong: int = 0
    unread: int = 0
    spilled: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    @property
    def share(self) -> float:
        return self.right / max(1, self.right + self.wrong)


def compare(data: bytes, document: ParsedDocument, spans: int, seed: int = 0) -> Tally:
    """Compare the boxes of `spans` random spans of a document with the letters that the other reader finds."""
    tally, chance = Tally(), random.Random(seed)
    words = [_words(document.text, page.start, page.end) for page in document.pages]
    sheets = {boxes.number: boxes for boxes in document.boxes}
    weights = [len(each) if page.number in sheets else 0 for page, each in zip(document.pages, words, strict=True)]
    chosen = Counter(chance.choices(range(len(words)), weights, k=spans) if any(weights) else [])
    letters = dict(_letters(data, sorted(chosen)))
    for at, count in sorted(chosen.items()):
        for _ in range(count):
            first = chance.randrange(len(words[at]))
            span = words[at][first : first + chance.randint(1, _MOST_WORDS)]
            _judge(document.text, span, sheets[document.pages[at].number].words, letters[at], tally)
    return tally


def _judge(text: str, span: Sequence[tuple[int, int]], boxes: bytes, letters: Sequence[Letter], tally: Tally) -> None:
    tally.spans += 1
    known = True
    page = _read(letters)
    for start, end in span:
        wanted = _spelled(text[start:end])
        found = [_read(_under([box], letters)) for box in boxes_of_span(boxes, start, end)]
        if _same(wanted, found):
            tally.right += 1
        elif not set(wanted) <= set(page) or any(_UNREAD in part for part in found):
            tally.unread, known = tally.unread + 1, False
        else:
            tally.wrong, known = tally.wrong + 1, False
            tally.examples.append((text[start:end], " | ".join(found)))
    whole = Counter(_spelled(text[span[0][0] : span[-1][1]]))
    marked = boxes_of_span(boxes, span[0][0], span[-1][1])
    under = Counter(_read(_under(marked, letters)))
    tally.spilled += known and bool(under - whole)


def _words(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the words with letters or digits in a part of the text, without signs of formulas, whose fonts have their
    own codes."""
    found: list[tuple[int, int]] = []
    at = start
    for word in text[start:end].split():
        at = text.index(word, at)
        if any(each.isalnum() for each in word) and not any(unicodedata.category(each)[0] == "S" for each in word):
            found.append((at, at + len(word)))
        at += len(word)
    return found


def _letters(data: bytes, pages: Sequence[int]) -> Iterator[tuple[int, list[Letter]]]:
    # The layout analysis is left out, because it takes 20 times as long for the letters of a turned page.
    resources = PDFResourceManager()
    device = PDFPageAggregator(resources, laparams=None)
    interpreter = PDFPageInterpreter(resources, device)
    for at, page in enumerate(PDFPage.get_pages(BytesIO(data))):
        if at not in pages:
            continue
        interpreter.process_page(page)
        left, bottom, right, top = _crop(page)
        letters = [
            Letter(glyph.get_text(), (glyph.x0 + glyph.x1) / 2 - left, top - (glyph.y0 + glyph.y1) / 2)
            for glyph in _characters(device.get_result())
        ]
        yield at, [letter for letter in letters if 0 <= letter.x <= right - left and 0 <= letter.y <= top - bottom]


def _crop(page: PDFPage) -> tuple[float, float, float, float]:
    """Return the visible part of a page in the coordinates of the other reader, which turns the page with its whole
    medium."""
    (x0, y0, x1, y1), (a0, b0, a1, b1) = page.mediabox, page.cropbox or page.mediabox
    left, bottom, right, top = max(a0, x0), max(b0, y0), min(a1, x1), min(b1, y1)
    turned = {
        0: (left - x0, bottom - y0, right - x0, top - y0),
        90: (bottom - y0, x1 - right, top - y0, x1 - left),
        180: (x1 - right, y1 - top, x1 - left, y1 - bottom),
        270: (y1 - top, left - x0, y1 - bottom, right - x0),
    }
    return turned[page.rotate % 360]


def _characters(item: object) -> Iterator[LTChar]:
    if isinstance(item, LTChar):
        yield item
    elif isinstance(item, LTContainer):
        for part in cast("Iterable[object]", item):
            yield from _characters(part)


def _under(boxes: Sequence[WordBox], letters: Sequence[Letter]) -> list[Letter]:
    return [
        letter
        for letter in letters
        if any(
            box.left - _EDGE <= letter.x <= box.right + _EDGE and box.top - _EDGE <= letter.y <= box.bottom + _EDGE
            for box in boxes
        )
    ]


def _same(wanted: str, found: Sequence[str]) -> bool:
    """Return whether the parts have the word's letters, in any order of drawing, such as from right to left."""
    spelled = "".join(found)
    twice = spelled[: len(spelled) // 2] * 2 == spelled  # some programs draw letters twice to make them bold
    return sorted(wanted) in (sorted(spelled), sorted(spelled[: len(spelled) // 2]) if twice else [])


def _read(letters: Sequence[Letter]) -> str:
    return "".join(_UNREAD if letter.text.startswith("(cid:") else _spelled(letter.text) for letter in letters)


def _spelled(text: str) -> str:
    """Return letters and digits in the form that both readers share: ligatures spelled out, composed; signs have many
    codes."""
    spelled = unicodedata.normalize("NFKC", text)
    return "".join(character for character in spelled if character.isalnum())


def main(folder: Path, spans: int) -> None:
    documents: list[tuple[str, bytes, ParsedDocument]] = []
    for path in sorted(folder.rglob("*.pdf")):
        data = path.read_bytes()
        try:
            documents.append((path.name, data, parse(data, path.name, LIMITS)))
        except CitewellError as error:
            print(f"{path.name}: {error.message}")
    total = sum(words_on(document.boxes) for _, _, document in documents)
    table = Table(title=f"{folder.name}: boxes of words, read by another reader")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "file" else "right")
    sums = Tally()
    for name, data, document in documents:
        share = max(1, round(spans * words_on(document.boxes) / max(1, total)))
        tally = compare(data, document, share)
        _add(table, name, tally)
        for counted in ("spans", "right", "wrong", "unread", "spilled"):
            setattr(sums, counted, getattr(sums, counted) + getattr(tally, counted))
        for word, held in tally.examples[:3]:
            print(f"  {name}: {word!r} has {held!r} in its box")
    _add(table, "all", sums)
    Console().print(table)
    print(f"{sums.share:.2%} of {sums.right + sums.wrong:,} words are in their boxes")


def _add(table: Table, name: str, tally: Tally) -> None:
    numbers = (
        tally.spans,
        tally.right + tally.wrong + tally.unread,
        tally.right,
        tally.wrong,
        tally.unread,
        tally.spilled,
    )
    table.add_row(name, *(f"{number:,}" for number in numbers))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or not Path(sys.argv[1]).is_dir():
        raise SystemExit("usage: python -m benchmarks.search.boxes FOLDER [SPANS]")
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else SPANS)
