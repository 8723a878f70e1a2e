"""The file types that Citewell reads, by extension."""

from pathlib import PurePosixPath

CODE = {
    ".py": "Python",
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "JavaScript"),
    **dict.fromkeys((".ts", ".tsx"), "TypeScript"),
    **dict.fromkeys((".c", ".h"), "C"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hpp"), "C++"),
    ".cs": "C#",
    ".java": "Java",
    **dict.fromkeys((".kt", ".kts"), "Kotlin"),
    ".scala": "Scala",
    ".swift": "Swift",
    ".go": "Go",
    ".rs": "Rust",
    ".rb": "Ruby",
    ".php": "PHP",
    ".pl": "Perl",
    ".lua": "Lua",
    ".r": "R",
    ".jl": "Julia",
    ".dart": "Dart",
    **dict.fromkeys((".sh", ".bash"), "shell"),
    ".ps1": "PowerShell",
    ".sql": "SQL",
    ".css": "CSS",
    **dict.fromkeys((".yaml", ".yml"), "YAML"),
    ".toml": "TOML",
    **dict.fromkeys((".ini", ".cfg", ".conf"), "INI"),
    ".properties": "Java properties",
}
"""The language of source code by its extension."""
MARKUP = (".rst", ".adoc", ".asciidoc", ".tex")
"""Markup that is read as it is written, with its headings."""
LEGACY = {".doc": ".docx", ".xls": ".xlsx", ".ppt": ".pptx"}
"""The formats that are read through LibreOffice, and the format that it converts each of them to."""
IMAGES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")
_DOCUMENTS = (
    *(".txt", ".text", ".md", ".markdown", ".log", *MARKUP, ".ipynb"),
    *(".pdf", ".docx", ".pptx", ".odt", ".hwpx", ".hwp", ".rtf", *LEGACY),
    *(".xlsx", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xml"),
    *(".html", ".htm", ".xhtml", ".epub", ".eml", ".srt", ".vtt"),
    *IMAGES,
)
SUFFIXES = (*_DOCUMENTS, *CODE)
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
    ".hwpx": "application/hwp+zip",
    ".hwp": "application/x-hwp",
    ".rtf": "application/rtf",
    ".doc": "application/msword",
    ".xls": "application/vnd.ms-excel",
    ".ppt": "application/vnd.ms-powerpoint",
    ".json": "application/json",
    **dict.fromkeys((".jsonl", ".ndjson"), "application/jsonl"),
    ".xml": "application/xml",
    ".srt": "application/x-subrip",
    ".vtt": "text/vtt",
    ".png": "image/png",
    **dict.fromkeys((".jpg", ".jpeg"), "image/jpeg"),
    **dict.fromkeys((".tif", ".tiff"), "image/tiff"),
    ".webp": "image/webp",
    ".rst": "text/x-rst",
    **dict.fromkeys((".adoc", ".asciidoc"), "text/asciidoc"),
    ".tex": "text/x-tex",
    ".ipynb": "application/x-ipynb+json",
    **dict.fromkeys((".txt", ".text", ".log", *CODE), "text/plain"),
}
# For each unsupported format, a format in which the same program can save instead.
SAVE_AS = {
    **dict.fromkeys((".docm", ".dot", ".dotx", ".pages", ".wps", ".wpd"), ".docx"),
    **dict.fromkeys((".xlsm", ".xlsb", ".ods", ".numbers"), ".xlsx"),
    **dict.fromkeys((".pptm", ".pps", ".ppsx", ".odp", ".key"), ".pptx"),
    **dict.fromkeys((".ps", ".xps", ".djvu", ".pub", ".vsd", ".vsdx", ".odg"), ".pdf"),
    **dict.fromkeys((".msg", ".mbox", ".pst"), ".eml"),
    **dict.fromkeys((".mht", ".mhtml", ".webarchive"), ".html"),
    **dict.fromkeys((".mobi", ".azw3", ".fb2"), ".epub"),
    **dict.fromkeys((".gif", ".bmp", ".heic"), ".png"),
}
_LOCKS = ("~$", ".~lock.")  # of Microsoft Office and LibreOffice


def is_lock_file(path: str) -> bool:
    """True for the small file that an Office program keeps beside a document while the document is open."""
    return PurePosixPath(path.replace("\\", "/")).name.startswith(_LOCKS)


def is_image(filename: str) -> bool:
    return filename.lower().endswith(IMAGES)


def has_pages_to_see(filename: str) -> bool:
    return filename.lower().endswith((".pdf", *IMAGES))


def listed(suffixes: tuple[str, ...] | None = None) -> str:
    """Return extensions as a phrase, `.txt, .md or .pdf`; by default all that are read, except those of source code."""
    if suffixes is None:
        return f"{', '.join(_DOCUMENTS)} or source code (.py, .js, .sql, …)"
    return " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))


def advice(suffix: str) -> str:
    """The advice for a file of a type that is not read."""
    if suffix in SAVE_AS:
        return f"save it as {SAVE_AS[suffix]}"
    return "save it as .pdf, or if it is plain text, rename it to .txt"


def media_type(filename: str) -> str:
    return _MEDIA_TYPES.get(PurePosixPath(filename.lower()).suffix, "application/octet-stream")


def suffix_of(type_: str) -> str | None:
    """The extension of files of a media type; None when such files are not read."""
    return next((suffix for suffix, known in _MEDIA_TYPES.items() if known == type_ and suffix in SUFFIXES), None)
