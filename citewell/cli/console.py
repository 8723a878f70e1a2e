"""Output of commands: results on standard output, everything else on standard error."""

import json
import sys
import unicodedata

from rich.console import Console
from rich.text import Text

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def say(message: str) -> None:
    """Print one line to the user, apart from the result."""
    err.print(Text(message), soft_wrap=True)


def complain(message: str) -> None:
    """Report one failure; the command continues."""
    say(f"citewell: {message}")


def emit(value: object) -> None:
    """Print one JSON value on one line of standard output."""
    readable = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=not readable) + "\n")
    sys.stdout.flush()


def plain(text: str, style: str = "") -> Text:
    """Text from documents and models, without markup or terminal control characters."""
    safe = "".join(
        character for character in text if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs")
    )
    return Text(safe, style=style)
