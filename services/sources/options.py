"""The options of a source as they are stored."""

from dataclasses import asdict, fields
from typing import Any

from domain.documents.sources import OPTIONS_OF, SourceOptions
from domain.errors import DocumentSourceInvalid

Json = dict[str, Any]
_OF_SOME_KINDS = frozenset[str]().union(*OPTIONS_OF.values())


def options_of(stored: Json) -> SourceOptions:
    """The options; those that this version does not know are left out."""
    known = {each.name for each in fields(SourceOptions)}
    values = {name: value for name, value in stored.items() if name in known}
    return SourceOptions(**values)


def stored(options: SourceOptions) -> Json:
    values = asdict(options)
    return {**values, **{name: list(values[name]) for name in ("include", "exclude", "urls")}}


def check_options(kind: str, options: SourceOptions) -> None:
    """Raise DocumentSourceInvalid for options that do nothing with this kind."""
    others = _OF_SOME_KINDS - OPTIONS_OF[kind]
    if wrong := sorted(name for name in others if getattr(options, name)):
        raise DocumentSourceInvalid(f"A source of the kind {kind!r} has no {' or '.join(wrong)}; leave that out.")
