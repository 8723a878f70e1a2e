"""What the Office formats have in common: zip archives of XML parts, and properties of the document."""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import date

from docx.exceptions import PythonDocxError
from docx.opc.exceptions import OpcError
from lxml import etree
from openpyxl.utils.exceptions import InvalidFileException
from pptx.exc import PythonPptxError

from clients.parsing.archives import Archive
from clients.parsing.elements import Element
from domain.errors import DocumentEmpty, DocumentUnreadable

# What the libraries raise at parts that are missing, or are not what they should be.
_DAMAGE = (
    *(PythonDocxError, OpcError, PythonPptxError, InvalidFileException, etree.LxmlError, SyntaxError),
    *(LookupError, ValueError, TypeError, AttributeError, ArithmeticError, OSError, AssertionError, RecursionError),
)
_CORE_PART = re.compile(r"docProps/core\.xml|package/services/metadata/core-properties/[^/]+\.psmdcp")
_DEFAULT_TITLES = ("powerpoint presentation", "powerpoint-präsentation", "word document", "presentation", "slide 1")
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_]\w+)*")


def core_properties(archive: Archive, filename: str) -> dict[str, str]:
    """What an OOXML file says of itself; the date is the day of the last change.

    The libraries are not asked, because they fill in today's date where a file says nothing.
    """
    name = next((name for name in archive.names if _CORE_PART.fullmatch(name)), None)
    if name is None:
        return {}
    texts = {_local(child): (child.text or "").strip() for child in xml_part(archive, name, filename)}
    return found_from(texts)


def found_from(texts: Mapping[str, str]) -> dict[str, str]:
    """Return `ParsedDocument.found` for properties with the names of Dublin Core; what says nothing is left out."""
    title, language = texts.get("title", ""), texts.get("language", "").lower()
    found = {
        "title": "" if title.lower() in _DEFAULT_TITLES else title,
        "author": texts.get("creator", ""),
        "date": _day(texts.get("modified", "")) or _day(texts.get("created", "")),
        "language": language[:2] if _LANGUAGE.fullmatch(language) else "",
        "subject": texts.get("subject", ""),
        "keywords": texts.get("keywords", ""),
    }
    return {key: value for key, value in found.items() if value}


def _day(moment: str) -> str:
    try:
        return date.fromisoformat(moment[:10]).isoformat()
    except ValueError:
        return ""


def _local(element: Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


@contextmanager
def damage_told(filename: str, kind: str) -> Generator[None]:
    """Turn what a library raises into DocumentUnreadable; `kind` completes "cannot be read as …"."""
    try:
        yield
    except _DAMAGE:
        raise DocumentUnreadable(f"{filename} is damaged: it cannot be read as {kind}") from None


def xml_part(archive: Archive, name: str, filename: str) -> Element:
    """Parse a part of the archive; no entity is resolved and nothing outside of it is loaded.

    Raises DocumentUnreadable when it is missing or is not XML.
    """
    content = archive.read(name)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        return etree.fromstring(content, parser)
    except etree.LxmlError:
        raise DocumentUnreadable(f"{filename} is damaged: {name} in it is not XML") from None


def no_text(filename: str) -> DocumentEmpty:
    """The error for a file that opens and has nothing to read."""
    return DocumentEmpty(f"{filename} contains no text; pictures of text need text recognition (OCR) first")
