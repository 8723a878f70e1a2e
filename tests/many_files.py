"""Two hundred small files of all supported types, ten of them broken."""

from citewell_documents.formats import SUFFIXES
from document_material.pdf_files import Sheet

BROKEN = {
    "broken/cut.pdf": b"%PDF-1.7 and nothing else",
    "broken/picture.pdf": b"\x89PNG\r\n\x1a\n",
    "broken/no-text.txt": b"\x7fELF\x02\x01",
    "broken/blank.txt": b" \n\t\n",
    "broken/blank.md": b"\n\n",
    "broken/zipped.txt": b"PK\x03\x04 something",
    "broken/gzip.md": b"\x1f\x8b\x08 something",
    "broken/zeros.txt": b"words\x00words",
    "broken/old-office.md": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "broken/database.text": b"SQLite format 3\x00",
}
_TEXTS = (".txt", ".text", ".md", ".markdown", ".html", ".htm", ".csv", ".tsv")


def many_files(total: int = 200) -> dict[str, bytes]:
    """`total` files by path, including the broken ones."""
    readable = [suffix for suffix in SUFFIXES if suffix in (*_TEXTS, ".pdf")]
    whole = {
        f"part{number % 7}/file{number:03}{suffix}": _content(number, suffix)
        for number, suffix in ((number, readable[number % len(readable)]) for number in range(total - len(BROKEN)))
    }
    # Among the others, not after them.
    return dict(sorted({**whole, **BROKEN}.items(), key=lambda file: file[0][::-1]))


def _content(number: int, suffix: str) -> bytes:
    told = f"Rule {number}: returns of kind {number} are accepted within {number + 10} days."
    if suffix == ".pdf":
        return Sheet().block(told).data()
    if suffix in (".csv", ".tsv"):
        return "\n".join(("rule\tdays" if suffix == ".tsv" else "rule,days", told.replace(",", " "))).encode()
    return f"# Rule {number}\n\n{told}\n".encode()
