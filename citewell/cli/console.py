"""What commands print: results on standard output, everything else on standard error."""

import json
import sys
import unicodedata

from rich.console import Console
from rich.text import Text

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def say(message: str) -> None:
    """One line to the user, beside the result."""
    err.print(Text(message), soft_wrap=True)


def complain(message: str) -> None:
    """One thing that went wrong, while the command goes on."""
    say(f"citewell: {message}")


def emit(value: object) -> None:
    """One JSON value on one line of standard output."""
    readable = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=not readable) + "\n")
    sys.stdout.flush()


def plain(text: str, style: str = "") -> Text:
    """Text of documents and models: no markup, and nothing that could steer the terminal."""
    safe = "".join(
        character for character in text if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs")
    )
    return Text(safe, style=style)
