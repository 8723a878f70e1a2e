"""PDFs whose every sentence states its place: `P3S2x17` is sentence 17, on page 3, below heading 2."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fpdf import FPDF
from fpdf.enums import MethodReturnValue

TOKEN = re.compile(r"P(\d+)S(\d+)x(\d+)")
WORDS = (
    "carrier delivery register garden silver opens within every policy remains window customer declares several "
    "articles before season restocking defective electronics moderate harbor consider financial turnover paragraph"
).split()
LEADING = 1.3
BOTTOM = 130


@dataclass
class Truth:
    """The contents of a document: titles of its headings (number 0: none yet), its sentences and rows by token.

    `pages` has the page of a token that does not know it (`P0`): text that flows from page to page.
    """

    seed: int
    titles: list[str | None] = field(default_factory=lambda: [None])
    sentences: dict[str, str] = field(default_factory=dict[str, str])
    pages: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def title(self, label: str = "") -> str:
        """Return a new heading's text."""
        words = " ".join(self.random.sample(WORDS, 3)).capitalize()
        self.titles.append(f"{label} {words}".strip())
        return f"{label} {words}".strip()

    def token(self, page: int) -> str:
        """Return the token of a sentence below the newest heading."""
        return f"P{page}S{len(self.titles) - 1}x{len(self.sentences)}"

    def sentence(self, page: int, most: int = 18, words: Sequence[str] = WORDS) -> str:
        """Return a new sentence of at most `most` words for `page`."""
        chosen = self.random.choices(words, k=self.random.randint(8, most))
        token = self.token(page)
        chosen.insert(self.random.randint(1, len(chosen)), token)
        text = " ".join(chosen)
        self.sentences[token] = f"{text[0].upper()}{text[1:]}."
        return self.sentences[token]

    def paragraph(self, page: int, sentences: int = 4) -> str:
        return " ".join(self.sentence(page) for _ in range(sentences))

    def row(self, page: int, cells: int) -> list[str]:
        """Return the cells of a new row of a table."""
        token = self.token(page)
        numbers = [f"{self.random.randint(1, 9999):,}" for _ in range(cells - 2)]
        row = [token, self.random.choice(WORDS).capitalize(), *numbers]
        self.sentences[token] = " ".join(row)
        return row


class TruePdf(FPDF):
    """Sets headings and paragraphs into columns and records their pages."""

    def __init__(self, truth: Truth, *, columns: int = 1, landscape: bool = False) -> None:
        super().__init__(unit="pt", format="a4", orientation="landscape" if landscape else "portrait")
        self.truth, self.columns, self.column = truth, columns, 0
        self.body_size, self.align, self.running, self.footnotes = 11 - columns, "L", "", 0
        self.set_auto_page_break(False)
        self.set_margins(60, 72)
        self.begin_page()

    @property
    def width(self) -> float:
        return (self.w - 120 - 24 * (self.columns - 1)) / self.columns

    def begin_page(self) -> None:
        """End a page with its footnotes and begin the next one with its running lines."""
        self._footnotes()
        self.add_page()
        self.column = 0
        self.set_font("Helvetica", size=8)
        if self.running:
            self.text(60, 36, f"{self.running} {self.page_no()}")
            self.text(self.w / 2, self.h - 30, f"Page {self.page_no()}")
        self._top()

    def _footnotes(self) -> None:
        self.set_font("Helvetica", size=8)
        for number in range(self.footnotes if self.page_no() else 0):
            self.text(60, self.h - 90 + 11 * number, f"{number + 1} {self.truth.sentence(self.page_no(), most=9)}")

    def _top(self) -> None:
        self.set_left_margin(60 + self.column * (self.width + 24))
        self.set_xy(self.l_margin, 72)

    def _place(self, height: float) -> None:
        if self.get_y() + height > self.h - BOTTOM:
            self.column += 1
            if self.column == self.columns:
                self.begin_page()
            else:
                self._top()

    def heading(self, label: str = "", *, size: float = 16, bold: bool = True, bookmark: bool = False) -> None:
        """Set a heading of one line that keeps room for what follows."""
        self._place(150)
        title = self.truth.title(label)
        if bookmark:
            self.start_section(title)
        self._set(title, size, bold=bold, align="L")

    def paragraph(self, sentences: int = 4) -> None:
        """Set a paragraph of new sentences that stays in its column."""
        lines = 3 + sentences * 170 // int(self.width / self.body_size / 0.5)
        self._place(lines * self.body_size * LEADING + 10)
        self._set(self.shaped(self.truth.paragraph(self.page_no(), sentences)), self.body_size, align=self.align)

    def shaped(self, text: str) -> str:
        """Return how the text is given to the page; a kind of document changes it."""
        return text

    def wrapped(self, text: str) -> list[str]:
        lines = self.multi_cell(self.width, self.body_size, text, dry_run=True, output=MethodReturnValue.LINES)
        assert isinstance(lines, list)
        return [str(line) for line in lines]

    def _set(self, text: str, size: float, *, bold: bool = False, align: str = "L") -> None:
        self.set_font("Helvetica", style="B" if bold else "", size=size)
        self.multi_cell(self.width, size * LEADING, text, align=align, new_x="LMARGIN", new_y="NEXT")
        self.ln(0.7 * size)

    def grid(self, header: list[str], rows: int, *, bold: bool = True, number: int = 0) -> None:
        """Set a table cell by cell, with its header again on every page."""
        for row in range(rows):
            if row == 0 or self.get_y() + 20 > self.h - BOTTOM:
                if row:
                    self.begin_page()
                self._row(header, bold=bold)
            self._row(self.truth.row(self.page_no(), len(header) + number))
        self.ln(14)

    def _row(self, cells: list[str], *, bold: bool = False) -> None:
        self.set_font("Helvetica", style="B" if bold else "", size=10)
        for cell in cells:
            self.cell(self.width / len(cells), 16, cell)
        self.ln(16)

    def data(self) -> bytes:
        self._footnotes()
        return bytes(self.output())
