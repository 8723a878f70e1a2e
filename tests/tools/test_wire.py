"""The Python client's shapes are what `make wire` writes, and the command says when a name is not clear."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, JsonValue

from api.schemas.texts import Input
from tools.wire import SHAPES, Shapes, Unnamed, module, refuse_twice


class Part(BaseModel):
    """A part."""

    at: datetime
    size: Literal["small", "large"] | None


class Head(BaseModel):
    id: UUID


class Whole(Head):
    parts: list[Part] = Field(description="In order.")
    counts: dict[str, int]
    data: dict[str, JsonValue]
    score: float = 0.5


class Ask(Input):
    words: Annotated[list[str], Field(min_length=1)]
    limit: int | None = None


class Narrowed(Head):
    id: Literal["one"]  # pyright: ignore[reportIncompatibleVariableOverride]


def text_of(name: str, *models: type[BaseModel], by_hand: dict[str, str] | None = None) -> str:
    schemas: dict[str, list[type[BaseModel]]] = {"Part": [Part], "Head": [Head], name: list(models)}
    shapes = Shapes(schemas, by_hand or {})
    shapes.add(name)
    return shapes.text()


def test_the_shapes_are_those_of_the_schemas() -> None:
    assert SHAPES.read_text(encoding="utf-8") == module(), "run `make wire`"


def test_a_shape_extends_that_of_its_schemas_base_and_stands_behind_what_it_needs() -> None:
    part, head, whole = text_of("Whole", Whole).split("\n\nclass ")[1:]
    assert part == 'Part(TypedDict):\n    """A part."""\n\n    at: str\n    size: Literal[\'small\', \'large\'] | None'
    assert head == "Head(TypedDict):\n    id: str"
    assert whole.splitlines() == [
        "Whole(Head):",
        "    parts: list[Part]",
        "    counts: dict[str, int]",
        "    data: dict[str, Any]",
        "    score: NotRequired[float]",
    ]


def test_a_shape_that_changes_a_field_of_its_base_stands_alone() -> None:
    assert "class Narrowed(TypedDict):\n    id: Literal['one']" in text_of("Narrowed", Narrowed)


def test_what_a_request_may_leave_out_is_not_required() -> None:
    assert "class Ask(TypedDict):\n    words: list[str]\n    limit: NotRequired[int | None]" in text_of("Ask", Ask)


def test_a_shape_that_is_written_by_hand_is_imported() -> None:
    text = text_of("Whole", Whole, by_hand={"Part": "citewell_client.types.common"})
    assert "from citewell_client.types.common import Part\n" in text
    assert "class Part" not in text


def test_a_name_without_a_schema_is_refused() -> None:
    with pytest.raises(Unnamed, match="no schema in api/schemas is a Nothing"):
        text_of("Nothing")


def test_a_name_of_two_different_schemas_is_refused() -> None:
    assert "class Same" in text_of("Same", Head, Head)
    with pytest.raises(Unnamed, match="Same means different schemas"):
        text_of("Same", Head, Part)


def test_a_shape_that_a_schema_describes_is_not_written_by_hand_as_well() -> None:
    common = "citewell_client.types.common"
    refuse_twice({"Accepted": common, "Source": common}, {"Source": Part, "Part": Part})
    with pytest.raises(Unnamed, match=r"delete \['Part'\] from \['citewell_client.types.parts'\]"):
        refuse_twice({"Part": "citewell_client.types.parts"}, {"Part": Part})
