"""Metadata of a PDF, without placeholders."""

import re
import unicodedata
from contextlib import closing
from datetime import date
from functools import partial

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citewell_documents.parsing.pdf.annotations import read_string

_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)(\d\d)")
_LANGUAGE = re.compile(r"([A-Za-z]{2})(?:[-_]|$)")
# Defaults that programs insert when the user entered nothing.
_NOTHING = re.compile(
    r"(?:untitled|unspecified|anonymous|unknown|unnamed|none|null|user|admin|administrator|owner|root"
    r"|title|author|(?:new )?document|presentation|slide)[ _-]*\d*",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(
    r"^Microsoft (?:Word|PowerPoint|Excel) - "
    r"|\.(?:docx?|pptx?|xlsx?|pdf|indd|qxp|tex|dvi|ps|rtf|od[tp]|hwp|html?|txt)$",
    re.IGNORECASE,
)
_SCRIPTS = {
    **dict.fromkeys(("ar", "fa", "ur"), "ARABIC"),
    **dict.fromkeys(("ru", "uk", "bg", "sr", "be", "mk"), "CYRILLIC"),
    "ko": "HANGUL",
    "zh": "CJK",
    "ja": "",
    "he": "HEBREW",
    "el": "GREEK",
    "hi": "DEVANAGARI",
    "th": "THAI",
}
_SAMPLE = 2000
_MAX_CHARS = 500
_FIRST = 5  # pages that are looked at
_MOST_ATTACHMENTS = 20


def metadata_of(pdf: pdfium.PdfDocument, text: str) -> dict[str, str]:
    """Title, author, subject, keywords, date (of creation, ISO 8601) and language (ISO 639-1), if known, and the names
    of files within the PDF, as in a portfolio, which are not read.
    """
    given, attachments = pdf.get_metadata_dict(), range(min(pdf.count_attachments(), _MOST_ATTACHMENTS))
    metadata = {
        "title": _written(given["Title"]),
        "author": _written(given["Author"]),
        "subject": _written(given["Subject"]),
        "keywords": _written(given["Keywords"]),
        "date": _day(given["CreationDate"]),
        "language": _language(pdf, text),
        "unread_attachments": ", ".join(_line(pdf.get_attachment(index).get_name()) for index in attachments),
    }
    return {key: value for key, value in metadata.items() if value}


def is_shell(pdf: pdfium.PdfDocument) -> bool:
    """True if the file has no other page than "Please wait", because a program has to build its pages from XFA."""
    if not pdfium_c.FPDF_GetXFAPacketCount(pdf) > 0:
        return False
    builds = pdfium_c.FPDF_GetFormType(pdf) == pdfium_c.FORMTYPE_XFA_FULL
    if not builds and len(pdf) != 1:
        return False
    for index in range(min(len(pdf), _FIRST)):
        with closing(pdf[index]) as page:
            if pdfium_c.FPDFPage_GetAnnotCount(page) > 0:
                return False
    return True


def _line(value: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in value).split())


def _written(value: str) -> str:
    line = _line(value)[:_MAX_CHARS]
    is_written = any(c.isalpha() for c in line) and not _NOTHING.fullmatch(line) and not _FILE_NAME.search(line)
    return line if is_written else ""


def _day(value: str) -> str:
    """The day of a time such as `D:20240103093826+01'00'`, in the time zone of the file's creation."""
    if not (match := _DATE.match(value)):
        return ""
    try:
        return date(*map(int, match.groups())).isoformat()
    except ValueError:
        return ""


def _language(pdf: pdfium.PdfDocument, text: str) -> str:
    """The declared language, if the text is in its script: many programs declare the language of their user."""
    match = _LANGUAGE.match(read_string(partial(pdfium_c.FPDFCatalog_GetLanguage, pdf)))
    language = match[1].lower() if match else ""
    letters = [character for character in text[:_SAMPLE] if character.isalpha()]
    script = _SCRIPTS.get(language, "LATIN")
    own = sum(unicodedata.name(letter, "").startswith(script) for letter in letters)
    return language if 2 * own >= len(letters) else ""
