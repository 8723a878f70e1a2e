"""The common kinds of documents, each with its truth."""

from collections.abc import Callable
from io import BytesIO

from fpdf.enums import XPos, YPos
from pypdf import PdfReader, PdfWriter

from document_material.pdf_korean import korean_pdf
from document_material.pdf_truth import LEADING, TOKEN, TruePdf, Truth

Document = tuple[bytes, Truth]


def _sections(pdf: TruePdf, count: int = 6, *, size: float = 16, bold: bool = True, bookmark: bool = False) -> Document:
    for _ in range(count):
        pdf.heading(size=size, bold=bold, bookmark=bookmark)
        for _ in range(pdf.truth.random.randint(1, 3)):
            pdf.paragraph(pdf.truth.random.randint(3, 5))
    return pdf.data(), pdf.truth


def _text_before_the_first_heading(truth: Truth) -> Document:
    pdf = TruePdf(truth)
    pdf.paragraph()
    return _sections(pdf)


def _columns(count: int) -> Callable[[Truth], Document]:
    return lambda truth: _sections(TruePdf(truth, columns=count), 8, size=12)


def _justified_columns(truth: Truth) -> Document:
    pdf = TruePdf(truth, columns=2)
    pdf.align = "J"
    return _sections(pdf, 8, size=12)


def _levels(truth: Truth) -> Document:
    pdf = TruePdf(truth)
    for chapter in (1, 2, 3):
        pdf.heading(f"{chapter}.", size=20)
        pdf.paragraph()
        for part in (1, 2):
            pdf.heading(f"{chapter}.{part}", size=14)
            pdf.paragraph()
            pdf.heading(f"{chapter}.{part}.1", size=10, bold=truth.random.random() < 0.5)
            pdf.paragraph()
    return pdf.data(), truth


def _bold_headings_of_the_same_size(truth: Truth) -> Document:
    return _sections(TruePdf(truth), size=10)


def _bookmarks(truth: Truth) -> Document:
    return _sections(TruePdf(truth), size=10, bold=False, bookmark=True)


def _running(truth: Truth) -> Document:
    pdf = TruePdf(truth)
    pdf.running = "Halden Supply: Terms of Trade"
    return _sections(pdf, 9)


def _footnotes(truth: Truth) -> Document:
    pdf = TruePdf(truth, columns=truth.random.choice([1, 2]))
    pdf.footnotes = 3
    return _sections(pdf, 8)


def _tables(truth: Truth) -> Document:
    pdf = TruePdf(truth)
    header = ["Number", "Article", "Price in EUR", "Units sold", "Stock"][: truth.random.randint(3, 5)]
    for rows in (6, 60, 9):
        pdf.heading()
        pdf.paragraph()
        pdf.grid(header, rows, bold=truth.random.random() < 0.5)
        pdf.paragraph()
    return pdf.data(), truth


def _hyphenated(truth: Truth) -> Document:
    pdf = TruePdf(truth, columns=2)
    pdf.shaped = lambda text: " ".join(_divisible(word) for word in text.split(" "))
    return _sections(pdf, 8, size=13)


def _divisible(word: str) -> str:
    return f"{word[:3]}\u00ad{word[3:]}" if len(word) > 6 and word.isalpha() else word


def _turned(angle: int, *, upright: bool) -> Callable[[Truth], Document]:
    """Pages with /Rotate whose text is either drawn against it (seen upright) or turned with the page."""

    def made(truth: Truth) -> Document:
        data, _ = _sections(TruePdf(truth, columns=truth.random.choice([1, 2]), landscape=angle == 180), 5)
        writer = PdfWriter(clone_from=PdfReader(BytesIO(data)))
        for page in writer.pages:
            page.rotate(angle)
            if upright:
                page.transfer_rotation_to_content()
        out = BytesIO()
        writer.write(out)
        return out.getvalue(), truth

    return made


def _flowing(truth: Truth) -> Document:
    """Paragraphs across pages, with headings of two lines; another reader tells the page of each token."""
    pdf = TruePdf(truth)
    pdf.set_auto_page_break(True, 110)
    pdf.set_font("Helvetica", size=10)
    for _ in range(5):
        if pdf.get_y() > 600:
            pdf.add_page()
        pdf.set_font("Helvetica", style="B", size=24)
        pdf.multi_cell(330, 28, truth.title("A heading of two lines:"), align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        pdf.set_font("Helvetica", size=10)
        for _ in range(4):
            pdf.multi_cell(475, 13, truth.paragraph(0), align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
            pdf.ln(7)
    for number, page in enumerate(PdfReader(BytesIO(data := pdf.data())).pages, start=1):
        truth.pages |= {match[0]: number for match in TOKEN.finditer(page.extract_text())}
    return data, truth


def _line_by_line_across_columns(truth: Truth) -> Document:
    """Two columns whose lines are drawn by height, as text recognition and converters do."""
    pdf = TruePdf(truth, columns=2)
    for page in range(1, 4):
        if page > 1:
            pdf.begin_page()
        pdf.set_left_margin(60)
        pdf.set_xy(60, 72)
        pdf.set_font("Helvetica", style="B", size=16)
        pdf.multi_cell(475, 24, truth.title(), new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        pdf.set_font("Helvetica", size=10)
        columns = [[line for _ in range(4) for line in pdf.wrapped(truth.paragraph(page))] for _ in range(2)]
        for row in range(max(map(len, columns))):
            for column, lines in enumerate(columns):
                if row < len(lines):
                    pdf.text(60 + column * (pdf.width + 24), 120 + 10 * LEADING * row, lines[row])
    return pdf.data(), truth


def _mixed(truth: Truth) -> Document:
    pdf = TruePdf(truth)
    pdf.running, pdf.footnotes, pdf.align = "Halden Supply", 2, "J"
    for chapter in range(1, 5):
        pdf.heading(f"{chapter}.", size=18, bookmark=True)
        pdf.paragraph()
        pdf.heading(f"{chapter}.1", size=13)
        pdf.paragraph()
        pdf.grid(["Number", "Article", "Price"], 8)
        pdf.paragraph()
    return pdf.data(), truth


KINDS: dict[str, Callable[[Truth], Document]] = {
    "text first": _text_before_the_first_heading,
    "two columns": _columns(2),
    "three columns": _columns(3),
    "justified columns": _justified_columns,
    "levels": _levels,
    "bold headings": _bold_headings_of_the_same_size,
    "bookmarks": _bookmarks,
    "running lines": _running,
    "footnotes": _footnotes,
    "tables": _tables,
    "hyphenated": _hyphenated,
    "flowing": _flowing,
    "line by line": _line_by_line_across_columns,
    "mixed": _mixed,
    "Korean": korean_pdf,
    **{f"turned {angle}": _turned(angle, upright=False) for angle in (90, 180, 270)},
    **{f"upright {angle}": _turned(angle, upright=True) for angle in (90, 180, 270)},
}
