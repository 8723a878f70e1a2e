"""HTML pages: their text without navigation and other page furniture."""

import codecs
import re
from dataclasses import replace

from selectolax.lexbor import LexborHTMLParser

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing.decoding import clean, decode
from citewell_documents.parsing.encodings import MEANT
from citewell_documents.parsing.html.blocks import add_blocks
from citewell_documents.parsing.html.boilerplate import main_text
from citewell_documents.parsing.html.visible import seen_tree
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text_builder import DocumentBuilder

_NAMES = {
    "title": ("citation_title", "dc.title", "dcterms.title", "og:title"),
    "author": ("author", "citation_author", "dc.creator", "dcterms.creator", "article:author"),
    "date": (
        *("article:published_time", "citation_publication_date", "dc.date", "dcterms.created", "dcterms.date"),
        *("dcterms.issued", "datepublished", "date", "pubdate"),
    ),
    "language": ("og:locale", "content-language", "dc.language"),
    "description": ("description", "og:description", "dcterms.description"),
}


def found_in_head(tree: LexborHTMLParser) -> dict[str, str | None]:
    said: dict[str, str] = {}
    for meta in tree.css("head > meta"):
        attributes = meta.attributes
        name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop")
        content = attributes.get("content") or ""
        if (name := name or attributes.get("http-equiv")) and content.strip():
            said.setdefault(name.lower(), content)
    metadata = {key: next((said[name] for name in names if name in said), None) for key, names in _NAMES.items()}
    if metadata["author"] and metadata["author"].startswith("http"):  # Open Graph has the address of a profile here
        metadata["author"] = None
    title = tree.css_first("head > title")
    root = tree.css_first("html")
    declared = root.attributes.get("lang") or root.attributes.get("xml:lang") if root else None
    return metadata | {
        "title": (title.text().strip() if title else "") or metadata["title"],
        "language": declared or metadata["language"],
    }


_DECLARED = re.compile(
    rb"""<meta\b[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)""", re.IGNORECASE
)
_HEAD_BYTES = 4096
_SITE = re.compile(r"\s[-|–—·•:»«].*|.*[-|–—·•:»«]\s")
_FIRST_HEADINGS = 3
_MOST_REPLACED = 0.01
# XHTML may self-close any element; read as HTML, the element would contain everything that follows.
_SELF_CLOSED = re.compile(
    r"<((?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)[a-zA-Z][\w:-]*)([^<>]*)/>"
)


def parse_webpage(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read an HTML page. Raises DocumentEmpty, DocumentUnreadable or DocumentTooLarge."""
    builder = DocumentBuilder(filename, limits)
    tree = seen_tree(html_text(data, filename), filename, builder.hidden)
    if tree.body is not None:
        root, surrounds = main_text(tree.body)
        add_blocks(root, builder, leave_out=surrounds)
    document = builder.build_with_text(
        found_in_head(tree), f"{filename} contains no text that a reader of the page would see"
    )
    return replace(document, found={**document.found, **_own_title(document)})


def _own_title(document: ParsedDocument) -> dict[str, str]:
    """The title without the site's name, if a heading confirms it: `Duck` of `Duck - Wikipedia`."""
    for section in document.sections[:_FIRST_HEADINGS]:
        rest = document.found.get("title", "").split(section.title, 1)
        if len(rest) == 2 and any(rest) and all(not part or _SITE.fullmatch(part) for part in rest):
            return {"title": section.title}
    return {}


def html_text(data: bytes, filename: str, charset: str | None = None) -> str:
    """A page's source, decoded by `charset`, or else by its own declaration, or else by detection.

    Raises DocumentUnreadable when no encoding gives readable text.
    """
    text = _declared(data, charset) or decode(data, filename)
    return _SELF_CLOSED.sub(r"<\1\2></\1>", text) if text.lstrip().startswith("<?xml") else text


def _declared(data: bytes, charset: str | None) -> str | None:
    match = _DECLARED.search(data[:_HEAD_BYTES])
    name = charset or ((match[1] or match[2]).decode() if match else "")
    try:
        encoding = codecs.lookup(name).name
        encoding = MEANT.get(encoding, encoding)
        # Bytes that are valid UTF-8 are hardly ever in another encoding, whatever the page declares; but old Japanese
        # mail (ISO-2022) is ASCII.
        if encoding == "utf-8" or (_is_utf8(data) and not encoding.startswith("iso2022")):
            return None
        text = data.decode(encoding, errors="replace")
    except (LookupError, ValueError):
        return None
    return clean(text) if text.count("�") <= _MOST_REPLACED * len(text) else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
