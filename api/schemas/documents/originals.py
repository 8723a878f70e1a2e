"""On the wire: where words stand on the pages of a document, and what one without pages is made of."""

from typing import Literal

from pydantic import BaseModel, Field


class WordBoxRead(BaseModel):
    """The place of `text[start:end]` on its page, in points from its upper left corner."""

    start: int
    end: int
    left: float
    top: float
    right: float
    bottom: float


class PageBoxesRead(BaseModel):
    """A page as it is displayed, with the asked words on it; a box holds words that stand beside each other."""

    number: int
    width: float = Field(description="In points; `left / width` is the place in a picture of any size.")
    height: float
    boxes: list[WordBoxRead]


class SpanBoxes(BaseModel):
    """The places of a span of a document's text."""

    pages: list[PageBoxesRead] = Field(description="Those that the span lies on, in order.")


class SheetPlaceRead(BaseModel):
    """Where a block stands in a spreadsheet."""

    row: int = Field(description="Of its first line, from 1.")
    first_rows: int = Field(description="How many rows the first line was made of: a header may have two.")
    columns: list[int] = Field(description="From 1 (A), in the order of the cells.")


class BlockRead(BaseModel):
    """A slice of the document's text, in code points."""

    kind: Literal["heading", "text", "lines", "table"] = Field(
        description="`table`: a row on each line, tabs between cells."
    )
    start: int
    end: int
    level: int | None = Field(default=None, description="Of a heading, from 1.")
    header_end: int | None = Field(default=None, description="The end of a table's row of column names, or its start.")
    place: SheetPlaceRead | None


class DocumentBlocks(BaseModel):
    """What a document is shown from, beside its text."""

    view: Literal["pages", "blocks", "sheets", "text"] = Field(
        description="`pages`: pictures of its pages; `sheets`: grids of cells; `text`: the text is all there is."
    )
    blocks: list[BlockRead]
