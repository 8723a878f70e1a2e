"""The parts of a workbook that another part links to."""

import posixpath
from collections.abc import Iterator
from contextlib import suppress

from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.office.parts import Element, xml_part


def linked(archive: Archive, part: str, filename: str, kind: str) -> dict[str, str]:
    """The names of the parts of a kind that a part links to, by the ids of the links."""
    folder, name = posixpath.split(part.lstrip("/"))
    links = f"{folder}/_rels/{name}.rels"
    if links not in archive:
        return {}
    targets = {
        link.get("Id", ""): posixpath.normpath(posixpath.join("/", folder, link.get("Target", ""))).lstrip("/")
        for root in roots(archive, links, filename)
        for link in root
        if link.get("Type", "").endswith(kind)
    }
    return {link: target for link, target in targets.items() if target in archive}


def roots(archive: Archive, part: str, filename: str) -> Iterator[Element]:
    """Yield the root of a part, or nothing if it is damaged: the cells are worth more than a damaged drawing."""
    with suppress(DocumentUnreadable):
        yield xml_part(archive, part, filename)
