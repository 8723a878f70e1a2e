"""Determines the context of a chunk: the headings above it and the columns of its table.

"The rate is 4 %" is found under "Loans to employees", and a row of figures under the names of its columns, although
neither says so itself.
"""

from bisect import bisect_right

from citewell_documents.document import ParsedDocument
from citewell_documents.table_heads import TableHeads, heads_above
from citewell_verify.text.windows import cut_line, joined

_MOST = 200  # characters of the headings: a context must not drown the text


def context_of(document: ParsedDocument, section: int, start: int, end: int) -> str | None:
    """Return the context of `document.text[start:end]`, or None if there is nothing to add.

    `section` is the index of its section, -1 for none. Headings that occur in the text itself are left out.
    """
    heads = heads_above(document, start)
    path = _path(document, section)
    if heads:
        above = bisect_right(document.sections, heads.start, key=lambda entry: entry.start) - 1
        path = (*_path(document, above), *path)
    own = document.text[start:end]
    place = joined(title for title in dict.fromkeys(path) if title not in own)
    lines = (place[:_MOST], _columns(heads) if heads else "")
    return "\n".join(line for line in lines if line) or None


def _path(document: ParsedDocument, section: int) -> tuple[str, ...]:
    return document.sections[section].path if section >= 0 else ()


def _columns(heads: TableHeads) -> str:
    """The title and the heads of a table.

    A title ends with a tab, which shows that it belongs to the columns and is no heading.
    """
    if not heads.columns:
        return ""
    title = "".join(f"{line}\t\n" for line in heads.title.split("\n") if line)
    columns = "\n".join(cut_line(line) for line in heads.columns.split("\n"))  # each line is cut after a cell
    return f"{title}{columns}"
