"""Sources of documents on the wire."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, JsonValue

from api.schemas.documents.documents import DocumentError, DocumentState
from api.schemas.texts import Input, Metadata, PlainText, SourceName, WorkspaceName

SourceKind = Literal["folder", "web", "sitemap", "feed", "git", "bucket"]
ItemOutcome = Literal["pending", "new", "changed", "unchanged", "skipped", "failed", "gone"]

_Patterns = Annotated[list[Annotated[PlainText, Field(min_length=1, max_length=500)]], Field(max_length=100)]
_Location = Annotated[PlainText, Field(min_length=1, max_length=2_000)]
_Every = Annotated[int, Field(ge=60, le=31_536_000)]


class DocumentSourceOptions(Input):
    """What a source takes. Some options belong to some kinds only."""

    include: _Patterns = Field(
        default=[],
        description="Only items with a key like one of these; `*` stands for any characters, slashes too.",
        examples=[["docs/*.md"]],
    )
    exclude: _Patterns = Field(default=[], description="No items with a key like one of these.")
    max_items: int = Field(default=10_000, ge=1, le=1_000_000, description="What is beyond is left out, and told.")
    when_gone: Literal["mark", "delete"] = Field(
        default="mark",
        description="What happens to the document of an item that the source does not have any more: its metadata get "
        "`gone_from_source_at`, or it is deleted.",
    )
    metadata: Metadata = Field(default={}, description="Kept with each of its documents.")
    urls: Annotated[list[_Location], Field(max_length=1_000)] = Field(
        default=[], description="`web`: further pages beside the one of `location`."
    )
    depth: int = Field(
        default=0,
        ge=0,
        le=10,
        description="`web`: how many links away from its pages it goes, on the same host and below the same folder.",
    )
    entries: bool = Field(
        default=False, description="`feed`: take the text of the entries themselves, not the pages they link to."
    )
    branch: Annotated[PlainText, Field(min_length=1, max_length=250)] | None = Field(
        default=None, description="`git`: a branch or tag; without it, the default branch."
    )
    store: Annotated[PlainText, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="`bucket`: the name of the store in the server's settings (`sources.stores`)."
    )


class DocumentSourceCreate(Input):
    """A source to set up."""

    name: SourceName = Field(
        description="Its documents are named after it: `handbook/…`; it cannot be changed.", examples=["handbook"]
    )
    kind: SourceKind
    location: _Location = Field(
        description="`folder`: the name of an allowed folder, and the way in it; `web`, `sitemap`, `feed`: a URL; "
        "`git`: an https URL, or as for a folder; `bucket`: `NAME/prefix`.",
        examples=["handbook/policies"],
    )
    workspace: WorkspaceName = Field(default="default")
    every_s: _Every | None = Field(
        default=None, description="Seconds from run to run; null: it runs now, and then only when asked."
    )
    options: DocumentSourceOptions = Field(default_factory=DocumentSourceOptions, description="What it takes.")


class DocumentSourceChange(Input):
    """The fields to change; what is left out stays as it is."""

    every_s: _Every | None = Field(default=None, description="Seconds from run to run; null: only when asked.")
    status: Literal["active", "paused"] = Field(default="active", description="A paused source does nothing.")
    options: DocumentSourceOptions = Field(
        default_factory=DocumentSourceOptions, description="Those that are given; others stay as they are."
    )


class DocumentSourceHead(BaseModel):
    """A source without the progress of its run."""

    id: UUID
    name: str = Field(description="Its documents are named after it.")
    workspace: str
    kind: SourceKind = Field(description="What kind of place it is.")
    location: str = Field(description="The place: a URL, an allowed folder, a bucket.")
    every_s: int | None = Field(description="Seconds from run to run; null: only when asked.")
    status: Literal["active", "paused", "deleting"] = Field(
        description="A paused one does nothing; one that is being deleted only deletes its documents."
    )
    phase: Literal["idle", "listing", "fetching"] = Field(
        description="What its run does: list everything, then fetch what is new or changed."
    )
    run: int = Field(description="The number of the current or last run; 0 before the first one.")
    error: DocumentError | None = Field(description="Why the last run failed, or what it left out.")
    created_at: datetime
    started_at: datetime | None = Field(description="When its run began.")
    finished_at: datetime | None
    next_run_at: datetime | None = Field(
        description="When the next run is due; null while one runs, or when none is planned."
    )


class DocumentSourceItems(BaseModel):
    """The items of the current or last run, by what became of them."""

    listed: int = Field(description="All that the source has.")
    pending: int = Field(description="To be fetched.")
    new: int = Field(description="Became documents.")
    changed: int = Field(description="Became the next version of their documents.")
    unchanged: int = Field(description="Are as they were.")
    skipped: int = Field(description="Are nothing that is read.")
    failed: int = Field(description="Could not be taken; the next run tries again.")
    gone: int = Field(description="Items of earlier runs that it did not find.")


class DocumentSourceDocuments(BaseModel):
    """The source's documents, in their newest version, by state."""

    queued: int
    processing: int
    ready: int
    failed: int
    superseded: int


class DocumentSourceReason(BaseModel):
    """An item that did not become a document, and why."""

    key: str = Field(description="Its path or URL.")
    outcome: ItemOutcome = Field(description="Whether it was skipped or failed.")
    code: str = Field(examples=["document_type_unknown"])
    message: str


class DocumentSourceTaken(BaseModel):
    """The options of a source."""

    include: list[str] = Field(description="Only items with keys like these.")
    exclude: list[str] = Field(description="No items with keys like these.")
    max_items: int = Field(description="What is beyond is left out.")
    when_gone: Literal["mark", "delete"] = Field(description="What happens to documents of what went.")
    metadata: dict[str, JsonValue] = Field(description="Kept with each of its documents.")
    urls: list[str] = Field(description="Further pages of a `web` source.")
    depth: int = Field(description="How many links a `web` source follows.")
    entries: bool = Field(description="Whether the text of a feed's entries is taken.")
    branch: str | None = Field(description="The branch or tag of a repository; null: the default one.")
    store: str | None = Field(description="The store of a bucket.")


class DocumentSourceRead(DocumentSourceHead):
    """A source, and the progress of its current or last run."""

    options: DocumentSourceTaken = Field(description="What it takes.")
    items: DocumentSourceItems = Field(description="What became of them in the current or last run.")
    documents: DocumentSourceDocuments = Field(description="Their number in each state.")
    reasons: list[DocumentSourceReason] = Field(description="The first 50 of the run; `/items` has all.")


class DocumentSourceItem(BaseModel):
    """A file, page or entry of a source."""

    key: str = Field(description="Its path or URL.")
    outcome: ItemOutcome = Field(description="What became of it in the last run that saw it.")
    document_id: UUID | None = Field(description="The document that it became; null when there is none.")
    document_status: DocumentState | None = Field(description="How far that document is.")
    code: str | None = Field(description="Why there is no new document, for programs.")
    message: str | None = Field(description="Why there is no new document, for people.")
    seen_at: datetime = Field(description="When a run last listed it.")
    gone_at: datetime | None = Field(description="When a run did not find it any more; null while it is there.")


class DocumentSourceList(BaseModel):
    """One page of sources, newest first."""

    sources: list[DocumentSourceHead]
    next_cursor: str | None = Field(description="Leads to the next page; null on the last one.")


class DocumentSourceItemList(BaseModel):
    """One page of items, by key."""

    items: list[DocumentSourceItem] = Field(description="By key.")
    next_cursor: str | None = Field(description="Leads to the next page; null on the last one.")
