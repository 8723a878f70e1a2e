"""The names of all settings, and messages about errors in a configuration: the place of each error, and the setting
that a misspelled name probably means."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args, get_origin

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import SettingsError

from config.file import ConfigFile

PREFIX, DELIMITER = "CITEWELL_", "__"

# These are read by the client and the command line, by Compose, by examples in the documentation, and by tests and
# benchmarks.
_ELSEWHERE = frozenset(
    ("CONFIG URL API_KEY VERSION PORT EVENTS WEBHOOK_SECRET CHROMIUM BENCH_ENVS TESTS_CLOCK_S TESTS_FAILPOINTS").split()
)
# Kubernetes adds these for every Service whose name begins with `citewell-`.
_OF_A_SERVICE = re.compile(r"_SERVICE_(HOST|PORT)(_\w+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?$")
_ADDRESS = re.compile(r"(tcp|udp|sctp)://")
_NAMED = "NAME"  # represents a name of the user's own, such as a pool's
_FIELD = re.compile(r'field "(?P<name>\w+)"')


def complaints(model: type[BaseModel], invalid: ValidationError, file: ConfigFile) -> list[str]:
    """Return a sentence for each wrong setting; those of the file name their lines."""
    sentences = [*unknown_complaints(model, os.environ)]
    errors = [([str(name) for name in error["loc"]], error) for error in invalid.errors(include_input=False)]
    for path, error in sorted(errors, key=lambda located: _line(located[0], file)):
        variable, line = _variable(path, os.environ), _line(path, file)
        if variable in unknown_variables(model, os.environ):
            continue  # this error has a sentence of its own already
        place = variable or (f"{file.path}, line {line}" if line else "configuration")
        if error["type"] == "extra_forbidden":
            meant = likely(model, path)
            hint = _hint(f"`{'.'.join(meant)}`" if meant else None)
            sentences.append(f"{place}: `{'.'.join(path)}` is not a setting ({hint})")
        else:
            sentences.append(f"{place}: {'.'.join(path)}: {error['msg']}")
    return sentences


def unknown_complaints(model: type[BaseModel], environment: Mapping[str, str]) -> Iterator[str]:
    for variable in unknown_variables(model, environment):
        meant = likely(model, variable.upper().removeprefix(PREFIX).lower().split(DELIMITER))
        yield f"{variable} is not a setting ({_hint(variable_of(meant) if meant else None)})"


def unreadable_variable(error: SettingsError) -> str:
    named = _FIELD.search(str(error))
    variable = variable_of([named["name"]]) if named else "a variable"
    return f'{variable}: it must be JSON, such as `{{"name": 1}}` or `[1, 2]`'


def _hint(meant: str | None) -> str:
    return f"did you mean {meant}?" if meant else "docs/settings.md lists all"


def _variable(path: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """Return the variable of a setting, if the environment sets it: it takes precedence over the file."""
    given = {name.upper(): name for name in environment}
    wanted = (variable_of(path[:end]) for end in range(len(path), 0, -1))
    return next((given[name] for name in wanted if name in given), None)


def _line(path: Sequence[str], file: ConfigFile) -> int:
    return next((file.lines[at] for end in range(len(path), 0, -1) if (at := tuple(path[:end])) in file.lines), 0)


def unknown_variables(model: type[BaseModel], environment: Mapping[str, str]) -> list[str]:
    """Return the variables that look like settings, but belong neither to this program nor to others that run beside
    it."""
    unknown: list[str] = []
    for variable, value in environment.items():
        name = variable.upper().removeprefix(PREFIX)
        if name in (variable.upper(), *_ELSEWHERE) or is_setting(model, name.lower().split(DELIMITER)):
            continue
        if not (_OF_A_SERVICE.search(name) and (_ADDRESS.match(value) or not name.endswith("_PORT"))):
            unknown.append(variable)
    return sorted(unknown)


def is_setting(model: type[BaseModel], path: Sequence[str]) -> bool:
    field = fields_by_name(model).get(path[0])
    if field is None or len(path) == 1:
        return field is not None
    below, rest = _below(field), path[1:]
    if get_origin(field.annotation) is dict:
        rest = rest[1:]
        return not rest or (below is not None and is_setting(below, rest))
    return below is not None and is_setting(below, rest)


def without_unknown(model: type[BaseModel], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without those whose names are not settings, at any depth."""
    fields = fields_by_name(model)
    return {name: _known_below(fields[name], value) for name, value in values.items() if name in fields}


def likely(model: type[BaseModel], path: Sequence[str]) -> list[str] | None:
    """Return the path of the setting that a misspelled name probably means; None if none is similar."""
    known = {".".join(names): list(names) for names in _paths(model)}
    siblings = [
        name
        for name, names in known.items()
        if len(names) == len(path)
        and all(part in (_NAMED, given) for part, given in zip(names[:-1], path[:-1], strict=True))
    ]
    meant = ".".join(path)
    elsewhere = [name for name in known if name.split(".")[-1] == path[-1]]
    joined = [name for name in known if name.replace(".", "_") == meant.replace(".", "_")]
    similar = (
        joined[:1]
        or get_close_matches(meant, siblings, 1, 0.75)
        or elsewhere[:1]
        or get_close_matches(meant, known, 1, 0.7)
    )
    if not similar:
        return None
    # A name of the user's own, such as a pool's, stays as it is.
    own = dict(enumerate(path)) if len(known[similar[0]]) == len(path) else {}
    return [own.get(at, name) if name == _NAMED else name for at, name in enumerate(known[similar[0]])]


def variable_of(path: Sequence[str]) -> str:
    name = DELIMITER.join(path)
    return name if name.isupper() else PREFIX + name.upper()


def fields_by_name(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields by their names in the file and in the environment."""
    fields: dict[str, FieldInfo] = {}
    for own, field in model.model_fields.items():
        alias = field.validation_alias
        choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
        fields |= {name: field for name in (own, *choices) if isinstance(name, str)}
    return fields


def _paths(model: type[BaseModel]) -> Iterator[tuple[str, ...]]:
    for name, field in fields_by_name(model).items():
        yield (name,)
        if below := _below(field):
            between = (name, _NAMED) if get_origin(field.annotation) is dict else (name,)
            yield from ((*between, *path) for path in _paths(below))


def _below(field: FieldInfo) -> type[BaseModel] | None:
    kinds = (field.annotation, *get_args(field.annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


def _known_below(field: FieldInfo, value: Any) -> Any:
    below = _below(field)
    if below is None or not isinstance(value, dict):
        return value
    values: dict[str, Any] = dict(value)  # pyright: ignore[reportUnknownArgumentType] YAML is untyped
    if get_origin(field.annotation) is not dict:
        return without_unknown(below, values)
    return {
        name: without_unknown(below, entry) if isinstance(entry, dict) else entry  # pyright: ignore[reportUnknownArgumentType]
        for name, entry in values.items()
    }
