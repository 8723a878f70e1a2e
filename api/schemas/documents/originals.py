"""On the wire: where words stand on the pages of a document, and what one without pages is made of."""

from typing import Literal

from pydantic import BaseModel, Field


class WordBoxRead(BaseModel):
    """The place of `text[start:end]` on its page, in points from its upper left corner."""

    start: int
    end: int
    left: float = Field(description="Its left edge.")
    top: float = Field(description="Its upper edge.")
    right: float = Field(description="Its right edge.")
    bottom: float = Field(description="Its lower edge.")


class PageBoxesRead(BaseModel):
    """A page as it is displayed, with the asked words on it; a box holds words that stand beside each other."""

    number: int
    width: float = Field(description="In points; `left / width` is the place in a picture of any size.")
    height: float = Field(description="In points.")
    boxes: list[WordBoxRead] = Field(description="Of the asked words, in order.")


class SpanBoxes(BaseModel):
    """The places of a span of a document's text."""

    pages: list[PageBoxesRead] = Field(description="Those that the span lies on, in order.")


class SheetPlaceRead(BaseModel):
    """The position of a block in a spreadsheet."""

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
    place: SheetPlaceRead | None = Field(description="Of a spreadsheet's block; null for others.")


class DocumentBlocks(BaseModel):
    """What a document is shown from, beside its text."""

    view: Literal["pages", "blocks", "sheets", "text"] = Field(
        description="`pages`: pictures of its pages; `sheets`: grids of cells; `text`: the text is all there is."
    )
    blocks: list[BlockRead] = Field(description="In the order of the text.")
