"""Names of OpenDocument XML."""

_SPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
}


def odf(name: str) -> str:
    """lxml's name for `text:p` and the like."""
    prefix, _, local = name.partition(":")
    return f"{{{_SPACES[prefix]}}}{local}"
