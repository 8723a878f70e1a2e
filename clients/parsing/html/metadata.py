"""Metadata from the head of an HTML page."""

from selectolax.lexbor import LexborHTMLParser

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
    """Title, author, date, language and description as stated; None where missing."""
    said: dict[str, str] = {}
    for meta in tree.css("head > meta"):
        attributes = meta.attributes
        name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop")
        content = attributes.get("content") or ""
        if (name := name or attributes.get("http-equiv")) and content.strip():
            said.setdefault(name.lower(), content)
    found = {key: next((said[name] for name in names if name in said), None) for key, names in _NAMES.items()}
    if found["author"] and found["author"].startswith("http"):  # Open Graph has the address of a profile here
        found["author"] = None
    title = tree.css_first("head > title")
    root = tree.css_first("html")
    declared = root.attributes.get("lang") or root.attributes.get("xml:lang") if root else None
    return found | {
        "title": (title.text().strip() if title else "") or found["title"],
        "language": declared or found["language"],
    }
