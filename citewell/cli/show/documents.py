"""Documents as people read them."""

from rich.text import Text

from citewell.cli.console import plain
from citewell.wire import Document


def document_line(document: Document) -> Text:
    """`✓ policy.pdf  4 pages, 12 passages, in workspace default`."""
    pages = f"{document['pages']} pages, " if document["pages"] else ""
    passages = document["progress"]["chunks_total"] or 0
    return Text.assemble(
        ("✓ ", "green"),
        plain(document["filename"], "bold"),
        f"  {pages}{passages} passages, in workspace ",
        plain(document["workspace"]),
    )
