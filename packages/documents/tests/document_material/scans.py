"""Scans for tests: text printed to a picture, and PDFs of pictures."""

from collections.abc import Sequence
from io import BytesIO

from fpdf import FPDF
from PIL import Image, ImageDraw, ImageFont
from pylopdf_fonts_ko import sans_path

SIZE = (1240, 1754)  # A4 at 150 dots per inch


def printed(*lines: str, size: tuple[int, int] = SIZE) -> Image.Image:
    """A white page with a line of text every half a centimetre."""
    page = Image.new("L", size, 255)
    draw, font = ImageDraw.Draw(page), ImageFont.truetype(str(sans_path()), 30)
    for number, line in enumerate(lines):
        draw.text((120, 120 + 50 * number), line, fill=0, font=font)
    return page


def saved(image: Image.Image, kind: str = "PNG", more: Sequence[Image.Image] = ()) -> bytes:
    """The picture as a file, with further pages for TIFF."""
    out = BytesIO()
    pages = {"save_all": True, "append_images": list(more)} if more else {}
    image.save(out, kind, dpi=(150, 150), **pages)
    return out.getvalue()


def scanned_pdf(*pages: Image.Image | str) -> bytes:
    """A PDF with a page for each picture, or for each text that is a text."""
    pdf = FPDF(unit="pt", format="a4")
    pdf.set_font("Helvetica", size=12)
    for page in pages:
        pdf.add_page()
        if isinstance(page, str):
            pdf.multi_cell(400, 16, page)
        else:
            pdf.image(page, 0, 0, pdf.w, pdf.h)
    return bytes(pdf.output())
