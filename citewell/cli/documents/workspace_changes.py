"""Changes a workspace according to the options of `citewell workspaces set`, and deletes one after confirmation."""

import sys
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any

import typer

from citewell.cli.errors import CommandFailed
from citewell.cli.show.words import counted
from citewell_client import ApiProblem, CitewellClient

Chosen = Mapping[str, str | dict[str, str] | None]


class Setting(StrEnum):
    """A setting of a workspace that can be reset to its default."""

    TITLE = "title"
    MODE = "mode"
    PRESET = "preset"
    MAIN_MODEL = "main-model"
    FAST_MODEL = "fast-model"
    LANGUAGE = "language"
    TONE = "tone"
    LENGTH = "length"
    REFUSAL = "refusal"
    GLOSSARY = "glossary"


_PLACES: dict[Setting, tuple[str, ...]] = {
    Setting.TITLE: ("title",),
    Setting.MODE: ("settings", "mode"),
    Setting.PRESET: ("settings", "preset"),
    Setting.MAIN_MODEL: ("settings", "models", "main"),
    Setting.FAST_MODEL: ("settings", "models", "fast"),
    **{
        setting: ("settings", "instructions", setting.value)
        for setting in (Setting.LANGUAGE, Setting.TONE, Setting.LENGTH, Setting.REFUSAL, Setting.GLOSSARY)
    },
}


def change_of(chosen: Chosen, unset: Collection[Setting]) -> dict[str, Any]:
    """Return the fields of the request: the chosen values, and the settings to reset. Raises CommandFailed."""
    change: dict[str, Any] = {}
    for setting, place in _PLACES.items():
        value = chosen[setting.value]
        if value is not None and setting in unset:
            raise CommandFailed(f"--unset {setting.value} and a value for it contradict each other; give one of them")
        if setting in unset:
            _put(change, place, {} if setting is Setting.GLOSSARY else None)
        elif value is not None:
            _put(change, place, value)
    if not change:
        raise CommandFailed("nothing is to be changed; `citewell workspaces set --help` shows what can be")
    return change


def glossary_of(terms: Collection[str]) -> dict[str, str]:
    """Return the glossary from `TERM=MEANING` options. Raises CommandFailed."""
    glossary: dict[str, str] = {}
    for pair in terms:
        term, _, meaning = pair.partition("=")
        if not (term.strip() and meaning.strip()):
            raise CommandFailed(f"--term {pair!r} does not say what a term means; write TERM=MEANING")
        glossary[term.strip()] = meaning.strip()
    return glossary


def _put(change: dict[str, Any], place: tuple[str, ...], value: object) -> None:
    *above, last = place
    for name in above:
        change = change.setdefault(name, {})
    change[last] = value


def delete_workspace(client: CitewellClient, name: str, *, confirmed: bool) -> bool:
    """Delete a workspace. Return False if the server is still deleting its contents.

    A workspace with contents needs `confirmed`, or its name typed at a terminal. Raises CommandFailed without either.
    """
    try:
        return client.workspaces.delete(name, with_contents=confirmed)
    except ApiProblem as problem:
        if problem.code != "workspace_not_empty":
            raise
    counts = client.workspaces.get(name)["documents"]
    number = counts["queued"] + counts["processing"] + counts["ready"] + counts["failed"] + counts["superseded"]
    documents = counted(number, "document")
    if not sys.stdin.isatty():
        raise CommandFailed(
            f"workspace {name!r} is not empty ({documents}); --yes deletes it with all that it contains"
        )
    asked = f"{documents}, and all questions with their history, will be gone. To delete them type the name"
    if typer.prompt(asked, err=True) != name:
        raise CommandFailed(f"that is not the name; nothing was deleted from {name!r}")
    return client.workspaces.delete(name, with_contents=True)
