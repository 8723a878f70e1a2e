"""A small file of every kind that Citewell reads; each says the same sentence."""

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from docx.document import Document as WordDocument
from pptx.presentation import Presentation
from pptx.util import Emu

from citewell_documents.formats import CODE, IMAGES, LEGACY
from citewell_documents.parsing.recognition.installed import recognition_data
from document_material.dart_files import PAGE, REPORT
from document_material.hwp_files import hwp, hwpx, paragraph
from document_material.office_files import odt, packed, slides, word, workbook
from document_material.pdf_files import Sheet
from document_material.scans import printed, saved

SENTENCE = "The deposit for the hall is 40 euros."
_ROWS = (("Note",), (SENTENCE,), ("Boats are lent without a deposit.",))
_PARAGRAPH = f"<p>{SENTENCE}</p>"
_CUES = f"00:00:01.000 --> 00:00:04.000\n{SENTENCE}\n"
_JSON = f'{{"note": "{SENTENCE}"}}'
_MAIL = f"From: kim@example.com\nTo: bob@example.com\nSubject: The hall\n\n{SENTENCE}\n"
_BOOK = {
    "META-INF/container.xml": '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    "book.opf": (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    ),
    "a.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{_PARAGRAPH}</body></html>',
}
_PROGRAMS = ("soffice", "libreoffice")


def _word(document: WordDocument) -> None:
    document.add_paragraph(SENTENCE)


def _slide(presentation: Presentation) -> None:
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    slide.shapes.add_textbox(Emu(0), Emu(0), Emu(9_000_000), Emu(900_000)).text_frame.text = SENTENCE


def _delimited(separator: str) -> bytes:
    return "\n".join(separator.join(row) for row in _ROWS).encode()


def _picture(suffix: str) -> bytes:
    kind = {".jpg": "JPEG", ".tif": "TIFF"}.get(suffix, suffix.removeprefix("."))
    return saved(printed(SENTENCE, size=(1000, 400)), kind.upper())


def _old_office(suffix: str) -> bytes:
    """Made from a file of today, by the program that Citewell reads the old one with."""
    today = LEGACY[suffix]
    with TemporaryDirectory() as folder:
        given = Path(folder) / f"given{today}"
        given.write_bytes(_FILES[f"kind{today}"]())
        program = next(filter(None, map(shutil.which, _PROGRAMS)))
        argv: Sequence[str] = (program, f"-env:UserInstallation=file://{folder}/profile", "--headless")
        subprocess.run([*argv, "--convert-to", suffix[1:], "--outdir", folder, str(given)], check=True, timeout=120)
        return given.with_suffix(suffix).read_bytes()


_FILES: Mapping[str, Callable[[], bytes]] = {
    **dict.fromkeys(("kind.txt", "kind.text", "kind.md", "kind.markdown", "kind.log"), SENTENCE.encode),
    "kind.rst": f"The hall\n========\n\n{SENTENCE}\n".encode,
    **dict.fromkeys(("kind.adoc", "kind.asciidoc"), f"= The hall\n\n{SENTENCE}\n".encode),
    "kind.tex": f"\\begin{{document}}\n\\section{{The hall}}\n{SENTENCE}\n\\end{{document}}\n".encode,
    "kind.ipynb": f'{{"cells": [{{"cell_type": "markdown", "source": ["# The hall\\n", "{SENTENCE}"]}}]}}'.encode,
    "kind.pdf": lambda: Sheet().block(SENTENCE).data(),
    "kind.docx": partial(word, _word),
    "kind.pptx": partial(slides, _slide),
    "kind.xlsx": partial(workbook, {"Notes": _ROWS}),
    "kind.odt": partial(odt, f"<text:p>{SENTENCE}</text:p>"),
    "kind.hwpx": lambda: hwpx(paragraph(SENTENCE)),
    "kind.hwp": partial(hwp, SENTENCE),
    "kind.rtf": rf"{{\rtf1\ansi {SENTENCE}\par}}".encode,
    "kind.csv": partial(_delimited, ","),
    "kind.tsv": partial(_delimited, "\t"),
    "kind.json": _JSON.encode,
    **dict.fromkeys(("kind.jsonl", "kind.ndjson"), f"{_JSON}\n".encode),
    "kind.xml": f"<notes><note>{SENTENCE}</note></notes>".encode,
    **dict.fromkeys(("kind.html", "kind.htm", "kind.xhtml"), f"<html><body>{_PARAGRAPH}</body></html>".encode),
    "kind.epub": lambda: packed({name: part.encode() for name, part in _BOOK.items()}),
    "kind.eml": _MAIL.encode,
    "kind.srt": f"1\n{_CUES}".replace(".000", ",000").encode,
    "kind.vtt": f"WEBVTT\n\n{_CUES}".encode,
    **{f"kind{suffix}": partial(_picture, suffix) for suffix in IMAGES},
    **{f"kind{suffix}": partial(_old_office, suffix) for suffix in LEGACY},
    **{f"kind{suffix}": f'deposit = 40\nnote = "{SENTENCE}"\n'.encode for suffix in CODE},
    # Two kinds have a suffix of others, and are known by what they say.
    "dart.xml": REPORT.replace("회사는 2019년에 설립되었습니다.", SENTENCE).encode,
    "dart.html": PAGE.replace("</body>", f"{_PARAGRAPH}</body>").encode,
}
NAMES = tuple(_FILES)


def file_of(name: str) -> bytes:
    return _FILES[name]()


def what_lacks(name: str) -> str | None:
    """Why this machine cannot read a file of this kind; None if it can."""
    suffix = PurePath(name).suffix
    if suffix in LEGACY and not any(map(shutil.which, _PROGRAMS)):
        return "LibreOffice is not installed"
    if suffix in IMAGES and not recognition_data("eng"):
        return "text recognition (the extra `ocr`) is not installed"
    return None
