"""Files that a Word document holds for Word to insert (altChunk), as programs do that write reports."""

from docx.parts.document import DocumentPart

from citewell_documents.parsing.text_builder import DocumentBuilder

_HTML = ("text/html", "application/xhtml+xml")


def add_inserted(part: DocumentPart, relationship: str, builder: DocumentBuilder) -> None:
    """Add an inserted web page in its place; of another file the metadata say that it is left out."""
    inserted = part.related_parts.get(relationship)
    if inserted is None:
        return
    if inserted.content_type not in _HTML:
        builder.note(f"inserted file {inserted.partname.filename} is left out")
        return
    # Few documents have one, and the library takes time to load.
    from citewell_documents.parsing.html.blocks import add_blocks  # noqa: PLC0415
    from citewell_documents.parsing.html.reader import html_text  # noqa: PLC0415
    from citewell_documents.parsing.html.visible import seen_tree  # noqa: PLC0415

    tree = seen_tree(html_text(inserted.blob, builder.filename), builder.filename, builder.hidden)
    if tree.body is not None:
        add_blocks(tree.body, builder)
