"""Output of commands: results on standard output or in a file, everything else on standard error."""

import json
import sys
import unicodedata
from pathlib import Path

from rich.console import Console
from rich.text import Text

from citewell.cli.errors import CommandFailed

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def say(message: str) -> None:
    err.print(Text(message), soft_wrap=True)


def complain(message: str) -> None:
    say(f"citewell: {message}")


def emit(value: object) -> None:
    readable = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=not readable) + "\n")
    sys.stdout.flush()


def plain(text: str, style: str = "") -> Text:
    """Return text from documents and models, without markup or terminal control characters."""
    safe = "".join(
        character for character in text if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs")
    )
    return Text(safe, style=style)


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
