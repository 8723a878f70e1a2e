"""PDF files for tests."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any, cast

from fpdf import FPDF
from fpdf.enums import XPos, YPos
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, NameObject


class Sheet(FPDF):
    """A PDF in points with a footer, on which text is placed block by block."""

    def __init__(self, running: str = "", width: float = 400) -> None:
        super().__init__(unit="pt", format="a4")
        self.running, self.column = running, width
        self.set_auto_page_break(True, margin=90)
        self.set_margins(72, 72)
        self.add_page()

    def footer(self) -> None:
        if self.running:
            self.set_font("Helvetica", size=8)
            self.set_xy(72, -50)
            self.cell(0, 10, self.running.format(page=self.page_no()))

    def block(self, text: str, *, size: float = 11, bold: bool = False, gap: float = 8) -> "Sheet":
        self.set_font("Helvetica", style="B" if bold else "", size=size)
        self.multi_cell(self.column, size * 1.3, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(gap)
        return self

    def rows(self, rows: Sequence[Sequence[str]]) -> "Sheet":
        self.set_font("Helvetica", size=10)
        with self.table(rows, width=int(self.column), align="LEFT", text_align="LEFT"):
            pass
        self.ln(8)
        return self

    def data(self) -> bytes:
        return bytes(self.output())


def encrypted(data: bytes, password: str, *, owner: str = "owner") -> bytes:
    """Encrypt for readers who know `password`; an empty one only forbids changes."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(data)))
    writer.encrypt(user_password=password, owner_password=owner, algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def disguised(data: bytes) -> bytes:
    """The same pages to look at, with fonts that say their characters are private ones (U+E020 and on)."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(data)))
    table = DecodedStreamObject()
    spaces = b"1 begincodespacerange <00> <FF> endcodespacerange"
    table.set_data(b"begincmap " + spaces + b" 1 beginbfrange <20> <7E> <E020> endbfrange endcmap")
    reference = writer._add_object(table)  # pyright: ignore[reportPrivateUsage]
    for page in cast("Any", writer.pages):
        for font in page["/Resources"]["/Font"].values():
            font.get_object()[NameObject("/ToUnicode")] = reference
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def drawing() -> bytes:
    """A page with a line and no text, as a scan has."""
    pdf = FPDF()
    pdf.add_page()
    pdf.line(10, 10, 100, 100)
    return bytes(pdf.output())


def raw(
    content: str,
    box: str = "0 0 600 800",
    *,
    resources: str = "",
    page: str = "",
    root: str = "",
    objects: Sequence[str] = (),
) -> bytes:
    """A page with this content stream and no cross-reference table, which readers rebuild.

    `resources`, `page` and `root` are entries of those dictionaries; `objects` are numbered from 6.
    """
    listed = (
        f"<< /Type /Catalog /Pages 2 0 R {root} >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Contents 5 0 R {page}"
        f" /Resources << /Font << /F1 4 0 R >> {resources} >> >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        stream(content),
        *objects,
    )
    body = "".join(f"{number} 0 obj\n{value}\nendobj\n" for number, value in enumerate(listed, start=1))
    return f"%PDF-1.7\n{body}trailer << /Root 1 0 R >>\n".encode("latin-1")


def stream(content: str, entries: str = "") -> str:
    return f"<< /Length {len(content)} {entries} >>\nstream\n{content}\nendstream"
