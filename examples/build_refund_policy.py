"""Typeset refund_policy.md as refund-policy.pdf of the example documents, always with the same bytes.

Run `python examples/build_refund_policy.py` after a change of the text.
"""

from datetime import UTC, datetime
from pathlib import Path

from fpdf import FPDF
from fpdf.enums import XPos, YPos

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "api" / "dashboard" / "example"
RUNNING = "Halden Supply Co. - Refund and Returns Policy, version 4.2"
HEADING_SIZES = {"#": 20.0, "##": 14.0, "###": 11.5}


class Policy(FPDF):
    """US Letter, with a footer on every page."""

    def __init__(self) -> None:
        super().__init__(format="letter", unit="pt")
        self.set_margins(72, 72, 72)
        self.set_auto_page_break(True, margin=84)
        self.set_title("Refund and Returns Policy")
        self.set_creation_date(datetime(2025, 2, 14, 9, 0, tzinfo=UTC))

    def footer(self) -> None:
        """Print the name of the policy and the number of the page."""
        self.set_y(-54)
        self.set_font("Helvetica", size=8)
        self.cell(0, 10, RUNNING)
        self.set_x(-172)
        self.cell(100, 10, f"Page {self.page_no()} of {{nb}}", align="R")


def build(source: str) -> bytes:
    """Return a PDF of headings, paragraphs, lists and tables in Markdown."""
    pdf = Policy()
    pdf.add_page()
    for block in source.strip().split("\n\n"):
        mark, _, rest = block.partition(" ")
        if mark in HEADING_SIZES:
            _heading(pdf, mark, rest)
        elif mark == "|":
            _table(pdf, block.splitlines())
        elif mark == "-":
            for item in block.splitlines():
                _text(pdf, item, gap=1)
        else:
            _text(pdf, " ".join(block.splitlines()), gap=6)
    return bytes(pdf.output())


def _heading(pdf: FPDF, mark: str, title: str) -> None:
    if pdf.will_page_break(110):
        pdf.add_page()
    if mark != "#":
        pdf.ln(14 if mark == "##" else 8)
        pdf.start_section(title, level=len(mark) - 2)
    pdf.set_font("Helvetica", style="B", size=HEADING_SIZES[mark])
    _lines(pdf, title, height=20)


def _text(pdf: FPDF, text: str, *, gap: float) -> None:
    pdf.set_font("Helvetica", size=10.5)
    _lines(pdf, text, height=14.5)
    pdf.ln(gap)


def _lines(pdf: FPDF, text: str, *, height: float) -> None:
    pdf.multi_cell(0, height, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)


def _table(pdf: FPDF, lines: list[str]) -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not line.startswith("|---")]
    pdf.set_font("Helvetica", size=9.5)
    with pdf.table(rows, line_height=15, col_widths=(4, 3, 4), text_align="LEFT"):
        pass
    pdf.ln(6)


if __name__ == "__main__":
    EXAMPLE.joinpath("refund-policy.pdf").write_bytes(build(HERE.joinpath("refund_policy.md").read_text("utf-8")))
