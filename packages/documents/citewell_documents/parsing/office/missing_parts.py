"""Repairs Office packages with links to missing parts, which Word leaves for lost pictures (`Target="NULL"`)."""

import posixpath
import zipfile
from io import BytesIO

from lxml import etree

from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.office.parts import Element, xml_part

_LINKS = ".rels"


def linked_stream(archive: Archive, filename: str) -> BytesIO:
    """The archive without dangling links, because python-docx and python-pptx reject packages with such links.

    Raises DocumentUnreadable as `Archive.checked_stream` does.
    """
    stream = archive.checked_stream()
    repaired = {
        name: etree.tostring(links)
        for name in archive.names
        if name.endswith(_LINKS) and _drop_dangling(links := xml_part(archive, name, filename), name, archive)
    }
    if not repaired:
        return stream
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name in archive.names:
            package.writestr(name, repaired.get(name) or archive.read(name))
    return BytesIO(out.getvalue())


def _drop_dangling(links: Element, name: str, archive: Archive) -> bool:
    """Remove the links whose targets are missing; return True if there were any."""
    folder = posixpath.dirname(posixpath.dirname(name))
    dangling = [
        link
        for link in links
        if link.get("TargetMode") != "External"
        and posixpath.normpath(posixpath.join("/", folder, link.get("Target", ""))).lstrip("/") not in archive
    ]
    for link in dangling:
        links.remove(link)
    return bool(dangling)
