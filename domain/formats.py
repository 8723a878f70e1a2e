"""The types of files that Citewell reads, by the extension of their names."""

SUFFIXES = (".txt", ".text", ".md", ".markdown", ".pdf")


def listed(suffixes: tuple[str, ...] = SUFFIXES) -> str:
    """Return the extensions as words: `.txt, .md or .pdf`."""
    return " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))


def advice(suffix: str) -> str:
    """What to do with a file of a type that is not read."""
    return f"use {listed()} instead of {suffix or 'a name without an extension'}"
