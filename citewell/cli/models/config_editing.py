"""Changes settings in a configuration file. Only their own lines change, so that comments, order and all other settings
stay."""

import shutil
from collections.abc import Mapping
from copy import deepcopy
from difflib import unified_diff
from itertools import count
from pathlib import Path
from typing import Any

import yaml

from citewell.cli.errors import CommandFailed
from config import ConfigurationInvalid
from config.file import parse_config

REMOVED = object()
"""The value of a setting that should not be in the file afterwards."""

Changes = Mapping[tuple[str, ...], Any]
"""Values by path, which has one or two names: `preset`, or `models` and `main`."""


def edited(text: str, changes: Changes) -> str:
    """Return the file's text with the changes. Raises CommandFailed when the text has a form that this function cannot
    change."""
    wanted = _changed(_parsed(text), changes)
    try:
        for path, value in changes.items():
            text = _set(text, path, value)
        done = _parsed(text)
    except (yaml.YAMLError, ConfigurationInvalid):
        done = None
    if done != wanted:
        raise CommandFailed("the configuration file is written in an unusual form; change it by hand (docs/models.md)")
    return text


def write(path: Path, text: str) -> Path | None:
    path = path.resolve()
    backup = None
    if path.exists():
        names = (f"{path.name}.bak{f'-{number}' if number > 1 else ''}" for number in count(1))
        backup = next(free for name in names if not (free := path.with_name(name)).exists())
        shutil.copy2(path, backup)
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(text, encoding="utf-8")
    if backup:
        shutil.copymode(backup, draft)
    draft.replace(path)
    return backup


def difference(before: str, after: str) -> list[str]:
    lines = unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def _parsed(text: str) -> dict[str, Any]:
    return parse_config(Path("the configuration file"), text).values


def _changed(values: dict[str, Any], changes: Changes) -> dict[str, Any]:
    changed: dict[str, Any] = deepcopy(values)
    for (*groups, name), value in changes.items():
        place = changed
        for group in groups:
            place[group] = place.get(group) or {}
            place = place[group]
        if value is REMOVED:
            place.pop(name, None)
        else:
            place[name] = value
    return changed


def _set(text: str, path: tuple[str, ...], value: Any) -> str:
    root: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    if root is not None and root.flow_style:
        raise yaml.YAMLError("all between braces")
    if len(path) == 1:
        return _set_in(text, root, path[0], value, "")
    section, name = path
    entry = _entry(root, section)
    if entry is None:
        return text if value is REMOVED else _set_in(text, root, section, {name: value}, "")
    if not isinstance(entry[1], yaml.MappingNode) or entry[1].flow_style:
        # A block such as `models: {main: x}`, or an empty one, is written out with one name per line.
        whole = _changed(_parsed(text), {path: value})[section]
        return _set_in(text, root, section, whole, "")
    return _set_in(text, entry[1], name, value, " " * entry[1].value[0][0].start_mark.column)


def _set_in(text: str, mapping: Any, name: str, value: Any, indent: str) -> str:
    lines = text.splitlines(keepends=True)
    entry = _entry(mapping, name)
    if entry is None:
        if value is REMOVED:
            return text
        at = _last_line(mapping.value[-1][1]) + 1 if mapping is not None else len(lines)
        if at and not lines[at - 1].endswith("\n"):
            lines[at - 1] += "\n"
        return "".join([*lines[:at], _written(name, value, indent), *lines[at:]])
    key, old = entry
    on_its_line = isinstance(old, yaml.ScalarNode) and old.style not in ("|", ">") and old.value
    if on_its_line and isinstance(value, str | bool | int | float):
        return text[: old.start_mark.index] + _scalar(value) + text[old.end_mark.index :]
    new = "" if value is REMOVED else _written(name, value, indent)
    return "".join([*lines[: key.start_mark.line], new, *lines[_last_line(old, key) + 1 :]])


def _entry(mapping: Any, name: str) -> tuple[Any, Any] | None:
    return next((pair for pair in mapping.value if pair[0].value == name), None) if mapping is not None else None


def _last_line(node: Any, key: Any = None) -> int:
    # The end of a block is after the comments that follow it.
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last: Any = node.value[-1]
        if isinstance(node, yaml.MappingNode):
            return _last_line(last[1], last[0])
        return _last_line(last)
    end = node.end_mark
    before = end.line - 1 if end.column == 0 and end.line > node.start_mark.line else end.line
    return before if key is None else max(before if node.value else key.start_mark.line, key.start_mark.line)


def _written(name: str, value: Any, indent: str) -> str:
    if isinstance(value, dict) and value:
        below = "".join(_written(str(name), inner, f"{indent}  ") for name, inner in value.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return f"{indent}{_scalar(name)}:\n{below}"
    return f"{indent}{_scalar(name)}: {_scalar(value)}\n"


def _scalar(value: Any) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10_000)
    return text.removesuffix("\n").removesuffix("\n...")
