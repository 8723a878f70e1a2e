"""The names of all settings, and which of them a misspelled one probably means."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args, get_origin

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

PREFIX, DELIMITER = "CITEWELL_", "__"

# These are read by the client and the command line, by Compose, by examples in the documents, and by tests and
# benchmarks.
_ELSEWHERE = frozenset(
    ("CONFIG URL API_KEY VERSION PORT EVENTS WEBHOOK_SECRET CHROMIUM BENCH_ENVS TESTS_CLOCK_S TESTS_FAILPOINTS").split()
)
# Kubernetes adds these for every Service whose name begins with `citewell-`.
_OF_A_SERVICE = re.compile(r"_SERVICE_(HOST|PORT)(_\w+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?$")
_ADDRESS = re.compile(r"(tcp|udp|sctp)://")
_NAMED = "NAME"  # stands for a name of the user's own, such as a pool's


def unknown_variables(model: type[BaseModel], environment: Mapping[str, str]) -> list[str]:
    return sorted(
        variable
        for variable, value in environment.items()
        if variable.upper().startswith(PREFIX) and not _is_known(model, variable.upper(), value)
    )


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
    """The values without those whose names are no settings, at any depth."""
    fields = fields_by_name(model)
    return {name: _known_below(fields[name], value) for name, value in values.items() if name in fields}


def likely(model: type[BaseModel], path: Sequence[str]) -> list[str] | None:
    """The path of the setting that a misspelled one probably means; None if none is similar."""
    known = {".".join(names): list(names) for names in _paths(model)}
    siblings = [name for name, names in known.items() if _fits(names[:-1], path[:-1])]
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
    return {name: field for own, field in model.model_fields.items() for name in {own, *_aliases(field)}}


def _aliases(field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    return [choice for choice in choices if isinstance(choice, str)]


def _paths(model: type[BaseModel]) -> Iterator[tuple[str, ...]]:
    for name, field in fields_by_name(model).items():
        yield (name,)
        if below := _below(field):
            between = (name, _NAMED) if get_origin(field.annotation) is dict else (name,)
            yield from ((*between, *path) for path in _paths(below))


def _below(field: FieldInfo) -> type[BaseModel] | None:
    kinds = (field.annotation, *get_args(field.annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


def _fits(group: Sequence[str], path: Sequence[str]) -> bool:
    return len(group) == len(path) and all(known in (_NAMED, given) for known, given in zip(group, path, strict=True))


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


def _is_known(model: type[BaseModel], variable: str, value: str) -> bool:
    name = variable.removeprefix(PREFIX)
    if name in _ELSEWHERE or (_OF_A_SERVICE.search(name) and (_ADDRESS.match(value) or not name.endswith("_PORT"))):
        return True
    return is_setting(model, name.lower().split(DELIMITER))
