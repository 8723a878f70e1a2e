"""Relative paths that come from outside: locations of sources, keys of files, names in archives."""

from citewell_documents.errors import PathForbidden


def is_relative(path: str) -> bool:
    """True if all names of a path with `/` lead downwards: no name is empty, `.`, `..` or impossible for a file."""
    return not any(name in ("", ".", "..") or "\0" in name or not _is_text(name) for name in path.split("/"))


def names_in(path: str) -> tuple[str, ...]:
    """The names in a relative path with `/`. Raises PathForbidden for any other path."""
    if not is_relative(path):
        raise PathForbidden
    return tuple(path.split("/"))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
