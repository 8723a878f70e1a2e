"""The work of `citewell doctor`: checks everything, prints a line for each check, and says what to do."""

from collections.abc import Iterator

import typer
from rich.text import Text

from citewell.cli.console import emit, err, out, plain
from citewell.cli.errors import FAILED
from citewell.cli.installation import model_checks
from citewell.cli.installation.checks import Check, of_this_machine, versions
from config.settings import ConfigurationInvalid, settings

_STYLES = {"ok": "green", "warn": "yellow", "error": "bold red"}
_INDENT = " " * 18


def examine(as_json: bool) -> None:
    """Print each check once it is made. Raises typer.Exit(1) when one of them is an error."""
    failed = False
    with err.status("looking …"):
        for check in _checks():
            failed = failed or check.state == "error"
            if as_json:
                emit({"check": check.name, "state": check.state, "found": check.found, "advice": check.advice or None})
            else:
                head = Text(f"{check.state:<6}", _STYLES[check.state])
                line = Text.assemble(head, f"{check.name:<12}", plain(check.found))
                if check.advice:
                    line.append(f"\n{_INDENT}-> ").append_text(plain(check.advice))
                out.print(line, soft_wrap=True)
    if failed:
        raise typer.Exit(FAILED)


def _checks() -> Iterator[Check]:
    yield from versions()
    try:
        configured = settings()
    except ConfigurationInvalid as error:
        # Nothing else can be checked without settings.
        yield Check("settings", "error", str(error), "correct it, then look again")
        return
    for examination in of_this_machine(configured):
        yield from examination()
    yield from model_checks.provider(configured)
    yield from model_checks.others(configured)
