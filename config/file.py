"""The configuration file: its values, and the line of each value for messages."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from config import ConfigurationInvalid

CONFIG_VARIABLE, DEFAULT_FILE = "CITEWELL_CONFIG", "config.yaml"


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The values of the file; `lines` has the line of every name in it, by its path, counted from 1."""

    path: Path | None = None
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    lines: dict[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int])


def config_file() -> Path | None:
    """Return the file in use: the one that CITEWELL_CONFIG names, else `config.yaml` in the current directory, if there
    is one. Raises ConfigurationInvalid if the named file is missing."""
    named = os.environ.get(CONFIG_VARIABLE, "")
    path = Path(named or DEFAULT_FILE)
    if path.exists():
        return path
    if not named:
        return None
    nearby = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    similar = get_close_matches(path.name, nearby, 1)
    hint = f"; did you mean {path.parent / similar[0]}?" if similar else ""
    raise ConfigurationInvalid(f"{CONFIG_VARIABLE} is {named!r}, and there is no such file{hint}")


def config_for_children() -> str:
    """Return CITEWELL_CONFIG for a child process that runs in another directory."""
    path = config_file()
    return str(path.absolute()) if path else os.devnull


def read_config() -> ConfigFile:
    """Return the file in use, or an empty one. Raises ConfigurationInvalid, naming file and line."""
    path = config_file()
    return ConfigFile() if path is None else parse_config(path, _text(path))


def parse_config(path: Path, text: str) -> ConfigFile:
    """Return the settings in `text`. Raises ConfigurationInvalid, naming file and line."""
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        lines = dict(_lines(path, node, ()))
        values: Any = loader.construct_document(node) if node is not None else {}  # pyright: ignore[reportUnknownMemberType]
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark or error.context_mark
        where = f", line {at.line + 1}, column {at.column + 1}" if at else ""
        raise ConfigurationInvalid(f"{path}{where}: this is not YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigurationInvalid(f"{path}: this is not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict | None):
        raise ConfigurationInvalid(f"{path}: it must be a mapping, such as `rerank: {{top_k: 5}}`")
    return ConfigFile(path, values or {}, lines)  # pyright: ignore[reportUnknownArgumentType]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigurationInvalid(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationInvalid(f"{path} is not text in UTF-8") from None


def _lines(path: Path, node: yaml.Node | None, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    if not isinstance(node, yaml.MappingNode):
        return
    seen: dict[str, int] = {}
    for key, value in node.value:
        name, line = str(key.value), key.start_mark.line + 1
        if name in seen and name != "<<":
            raise ConfigurationInvalid(
                f"{path}, line {line}: `{'.'.join((*above, name))}` is already set in line {seen[name]}"
            )
        seen[name] = line
        yield (*above, name), line
        # The values that an alias repeats have their lines elsewhere, and may contain themselves.
        if value.start_mark.line >= key.start_mark.line:
            yield from _lines(path, value, (*above, name))
