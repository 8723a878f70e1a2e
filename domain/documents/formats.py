"""The file types that Citewell reads, by extension."""

SUFFIXES = (
    *(".txt", ".text", ".md", ".markdown"),
    *(".pdf", ".docx", ".pptx", ".odt"),
    *(".xlsx", ".csv", ".tsv"),
    *(".html", ".htm", ".xhtml", ".epub", ".eml"),
)
# The format in which the same program can save instead.
SAVE_AS = {
    **dict.fromkeys((".doc", ".docm", ".dot", ".dotx", ".rtf", ".pages"), ".docx"),
    **dict.fromkeys((".xls", ".xlsm", ".xlsb", ".ods", ".numbers"), ".xlsx"),
    **dict.fromkeys((".ppt", ".pptm", ".pps", ".ppsx", ".odp", ".key"), ".pptx"),
    **dict.fromkeys((".hwp", ".hwpx", ".ps", ".xps"), ".pdf"),
}


def listed(suffixes: tuple[str, ...] = SUFFIXES) -> str:
    """Return the extensions as a phrase: `.txt, .md or .pdf`."""
    return " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))


def advice(suffix: str) -> str:
    return f"save it as {SAVE_AS[suffix]}" if suffix in SAVE_AS else f"use {listed()}"
