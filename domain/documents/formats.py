"""The file types that Citewell reads, by extension."""

from pathlib import PurePosixPath

SUFFIXES = (
    *(".txt", ".text", ".md", ".markdown"),
    *(".pdf", ".docx", ".pptx", ".odt"),
    *(".xlsx", ".csv", ".tsv"),
    *(".html", ".htm", ".xhtml", ".epub", ".eml"),
)
_MEDIA_TYPES = {
    **dict.fromkeys((".md", ".markdown"), "text/markdown"),
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    **dict.fromkeys((".html", ".htm"), "text/html"),
    ".xhtml": "application/xhtml+xml",
    ".epub": "application/epub+zip",
    ".eml": "message/rfc822",
    **dict.fromkeys((".txt", ".text"), "text/plain"),
}
# The format in which the same program can save instead.
SAVE_AS = {
    **dict.fromkeys((".doc", ".docm", ".dot", ".dotx", ".rtf", ".pages"), ".docx"),
    **dict.fromkeys((".xls", ".xlsm", ".xlsb", ".ods", ".numbers"), ".xlsx"),
    **dict.fromkeys((".ppt", ".pptm", ".pps", ".ppsx", ".odp", ".key"), ".pptx"),
    **dict.fromkeys((".hwp", ".hwpx", ".ps", ".xps"), ".pdf"),
}


def listed(suffixes: tuple[str, ...] = SUFFIXES) -> str:
    return " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))


def advice(suffix: str) -> str:
    return f"save it as {SAVE_AS[suffix]}" if suffix in SAVE_AS else f"use {listed()}"


def media_type(filename: str) -> str:
    return _MEDIA_TYPES.get(PurePosixPath(filename.lower()).suffix, "application/octet-stream")


def suffix_of(type_: str) -> str | None:
    """The extension of files of a media type; None when they are not read."""
    return next((suffix for suffix, known in _MEDIA_TYPES.items() if known == type_ and suffix in SUFFIXES), None)
