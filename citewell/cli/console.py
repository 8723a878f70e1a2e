"""Output of commands: results on standard output or in a file, everything else on standard error."""

import json
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from rich.console import Console, RenderableType
from rich.text import Text

from citewell.cli.errors import CommandFailed

T = TypeVar("T")

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


def output(value: T, view: Callable[[T], RenderableType], *, as_json: bool, soft_wrap: bool = False) -> None:
    """Print a value as a line of JSON, or as people read it."""
    if as_json:
        emit(value)
    else:
        out.print(view(value), soft_wrap=soft_wrap)


def output_all(values: Sequence[T], view: Callable[[Sequence[T]], RenderableType], *, as_json: bool) -> None:
    """Print values as JSON, each on a line, or all of them in one view."""
    if as_json:
        for value in values:
            emit(value)
    else:
        out.print(view(values))


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
