"""The basis of an answer as JSON: citations, sources and evidence with their places, and the remarks beside the answer:
its signal, the closest passages, disagreements of documents.

Offsets are code points, half-open: `answer[answer_start:answer_end]`, `document_text[source_start:source_end]`.
"""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, JsonValue

from citewell_documents.figures import FigureKind
from domain.quality.signal import Level, Word

Score = float
CitationStatus = Literal["accurate", "inaccurate", "uncertain"]

Timestamp = Annotated[
    datetime | None,
    Field(
        description="When this version of the document was added (its `created_at`). Null once the document is deleted."
    ),
]

Origin = Annotated[
    str | None, Field(description="The workspace of the document; null once it is deleted.", examples=["finance"])
]

RecognisedConfidence = Annotated[
    float | None,
    Field(
        description="The certainty of text recognition (OCR), from 0 to 1. Null where the words are text in the file.",
        examples=[0.93],
    ),
]

Corrected = Annotated[
    bool,
    Field(
        description="Whether people corrected any of the words, or something between them: the file of the document, "
        "and pictures of it, then show something else there."
    ),
]

Figure = Annotated[
    FigureKind | None,
    Field(
        description="The relation of the words to a picture in the document, if most of them belong to one: its "
        "`alternative_text`, its `caption`, or data of a `chart`. They prove what they say, and not what can be seen. "
        "Null for other text, and for documents read before this was kept.",
        examples=["caption"],
    ),
]


class CopyRead(BaseModel):
    """A copy of the document that has the same passage."""

    document_id: UUID
    document_name: str


AlsoIn = Annotated[
    list[CopyRead],
    Field(
        description="Copies of the document that have the same passage, at most 20; together they take one place among "
        "the passages."
    ),
]


class CitationMetadata(BaseModel):
    """The origin of the cited chunk, in the form of S3.3."""

    chunk_id: str
    doc_id: str
    chunk_index: int
    start_index: int
    filename: str
    source: str
    timestamp: Timestamp


class CitationLinks(BaseModel):
    """Links to the cited document in its original form."""

    original: str = Field(description="The path of the file.")
    image: str | None = Field(
        description="The path of a picture of the cited page; null unless the document is a PDF or a picture."
    )
    boxes: str | None = Field(description="The path of the places of the cited words on the page.")


class CellsRead(BaseModel):
    """Rows and columns of a spreadsheet, as the spreadsheet names them."""

    row: int = Field(description="The first row, from 1.")
    last_row: int = Field(description="The last row; the same as `row` where the words are in one row.")
    column: str = Field(description="The first column of the table.", examples=["A"])
    last_column: str = Field(description="The last column of the table.", examples=["D"])


class CitationRead(BaseModel):
    """One marker in the answer, and the passage that it cites."""

    number: int = Field(description="The N of `[N]` in the answer; counts from 1 without gaps.")
    document_name: str
    document_id: UUID
    workspace: Origin
    doc_id: str
    filename: str
    source: str
    page_number: int | None = Field(description="Null where the page is not known; pages are never guessed.")
    section: str | None = Field(description="The heading above the words, or the sheet; null where there is none.")
    cells: CellsRead | None = Field(
        default=None, description="The place of the words in a spreadsheet; null in other documents."
    )
    chunk_id: str = Field(examples=["doc_0::chunk_2"])
    chunk_index: int
    start_index: int = Field(description="Where the chunk starts in the document's text.")
    text: str
    text_span: str = Field(description="The cited words: the document's text from `source_start` to `source_end`.")
    source_start: int
    source_end: int
    recognised_confidence: RecognisedConfidence = None
    figure: Figure = None
    corrected: Corrected = False
    also_in: AlsoIn
    claim_text: str = Field(
        description="The statement that the citation supports, without its marker: the answer from `answer_start` to "
        "`answer_end`."
    )
    answer_start: int
    answer_end: int
    citation_type: Literal["direct_quote", "paraphrase", "inference"]
    confidence_score: Score
    status: CitationStatus
    explanation: str
    metadata: CitationMetadata
    links: CitationLinks


class SourceRead(BaseModel):
    """A passage that the answer was written from."""

    text: str
    document_id: UUID
    workspace: Origin
    document_name: str
    filename: str
    source: str
    doc_id: str
    chunk_id: str
    chunk_index: int
    start_index: int
    page_number: int | None
    section: str | None
    recognised_confidence: RecognisedConfidence = None
    figure: Figure = None
    corrected: Corrected = False
    metadata: dict[str, JsonValue]
    timestamp: Timestamp
    similarity: Score | None = Field(
        description="Cosine similarity to the question; null when only the search by words found the passage."
    )
    rerank_score: Score | None = Field(description="Null when the model's score could not be read.")


class EvidenceLocation(BaseModel):
    """The location of a piece of evidence."""

    document_id: UUID
    document_name: str
    chunk_id: str
    page_number: int | None
    section: str | None
    source_start: int
    source_end: int
    recognised_confidence: RecognisedConfidence = None
    figure: Figure = None
    corrected: Corrected = False


class SignalRead(BaseModel):
    """The summary of all checks for a reader: one word, one colour, one number and one sentence that agree."""

    word: Word = Field(
        description="A word for how far the sources support the answer and whether it answers the question. An answer "
        "that was copied without a model is at best `Quoted exactly`."
    )
    level: Level = Field(
        description="The colour of the word. `green`: all of the answer is supported, and about 9 of 10 such answers "
        "answer their question. `amber`: doubtful. `red`: the sources do not support some of it. `grey`: nothing is "
        "claimed or known."
    )
    reason: str = Field(
        description="The word's meaning in a sentence.", examples=["The sources say only a part of it."]
    )
    probability: float | None = Field(
        description="The `verification.confidence`; null where a number adds nothing to the word, because nothing is "
        "claimed or proven, or because nobody measured how often such answers are right."
    )


class MentionRead(BaseModel):
    """Words of a passage that is close to the question."""

    document: str
    document_id: UUID
    page: int | None = Field(description="Null where the page is not known; pages are never guessed.")
    section: str | None = Field(description="The heading above the words; null where there is none.")
    chunk_id: str
    source_start: int = Field(description="Where the words begin in the document, in code points.")
    source_end: int = Field(description="Where the words end in the document, exclusive.")
    quote: str = Field(description="The words in one line; a row of a table or a caption may be the closest.")


class ConflictPlaceRead(MentionRead):
    """One side of a disagreement: the value in one document, and its place."""

    value: str = Field(
        description="The value; the whole statement where one side denies the other.",
        examples=["EUR 0.42"],
    )
    quote: str = Field(description="The sentence or row with the value, in one line.")
    date: str | None = Field(
        description="The document's date as precisely as the document states it: a year, a month or a day. Null where "
        "it states none.",
        examples=["2024-06-01", "2024"],
    )


class ConflictRead(BaseModel):
    """Two documents, found for the question, that state different values for the same thing."""

    statement: str = Field(description="The sentence of the answer.")
    stated: ConflictPlaceRead = Field(description="The side that the answer cites.")
    other: ConflictPlaceRead = Field(description="The side that another document states.")
    in_force: Literal["stated", "other"] | None = Field(
        description="The side whose document replaces the other, where one of them says so; null where none does."
    )
