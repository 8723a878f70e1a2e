"""Terminal views of documents."""

from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.words import counted
from citewell.wire import Document


def document_line(document: Document) -> Text:
    """`✓ policy.pdf  4 pages, 12 passages, in workspace default`."""
    pages = f"{counted(document['pages'], 'page')}, " if document["pages"] else ""
    return Text.assemble(
        ("✓ ", "green"),
        plain(document["filename"], "bold"),
        f"  {pages}{counted(document['progress']['chunks_total'] or 0, 'passage')}, in workspace ",
        plain(document["workspace"]),
    )
