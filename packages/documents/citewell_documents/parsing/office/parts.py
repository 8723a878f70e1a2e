"""Common parts of the Office formats: zip archives of XML parts, document properties, and descriptions of pictures."""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import TypeAlias

from lxml import etree

from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.picture_words import description

Element: TypeAlias = etree._Element  # pyright: ignore[reportPrivateUsage]: lxml has no public name for it

# The libraries raise these, beside errors of their own, for parts that are missing or malformed.
_DAMAGE = (
    *(etree.LxmlError, SyntaxError),
    *(LookupError, ValueError, TypeError, AttributeError, ArithmeticError, OSError, AssertionError, RecursionError),
)
_CORE_PART = re.compile(r"docProps/core\.xml|package/services/metadata/core-properties/[^/]+\.psmdcp")
_DEFAULT_TITLES = ("powerpoint presentation", "powerpoint-präsentation", "word document", "presentation", "slide 1")
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_]\w+)*")


def core_properties(archive: Archive, filename: str) -> dict[str, str]:
    """The metadata of an OOXML file; the date is the day of the last change.

    This does not use the libraries, because they fill in today's date if a file has none.
    """
    name = next((name for name in archive.names if _CORE_PART.fullmatch(name)), None)
    if name is None:
        return {}
    properties = (child for child in xml_part(archive, name, filename) if isinstance(child.tag, str))
    return found_from({etree.QName(child).localname: (child.text or "").strip() for child in properties})


def found_from(texts: Mapping[str, str]) -> dict[str, str]:
    """`ParsedDocument.found` for properties under Dublin Core names; empty and default values are dropped."""
    title, language = texts.get("title", ""), texts.get("language", "").lower()
    metadata = {
        "title": "" if title.lower() in _DEFAULT_TITLES else title,
        "author": texts.get("creator", ""),
        "date": _day(texts.get("modified", "")) or _day(texts.get("created", "")),
        "language": language[:2] if _LANGUAGE.fullmatch(language) else "",
        "subject": texts.get("subject", ""),
        "keywords": texts.get("keywords", ""),
    }
    return {key: value for key, value in metadata.items() if value}


def _day(moment: str) -> str:
    try:
        return date.fromisoformat(moment[:10]).isoformat()
    except ValueError:
        return ""


@contextmanager
def unreadable_if_damaged(filename: str, kind: str, *own: type[Exception]) -> Generator[None]:
    """Turn the exceptions of a library into DocumentUnreadable; `kind` completes "cannot be read as …".

    The caller passes the library's `own` exceptions, because reading a file must not load libraries of other formats:
    each of them costs 0.1 s.
    """
    try:
        yield
    except (*_DAMAGE, *own):
        raise DocumentUnreadable(
            f"{filename} is damaged: it cannot be read as {kind}; save or download it again"
        ) from None


def xml_part(archive: Archive, name: str, filename: str) -> Element:
    """Parse a part of the archive, without resolving entities or loading anything external.

    Raises DocumentUnreadable when it is missing or is not XML.
    """
    content = archive.read(name)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        return etree.fromstring(content, parser)
    except etree.LxmlError:
        raise DocumentUnreadable(f"{filename} is damaged: {name} in it is not XML; save or download it again") from None


def no_text(filename: str) -> str:
    return f"{filename} contains no text; pictures of text need text recognition (OCR) first"


def described(properties: Element) -> str:
    """The description in a picture's properties (`wp:docPr`, `p:cNvPr`), marked as such; empty for a mere name."""
    return described_as(properties.get("descr", ""))


def described_as(text: str) -> str:
    said = description(text)
    return f"Picture: {said}" if said else ""
