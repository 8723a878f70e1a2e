"""Writes what a command fetched to a file, or to standard output."""

import sys
from pathlib import Path

from citewell.cli.console import say
from citewell.cli.errors import CommandFailed


def save(content: bytes, path: Path | None) -> None:
    """Write to `path`, or to standard output without one. Raises CommandFailed; no file is overwritten."""
    if path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise CommandFailed(f"{path} exists already; name another file with --output") from None
    except OSError as error:
        raise CommandFailed(f"{path} cannot be written ({error.strerror})") from None
    say(f"wrote {path} ({len(content):,} bytes)")
