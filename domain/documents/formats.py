"""The file types that Citewell reads, by extension."""

from pathlib import PurePosixPath

SUFFIXES = (
    *(".txt", ".text", ".md", ".markdown"),
    *(".pdf", ".docx", ".pptx", ".odt"),
    *(".xlsx", ".csv", ".tsv"),
    *(".html", ".htm", ".xhtml", ".epub", ".eml"),
    *(".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"),
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
    ".png": "image/png",
    **dict.fromkeys((".jpg", ".jpeg"), "image/jpeg"),
    **dict.fromkeys((".tif", ".tiff"), "image/tiff"),
    ".webp": "image/webp",
    **dict.fromkeys((".txt", ".text"), "text/plain"),
}
# The format in which the same program can save instead.
SAVE_AS = {
    **dict.fromkeys((".doc", ".docm", ".dot", ".dotx", ".rtf", ".pages"), ".docx"),
    **dict.fromkeys((".xls", ".xlsm", ".xlsb", ".ods", ".numbers"), ".xlsx"),
    **dict.fromkeys((".ppt", ".pptm", ".pps", ".ppsx", ".odp", ".key"), ".pptx"),
    **dict.fromkeys((".hwp", ".hwpx", ".ps", ".xps"), ".pdf"),
}


IMAGES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")


def is_image(filename: str) -> bool:
    return filename.lower().endswith(IMAGES)


def has_pages_to_see(filename: str) -> bool:
    """True if the pages of such a file can be shown as pictures."""
    return filename.lower().endswith((".pdf", *IMAGES))


def listed(suffixes: tuple[str, ...] = SUFFIXES) -> str:
    """Return the extensions as a phrase: `.txt, .md or .pdf`."""
    return " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))


def advice(suffix: str) -> str:
    return f"save it as {SAVE_AS[suffix]}" if suffix in SAVE_AS else f"use {listed()}"


def media_type(filename: str) -> str:
    """The media type of a file by its extension; bytes of an unknown kind if it has another one."""
    return _MEDIA_TYPES.get(PurePosixPath(filename.lower()).suffix, "application/octet-stream")
