"""The reference of all settings, made from their definitions: `make settings` writes docs/settings.md.

Names, defaults, choices and descriptions are those of the fields in `config/`.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Literal, cast, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from config.settings import Settings

_TOP = """# Settings

Every setting, generated from the code by `make settings`. Set one in the environment, or in `config.yaml` in the
current directory (`CITEWELL_CONFIG` names another file). The environment takes precedence over the file, and a request
over both. For example, `rerank.top_k`:

```
CITEWELL_RERANK__TOP_K=5
```

```yaml
rerank:
  top_k: 5
```

Lists and mappings are JSON in the environment. Names ending in `_s` are seconds. A value that cannot be used, an
unknown name, a file that is not YAML, or a `CITEWELL_CONFIG` that does not exist, stops every process and command at
its start, with exit code 2 on the command line: the message has the variable or the line, and the name that was
probably meant. `CITEWELL_CONFIG=/dev/null` uses no file, where `config.yaml` belongs to another program.
"""
# References to the rows of the requirements, which are for engineers.
_ROWS = re.compile(r" \([A-Z]\d+(?:\.\d+)?\)")
_NAMED = "NAME"


def page() -> str:
    return "\n".join([_TOP, *(section for path, model in _groups("", Settings) if (section := _section(path, model)))])


def _groups(path: str, model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    """A model and the models of its fields, each with its path; a mapping's values stand below NAME."""
    yield path, model
    for name, field in model.model_fields.items():
        kind = field.annotation
        if get_origin(kind) is dict and (below := _model(get_args(kind)[1])):
            yield from _groups(f"{path}{name}.{_NAMED}.", below)
        elif get_origin(kind) is not tuple and (below := _model(kind)):
            yield from _groups(f"{path}{name}.", below)


def _section(path: str, model: type[BaseModel]) -> str:
    rows = [_row(name, field) for name, field in model.model_fields.items() if field.description]
    heading = f"## `{path.rstrip('.')}`" if path else "## Without a group"
    return "\n".join([heading, "", "| setting | default | meaning |", "|---|---|---|", *rows, ""]) if rows else ""


def _row(name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    meaning = _ROWS.sub("", field.description or "")
    choices = _choices(field.annotation)
    values = f". Values: {', '.join(f'`{choice}`' for choice in choices)}" if choices else ""
    return f"| `{alias if isinstance(alias, str) else name}` | {_default(field)} | {meaning}{values} |"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default_factory:
        return "see right"
    value: Any = field.default
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if value is None or value == "":
        return "none"
    return f"`{value if isinstance(value, str) else json.dumps(_plain(value))}`"


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return sorted(cast("set[str]", value)) if isinstance(value, set) else value


def _choices(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) is Literal:
        return get_args(kind)
    return next((found for each in get_args(kind) if (found := _choices(each))), ())


def _model(kind: Any) -> type[BaseModel] | None:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind
    return next((each for each in get_args(kind) if isinstance(each, type) and issubclass(each, BaseModel)), None)


if __name__ == "__main__":
    print(page(), end="")
