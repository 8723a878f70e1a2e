"""The types of files that Citewell reads, by the extension of their names."""

SUFFIXES = (
    *(".txt", ".text", ".md", ".markdown"),
    *(".pdf", ".docx", ".pptx", ".odt"),
    *(".xlsx", ".csv", ".tsv"),
    *(".html", ".htm", ".xhtml", ".epub", ".eml"),
)
# What the same program saves instead of its old or special formats.
SAVE_AS = {
    **dict.fromkeys((".doc", ".docm", ".dot", ".dotx", ".rtf", ".pages"), ".docx"),
    **dict.fromkeys((".xls", ".xlsm", ".xlsb", ".ods", ".numbers"), ".xlsx"),
    **dict.fromkeys((".ppt", ".pptm", ".pps", ".ppsx", ".odp", ".key"), ".pptx"),
    **dict.fromkeys((".hwp", ".hwpx", ".ps", ".xps"), ".pdf"),
}


def listed(suffixes: tuple[str, ...] = SUFFIXES) -> str:
    """Return the extensions as words: `.txt, .md or .pdf`."""
    return " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))


def advice(suffix: str) -> str:
    """What to do with a file of a type that is not read: how to save it, or which types are."""
    return f"save it as {SAVE_AS[suffix]}" if suffix in SAVE_AS else f"use {listed()}"
