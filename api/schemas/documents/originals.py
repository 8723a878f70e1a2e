"""Documents as they look, as JSON: the places of words on pages, and the blocks of documents without pages."""

from typing import Literal

from pydantic import BaseModel, Field


class WordBoxRead(BaseModel):
    """The place of `text[start:end]` on its page, in points from the upper left corner of the page."""

    start: int
    end: int
    left: float = Field(description="The left edge of the words.")
    top: float = Field(description="The upper edge of the words.")
    right: float = Field(description="The right edge of the words.")
    bottom: float = Field(description="The lower edge of the words.")


class PageBoxesRead(BaseModel):
    """A page as it is displayed, with boxes around the requested words; one box holds words that stand beside each
    other."""

    number: int
    width: float = Field(
        description="The width of the page, in points; `left / width` is the relative place in a picture of any size."
    )
    height: float = Field(description="The height of the page, in points.")
    boxes: list[WordBoxRead] = Field(description="The boxes of the requested words, in order.")


class SpanBoxes(BaseModel):
    """The places of a span of a document's text."""

    pages: list[PageBoxesRead] = Field(description="The pages that the span lies on, in order.")


class SheetPlaceRead(BaseModel):
    """The position of a block in a spreadsheet."""

    row: int = Field(description="The row of the block's first line, from 1.")
    first_rows: int = Field(description="The number of rows that the first line was made of: a header may have two.")
    columns: list[int] = Field(description="The columns from 1 (A), in the order of the cells.")


class BlockRead(BaseModel):
    """A slice of the document's text, in code points."""

    kind: Literal["heading", "text", "lines", "table"] = Field(
        description="`table`: a line for each row, tabs between cells."
    )
    start: int
    end: int
    level: int | None = Field(default=None, description="The level of a heading, from 1.")
    header_end: int | None = Field(
        default=None,
        description="For a table, the end of its row of column names, or the table's start if it has none.",
    )
    place: SheetPlaceRead | None = Field(description="The position of a spreadsheet's block; null for other documents.")


class DocumentBlocks(BaseModel):
    """The blocks of a document, and the way in which viewers show it beside its text."""

    view: Literal["pages", "blocks", "sheets", "text"] = Field(
        description="`pages`: pictures of its pages; `sheets`: grids of cells; `text`: nothing but the text."
    )
    blocks: list[BlockRead] = Field(description="The blocks in the order of the text.")
