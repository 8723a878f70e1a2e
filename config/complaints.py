"""Describes what is wrong with the configuration, with the place of each error."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, ValidationError
from pydantic_settings import SettingsError

from config.file import ConfigFile
from config.names import DELIMITER, PREFIX, likely, unknown_variables, variable_of

_FIELD = re.compile(r'field "(?P<name>\w+)"')


def complaints(model: type[BaseModel], error: ValidationError, file: ConfigFile) -> list[str]:
    found = [*unknown_complaints(model, os.environ)]
    wrong = [([str(name) for name in each["loc"]], each) for each in error.errors(include_input=False)]
    for path, each in sorted(wrong, key=lambda pair: _line(pair[0], file)):
        variable = _variable(path, os.environ)
        if variable in unknown_variables(model, os.environ):
            continue  # has its own sentence already
        place = variable or _place(path, file)
        unknown = each["type"] == "extra_forbidden"
        what = _unknown(model, path) if unknown else f"{'.'.join(path)}: {each['msg']}"
        found.append(f"{place}: {what}")
    return found


def unknown_complaints(model: type[BaseModel], environment: Mapping[str, str]) -> Iterator[str]:
    for variable in unknown_variables(model, environment):
        meant = likely(model, variable.upper().removeprefix(PREFIX).lower().split(DELIMITER))
        yield f"{variable} is not a setting ({_hint(variable_of(meant) if meant else None)})"


def unreadable_variable(error: SettingsError) -> str:
    named = _FIELD.search(str(error))
    variable = variable_of([named["name"]]) if named else "a variable"
    return f'{variable}: it must be JSON, such as `{{"name": 1}}` or `[1, 2]`'


def _unknown(model: type[BaseModel], path: Sequence[str]) -> str:
    meant = likely(model, path)
    said = _hint(f"`{'.'.join(meant)}`" if meant else None)
    return f"`{'.'.join(path)}` is not a setting ({said})"


def _hint(meant: str | None) -> str:
    return f"did you mean {meant}?" if meant else "docs/settings.md lists all"


def _variable(path: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The variable of a setting, if the environment sets it: it takes precedence over the file."""
    given = {name.upper(): name for name in environment}
    wanted = (variable_of(path[:end]) for end in range(len(path), 0, -1))
    return next((given[name] for name in wanted if name in given), None)


def _place(path: Sequence[str], file: ConfigFile) -> str:
    line = _line(path, file)
    return f"{file.path}, line {line}" if line else "configuration"


def _line(path: Sequence[str], file: ConfigFile) -> int:
    return next((file.lines[at] for end in range(len(path), 0, -1) if (at := tuple(path[:end])) in file.lines), 0)
