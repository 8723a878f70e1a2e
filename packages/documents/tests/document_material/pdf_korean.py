"""Korean PDFs without a font file: readers know the characters of the standard Korean encoding."""

from document_material.pdf_truth import Truth

_WORDS = (
    "배송 기간은 삼십일 이내에 고객이 등록한 상품을 반품할 수 있으며 수수료는 무료로 처리한다 규정에 따라 다음과 같이 "
    "전자제품은 예외로 하고 환불은 영업일 기준으로 확인된 경우에만 가능합니다"
).split()
_SIZE, _WIDTH, _LEADING = 10, 450, 15


def korean_pdf(truth: Truth) -> tuple[bytes, Truth]:
    """Return a PDF of four pages with two headings on each and its truth."""
    return pdf_of([_page(truth, number) for number in range(1, 5)]), truth


def _page(truth: Truth, number: int) -> list[tuple[float, float, str]]:
    """The lines of a page: height, size, text."""
    lines: list[tuple[float, float, str]] = []
    y = 760.0
    for _ in range(2):
        title = f"{len(truth.titles)} " + " ".join(truth.random.sample(_WORDS, 2))
        truth.titles.append(title)
        lines.append((y, 15, title))
        y -= 30
        for _ in range(3):
            text = " ".join(truth.sentence(number, words=_WORDS) for _ in range(3))
            for line in _wrapped(text):
                lines.append((y, _SIZE, line))
                y -= _LEADING
            y -= 10
        y -= 10
    return lines


def _wrapped(text: str) -> list[str]:
    lines = [""]
    for word in text.split():
        line = f"{lines[-1]} {word}".strip()
        if _width(line) > _WIDTH:
            lines.append(word)
        else:
            lines[-1] = line
    return lines


def _width(text: str) -> float:
    return sum(0.5 if character.isascii() else 1.0 for character in text) * _SIZE


def pdf_of(pages: list[list[tuple[float, float, str]]]) -> bytes:
    """Return a PDF with these lines (height, size, text) in a font of the reader, none embedded."""
    kids = " ".join(f"{5 + 2 * page} 0 R" for page in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type0 /BaseFont /HYSMyeongJo-Medium /Encoding /UniKS-UCS2-H"
        " /DescendantFonts [4 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HYSMyeongJo-Medium /DW 1000 /W [1 95 500]"
        " /CIDSystemInfo << /Registry (Adobe) /Ordering (Korea1) /Supplement 1 >>"
        " /FontDescriptor << /Type /FontDescriptor /FontName /HYSMyeongJo-Medium /Flags 4 /FontBBox [0 -148 1001 880]"
        " /ItalicAngle 0 /Ascent 880 /Descent -148 /CapHeight 880 /StemV 93 >> >>",
    ]
    for number, lines in enumerate(pages):
        content = "".join(
            f"BT /F1 {size} Tf 1 0 0 1 72 {y} Tm <{text.encode('utf-16-be').hex()}> Tj ET\n" for y, size, text in lines
        )
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>"
            f" /Contents {6 + 2 * number} 0 R >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    body = "".join(f"{number} 0 obj\n{value}\nendobj\n" for number, value in enumerate(objects, start=1))
    return f"%PDF-1.7\n{body}trailer << /Root 1 0 R >>\n".encode("latin-1")
