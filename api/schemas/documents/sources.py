"""Sources of documents as JSON."""

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
    """The options of a source. Some of them belong to some kinds of sources only."""

    include: _Patterns = Field(
        default=[],
        description="Only items whose key matches one of these; `*` stands for any characters, slashes included.",
        examples=[["docs/*.md"]],
    )
    exclude: _Patterns = Field(default=[], description="No items whose key matches one of these.")
    max_items: int = Field(
        default=10_000,
        ge=1,
        le=1_000_000,
        description="The most items to take; a run leaves the others out and says so.",
    )
    when_gone: Literal["mark", "delete"] = Field(
        default="mark",
        description="What happens to the document when its item disappears from the source: its metadata get "
        "`gone_from_source_at`, or it is deleted.",
    )
    metadata: Metadata = Field(default={}, description="Metadata for each document of the source.")
    urls: Annotated[list[_Location], Field(max_length=1_000)] = Field(
        default=[], description="`web`: further start pages beside `location`."
    )
    depth: int = Field(
        default=0,
        ge=0,
        le=10,
        description="`web`: how many links the crawl follows from its start pages, on the same host and below the "
        "same folder.",
    )
    entries: bool = Field(
        default=False,
        description="`feed`: take the text of the entries themselves, not of the pages that they link to.",
    )
    branch: Annotated[PlainText, Field(min_length=1, max_length=250)] | None = Field(
        default=None, description="`git`: a branch or tag; the default branch if omitted."
    )
    store: Annotated[PlainText, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="`bucket`: the name of the store in the server's settings (`sources.stores`)."
    )


class DocumentSourceCreate(Input):
    """A source to set up."""

    name: SourceName = Field(
        description="The first part of the names of its documents: `handbook/…`; it cannot be changed.",
        examples=["handbook"],
    )
    kind: SourceKind
    location: _Location = Field(
        description="`folder`: the name of an allowed folder, followed by a path in it; `web`, `sitemap`, `feed`: a "
        "URL; `git`: an https URL, or a path as for `folder`; `bucket`: `NAME/prefix`.",
        examples=["handbook/policies"],
    )
    workspace: WorkspaceName = Field(default="default")
    every_s: _Every | None = Field(
        default=None, description="Seconds between runs; null: it runs now, and later only on request."
    )
    options: DocumentSourceOptions = Field(
        default_factory=DocumentSourceOptions, description="The options of the source."
    )


class DocumentSourceChange(Input):
    """The fields to change; omitted fields stay as they are."""

    every_s: _Every | None = Field(default=None, description="Seconds between runs; null: it runs only on request.")
    status: Literal["active", "paused"] = Field(default="active", description="A paused source does nothing.")
    options: DocumentSourceOptions = Field(
        default_factory=DocumentSourceOptions, description="The options to change; omitted options stay as they are."
    )


class DocumentSourceHead(BaseModel):
    """A source without the progress of its run."""

    id: UUID
    name: str = Field(description="The first part of the names of its documents.")
    workspace: str
    kind: SourceKind = Field(description="The kind of the source.")
    location: str = Field(description="The address of the source: a URL, an allowed folder, a bucket.")
    every_s: int | None = Field(description="Seconds between runs; null: it runs only on request.")
    status: Literal["active", "paused", "deleting"] = Field(
        description="A paused source does nothing; a source in deletion only deletes its documents."
    )
    phase: Literal["idle", "listing", "fetching"] = Field(
        description="The phase of the current run: listing everything, then fetching what is new or changed."
    )
    run: int = Field(description="The number of the current or last run; 0 before the first one.")
    error: DocumentError | None = Field(description="Why the last run failed, or which items it left out.")
    created_at: datetime
    started_at: datetime | None = Field(description="When the current or last run began.")
    finished_at: datetime | None
    next_run_at: datetime | None = Field(
        description="When the next run is due; null while one runs, or when none is planned."
    )


class DocumentSourceItems(BaseModel):
    """The number of items of the current or last run, by outcome."""

    listed: int = Field(description="All items of the source.")
    pending: int = Field(description="Items that are still to be fetched.")
    new: int = Field(description="Items that became documents.")
    changed: int = Field(description="Items that became the next version of their documents.")
    unchanged: int = Field(description="Items that did not change.")
    skipped: int = Field(description="Items of a kind that is not read.")
    failed: int = Field(description="Items that could not be fetched; the next run tries again.")
    gone: int = Field(description="Items of earlier runs that this run did not find.")


class DocumentSourceDocuments(BaseModel):
    """The source's documents, in their newest version, by state."""

    queued: int
    processing: int
    ready: int
    failed: int
    superseded: int


class DocumentSourceReason(BaseModel):
    """An item that did not become a document, and why."""

    key: str = Field(description="The path or URL of the item.")
    outcome: ItemOutcome = Field(description="Whether the item was skipped or failed.")
    code: str = Field(examples=["document_type_unknown"])
    message: str


class DocumentSourceTaken(BaseModel):
    """The options of a source as they are in effect."""

    include: list[str] = Field(description="Only items whose key matches one of these.")
    exclude: list[str] = Field(description="No items whose key matches one of these.")
    max_items: int = Field(description="The most items to take; the others are left out.")
    when_gone: Literal["mark", "delete"] = Field(
        description="What happens to the document when its item disappears from the source."
    )
    metadata: dict[str, JsonValue] = Field(description="Metadata for each document of the source.")
    urls: list[str] = Field(description="Further start pages of a `web` source.")
    depth: int = Field(description="How many links a `web` source follows.")
    entries: bool = Field(description="Whether the text of a feed's entries is taken.")
    branch: str | None = Field(description="The branch or tag of a repository; null: the default one.")
    store: str | None = Field(description="The store of a bucket.")


class DocumentSourceRead(DocumentSourceHead):
    """A source, and the progress of its current or last run."""

    options: DocumentSourceTaken = Field(description="The options of the source.")
    items: DocumentSourceItems = Field(description="The items of the current or last run, counted by outcome.")
    documents: DocumentSourceDocuments = Field(description="The number of the source's documents in each state.")
    reasons: list[DocumentSourceReason] = Field(
        description="The first 50 reasons of the run; `/items` has all of them."
    )


class DocumentSourceItem(BaseModel):
    """A file, page or entry of a source."""

    key: str = Field(description="The path or URL of the item.")
    outcome: ItemOutcome = Field(description="The outcome in the last run that saw the item.")
    document_id: UUID | None = Field(description="The document that the item became; null when there is none.")
    document_status: DocumentState | None = Field(description="The state of that document.")
    code: str | None = Field(description="Why there is no new document, for programs.")
    message: str | None = Field(description="Why there is no new document, for people.")
    seen_at: datetime = Field(description="When a run last listed it.")
    gone_at: datetime | None = Field(description="When a run first missed the item; null while the source has it.")


class DocumentSourceList(BaseModel):
    """One page of sources, newest first."""

    sources: list[DocumentSourceHead]
    next_cursor: str | None = Field(description="Leads to the next page; null on the last one.")


class DocumentSourceItemList(BaseModel):
    """One page of items, ordered by key."""

    items: list[DocumentSourceItem] = Field(description="The items, ordered by key.")
    next_cursor: str | None = Field(description="Leads to the next page; null on the last one.")
