"""Generates the reference of all settings from their definitions: `make settings` writes docs/settings.md.

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

Every setting, by what people want to do, generated from the code by `make settings`. What cannot be chosen well from
outside is a constant beside the code that uses it. Set one in the environment, or in `config.yaml` in the
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
# References to rows of the requirements, which are for engineers.
_ROWS = re.compile(r" \([A-Z]\d+(?:\.\d+)?\)")
_NAMED = "NAME"
_PURPOSES: dict[str, str] = {
    "Start it": "home database_url redis_url api_host api_port public_url unknown_settings",
    "Use a model": (
        "preset GROQ_API_KEY GROQ_BASE_URL models.provider models.base_url models.api_key models.api_key_env "
        "models.client models.main models.fast models.fallbacks models.catalogue models.from_page models.servers "
        "models.encryption_key"
    ),
    "Let something else judge": "models.judgements models.judge",
    "Get along with a slow or failing provider": (
        "models.attempts models.call_timeout_s models.deadline_s models.outage_s models.concurrency models.hedge_share "
        "models.breaker limiter"
    ),
    "Spend less": "budget models.keep_replies_s models.share_replies models.share_answers",
    "Find the right passages": "retrieval agentic graph rerank question_max_chars",
    "Use another embedding model": "embeddings",
    "Verify answers": "ENABLE_VERIFICATION verification",
    "Verify answers of other systems": "verifying",
    "Guard the answers of other models": "guard",
    "Read documents": "ingestion",
    "Follow sources": "sources",
    "Show answers while they are written": "stream",
    "Keep and delete": "originals audit standing",
    "Let people in": "access",
    "Notify other systems": "webhooks mail",
    "Take much work": "admission pools recovery",
    "Watch it": "pulse_file log_level log_format metrics tracing langfuse workers",
}
"""The purposes of users, and the settings for each: names, or common beginnings of several names."""


def page() -> str:
    rows = [row for path, model in _groups("", Settings) for row in _rows_of(path, model)]
    sections = {purpose: list[str]() for purpose in _PURPOSES}
    for name, row in sorted(rows, key=lambda named: _place(named[0])):
        sections[_purpose_of(name)].append(row)
    return "\n".join([_TOP, *(_section(purpose, found) for purpose, found in sections.items())])


def _groups(path: str, model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield a model and the models of its fields, each with its path; a mapping's values are placed below NAME."""
    yield path, model
    for name, field in model.model_fields.items():
        kind = field.annotation
        if get_origin(kind) is dict and (below := _model(get_args(kind)[1])):
            yield from _groups(f"{path}{name}.{_NAMED}.", below)
        elif get_origin(kind) is not tuple and (below := _model(kind)):
            yield from _groups(f"{path}{name}.", below)


def _purpose_of(name: str) -> str:
    """Return the purpose that lists the name, or the longest beginning of it. Raises ValueError for a setting that no
    purpose lists."""
    found = [
        (len(begin), purpose)
        for purpose, begins in _PURPOSES.items()
        for begin in begins.split()
        if _is_of(name, begin)
    ]
    if not found:
        raise ValueError(f"{name} has no place in _PURPOSES of tools/settings_page.py")
    return max(found)[1]


def _place(name: str) -> int:
    # Settings with the same beginning stay in the order of their definition.
    begins = [begin for begins in _PURPOSES.values() for begin in begins.split()]
    return max(((len(begin), place) for place, begin in enumerate(begins) if _is_of(name, begin)), default=(0, 0))[1]


def _is_of(name: str, begin: str) -> bool:
    return name == begin or name.startswith((f"{begin}.", f"{begin}_"))


def _section(purpose: str, rows: list[str]) -> str:
    return "\n".join([f"## {purpose}", "", "| setting | default | meaning |", "|---|---|---|", *rows, ""])


def _rows_of(path: str, model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    for name, field in model.model_fields.items():
        if field.description:
            alias = field.validation_alias
            whole = alias if isinstance(alias, str) else f"{path}{name}"
            yield whole, _row(whole, field)


def _row(name: str, field: FieldInfo) -> str:
    meaning = _ROWS.sub("", field.description or "")
    choices = _choices(field.annotation)
    values = f". Values: {', '.join(f'`{choice}`' for choice in choices)}" if choices else ""
    return f"| `{name}` | {_default(field)} | {meaning}{values} |"


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
