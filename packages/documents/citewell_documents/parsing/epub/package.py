"""The package of an EPUB book: reading order, chapter titles and metadata."""

from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from lxml import etree
from lxml.etree import _Element as Element  # pyright: ignore[reportPrivateUsage]  # lxml has no public name for it

from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.archives import Archive

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# Fonts are often obfuscated against copying, which hides no text.
_SCRAMBLED_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_SAID = ("title", "date", "language", "description")
_HTML = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


@dataclass(frozen=True, slots=True)
class Package:
    """`spine` names archive members in reading order; `titles` come from the table of contents."""

    spine: tuple[str, ...]
    titles: dict[str, str]
    metadata: dict[str, str | None]


def is_encrypted(archive: Archive, filename: str) -> bool:
    if _ENCRYPTION not in archive:
        return False
    tree = _xml(archive, _ENCRYPTION, filename)
    methods = [node.get("Algorithm") for node in _named(tree, "EncryptionMethod")]
    return len(methods) < len(list(_named(tree, "EncryptedData"))) or any(
        method not in _SCRAMBLED_FONTS for method in methods
    )


def read_package(archive: Archive, filename: str) -> Package:
    """Read the package of a book. Raises DocumentUnreadable if it has no reading order."""
    container = _xml(archive, _CONTAINER, filename)
    name = next((node.get("full-path") for node in _named(container, "rootfile")), None) or ""
    package = _xml(archive, name, filename)
    files = {node.get("id"): node for node in _named(package, "item")}
    chapters = [files[ref] for node in _named(package, "itemref") if (ref := node.get("idref")) in files]
    chapters = [node for node in chapters if node.get("media-type") in _HTML and not _is_contents(node)]
    spine = tuple(dict.fromkeys(path_from(name, node.get("href")) for node in chapters))
    if not spine:
        raise DocumentUnreadable(
            f"{filename} is damaged: it has no chapters in its reading order; save or download it again"
        )
    return Package(spine, _titles(archive, name, list(files.values()), filename), _metadata(package))


def _is_contents(item: Element) -> bool:
    return "nav" in (item.get("properties") or "").split()


def _titles(archive: Archive, base: str, items: list[Element], filename: str) -> dict[str, str]:
    titles: dict[str, str] = {}
    for item in items:
        is_old = item.get("media-type") == "application/x-dtbncx+xml"
        name = path_from(base, item.get("href"))
        if (is_old or _is_contents(item)) and name in archive:
            tree = _xml(archive, name, filename)
            links = ((target, link) for link in _named(tree, "a") if (target := link.get("href")))
            for target, label in _old_entries(tree) if is_old else links:
                titles.setdefault(path_from(name, target), _text(label))
    return titles


def _old_entries(contents: Element) -> Iterator[tuple[str, Element]]:
    for point in _named(contents, "navPoint"):
        content, label = next(_named(point, "content"), None), next(_named(point, "text"), None)
        if content is not None and label is not None:
            yield content.get("src") or "", label


def _metadata(package: Element) -> dict[str, str | None]:
    said = {name: next((text for node in _named(package, name) if (text := _text(node))), None) for name in _SAID}
    authors = [_text(node) for node in _named(package, "creator")]
    return {
        "title": said["title"],
        "author": ", ".join(dict.fromkeys(filter(None, authors))) or None,
        "date": said["date"],
        "language": said["language"],
        "description": said["description"],
    }


def path_from(base: str, href: str | None) -> str:
    """The name in the archive of the file that the file `base` refers to with `href`."""
    return normpath(join(dirname(base), unquote((href or "").partition("#")[0]))).lstrip("/")


def _named(tree: Element, name: str) -> Iterator[Element]:
    return tree.iter(f"{{*}}{name}")


def _text(node: Element) -> str:
    return " ".join("".join(str(part) for part in node.itertext()).split())


def _xml(archive: Archive, name: str, filename: str) -> Element:
    data = archive.read(name)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=False)
    try:
        tree = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        tree = None
    if tree is None:
        raise DocumentUnreadable(f"{filename} is damaged: {name} in it is not XML; save or download it again")
    return tree
