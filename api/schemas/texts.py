"""Text types of the API, which refuse text that Postgres cannot store or that is unreadable."""

import math
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

MAX_METADATA_CHARS = 16_384
HALF_A_PAIR = "contains half a surrogate pair, which is not text"


def one_place(fields_set: Collection[str], workspaces: object) -> None:
    """Raise ValueError if both `workspace` and `workspaces` were sent."""
    if workspaces is not None and "workspace" in fields_set:
        raise ValueError("workspace and workspaces contradict each other; send one of them")


class Input(BaseModel):
    """Base of all request bodies: an unknown field is an error that names it, and "5" is not 5."""

    model_config = ConfigDict(extra="forbid", strict=True)


def fields_for(kind: type[Any], *sent: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The values of what was sent that the dataclass `kind` has under the same names."""
    names = {field.name for field in fields(kind)}
    return {name: value for model in sent for name, value in model if name in names}


def storable(text: str) -> str:
    """Return `text` unchanged. Raises ValueError if Postgres could not store it."""
    if "\x00" in text:
        raise ValueError("contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(HALF_A_PAIR) from None
    return text


def _name(text: str) -> str:
    # macOS sends file names with decomposed Hangul; equal names must be equal strings.
    name = unicodedata.normalize("NFC", text).strip()
    if not name or any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in name):
        raise ValueError("must be text on one line, without control characters")
    return name


def _storable_json(values: dict[str, JsonValue]) -> dict[str, JsonValue]:
    for leaf in _leaves(values):
        if isinstance(leaf, str):
            storable(leaf)
        elif not math.isfinite(leaf):
            raise ValueError("contains a number that is not finite")
    return values


def _short(values: dict[str, JsonValue]) -> dict[str, JsonValue]:
    length = sum(len(leaf) for leaf in _leaves(values) if isinstance(leaf, str))
    if length > MAX_METADATA_CHARS:
        raise ValueError(f"has {length} characters of text; the limit is {MAX_METADATA_CHARS}")
    return values


def _leaves(value: JsonValue) -> Iterator[str | float]:
    if isinstance(value, (str, float)):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    elif isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from _leaves(part)


PlainText = Annotated[str, AfterValidator(storable)]
WorkspaceName = Annotated[str, Field(max_length=100, examples=["default"]), AfterValidator(_name)]
Workspaces = Annotated[
    list[WorkspaceName] | None,
    Field(
        min_length=1,
        max_length=10,
        description="Several workspaces, in place of `workspace`. They need one embedding model. The settings of the "
        "first one apply, and lists show the question there.",
        examples=[["finance", "reports"]],
    ),
]
ModelName = Annotated[str, Field(max_length=120, examples=["default"]), AfterValidator(_name)]
SourceName = Annotated[str, Field(max_length=100), AfterValidator(_name)]
Filename = Annotated[str, Field(max_length=255, examples=["refund-policy.pdf"]), AfterValidator(_name)]
KeyName = Annotated[str, Field(max_length=100, examples=["ci"]), AfterValidator(_name)]
Title = Annotated[str, Field(max_length=200, examples=["Pump pressures"]), AfterValidator(_name)]
JsonObject = Annotated[dict[str, JsonValue], AfterValidator(_storable_json)]
"""An object that Postgres can store."""
Metadata = Annotated[JsonObject, AfterValidator(_short)]
WebhookUrl = Annotated[PlainText, Field(min_length=1, max_length=2048)]
