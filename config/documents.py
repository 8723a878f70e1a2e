"""Settings of documents: how they are read, where their files are kept (in S3-compatible stores, too), and where they
may come from (N3)."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator

from config import Group, Networks


class IngestionSettings(Group):
    max_bytes: int = Field(default=50_000_000, ge=1, description="Largest file")
    import_max_bytes: int = Field(default=500_000_000, ge=1, description="Largest archive as uploaded")
    import_max_unpacked_bytes: int = Field(
        default=2_000_000_000, ge=1, description="Total size of all files in an archive"
    )
    import_max_files: int = Field(default=10_000, ge=1, description="Files in one archive")
    max_pages: int = Field(default=5_000, ge=1, description="Pages of one document")
    max_chars: int = Field(default=20_000_000, ge=1, description="Characters of one document")
    parse_memory_mb: int = Field(default=1024, ge=128, description="Memory limit of the process that reads one file")
    parse_base_s: float = Field(default=8.0, gt=0, description="Time to read a file, regardless of its size")
    parse_max_s: float = Field(default=240.0, gt=0, description="Upper limit of the time to read a file")
    ocr_languages: str = Field(
        default="kor+eng",
        pattern=r"^[A-Za-z_]+(\+[A-Za-z_]+)*$",
        description="Languages of scans, by Tesseract's names; each page is read in the one that fits it best",
    )
    ocr_page_s: float = Field(default=60.0, gt=0, description="Additional time to recognise the text of a scanned page")
    ocr_max_s: float = Field(
        default=400.0,
        gt=0,
        description="Upper limit of the time for all pages of a scan that is read at once, as by `citewell verify`",
    )
    chunk_tokens: int = Field(default=220, ge=30, description="Length of a passage in model tokens")
    overlap_tokens: int = Field(default=30, ge=0, description="Tokens of whole sentences repeated in the next passage")


class GraphSettings(Group):
    """The knowledge graph (S5.1). With `auto` the fast model reads documents if its server takes several calls at once;
    otherwise local rules do, because a question would wait behind a call for every passage of every document."""

    extractor: Literal["auto", "model", "local", "off"] = Field(
        default="auto",
        description=(
            "The reader of documents for the graph; `auto`: `model` with a provider that takes more than one call at a "
            "time (`models.concurrency`), otherwise `local`"
        ),
    )
    max_chunks: int = Field(default=2_000, ge=1, description="Passages read per document; the rest is left out")


class S3Settings(Group):
    """An S3-compatible store. Its keys are never shown or stored in the database."""

    endpoint: str | None = Field(default=None, description="URL of the store; null: Amazon's")
    region: str = Field(default="us-east-1", description="Region of the store")
    access_key: SecretStr | None = Field(default=None, description="Key id; null: public buckets only")
    secret_key: SecretStr | None = Field(default=None, description="The secret of the key")
    path_style: bool = Field(default=True, description="Put the bucket into the path instead of the host name")


class BucketSettings(S3Settings):
    """The bucket that files of documents are kept in."""

    bucket: str | None = Field(
        default=None, pattern="^[a-zA-Z0-9][a-zA-Z0-9._-]{1,62}$", description="Name of the bucket, which must exist"
    )
    prefix: str = Field(default="", description="The beginning of all keys, such as `citewell/originals`")


class OriginalsSettings(Group):
    """The places of documents' files (docs/operations.md). Files in another place are still found there, as long as the
    settings name that place, too."""

    store: Literal["database", "folder", "s3"] = Field(
        default="database", description="The place of large files; small ones are always in the database"
    )
    above_bytes: int = Field(default=100_000, ge=0, description="Files of more bytes than this are large")
    folder: Path | None = Field(
        default=None, description="The folder, which must exist, for the API and for every worker at the same path"
    )
    s3: BucketSettings = BucketSettings()

    @field_validator("folder")
    @classmethod
    def _absolute(cls, folder: Path | None) -> Path | None:
        if folder is not None and not folder.is_absolute():
            raise ValueError("must begin with /")
        return folder

    @model_validator(mode="after")
    def _has_its_place(self) -> Self:
        if self.store == "folder" and self.folder is None:
            raise ValueError("`store: folder` needs `folder`, the path of one that exists")
        if self.store == "s3" and self.s3.bucket is None:
            raise ValueError("`store: s3` needs `s3.bucket`, the name of one that exists")
        return self


class FolderSettings(Group):
    """A folder of this machine that sources may read."""

    path: Path = Field(description="The folder; everything below it may be read, and no link is followed")
    tenants: tuple[str, ...] | None = Field(default=None, description="Only these tenants may read it; null: all")

    @field_validator("path")
    @classmethod
    def _absolute(cls, path: Path) -> Path:
        if not path.is_absolute():
            raise ValueError("must begin with /")
        return path


class StoreSettings(S3Settings):
    """An S3-compatible store that sources may read."""

    tenants: tuple[str, ...] | None = Field(default=None, description="Only these tenants may use it; null: all")


class SourcesSettings(Group):
    """Sources of documents: the places that they may reach, and the limits of one run."""

    folders: dict[str, FolderSettings] = Field(
        default_factory=dict,
        description='Folders that sources may read, by name, as `{"handbook": {"path": "/srv/handbook"}}`',
    )
    stores: dict[str, StoreSettings] = Field(
        default_factory=dict, description="S3-compatible stores that sources may read, by name"
    )
    allowed_networks: Networks = Field(
        default=(), description="Private networks that pages may be taken from, on any port; public ones are open"
    )
    allowed_ports: tuple[int, ...] = Field(
        default=(80, 443), description="Ports that pages may be taken from elsewhere"
    )
    max_items: int = Field(default=20_000, ge=1, description="Files, pages or entries of one source")
    max_run_s: float = Field(default=21_600, gt=0, description="After this time a run ends; the next run continues")
    queued: int = Field(
        default=40, ge=1, description="A source waits while this many documents of its tenant are not read yet"
    )
    slice_s: float = Field(
        default=10.0, gt=0, description="A run continues for this long before other runs have their turn"
    )
    fetch_s: float = Field(default=30.0, gt=0, description="Limit of one request, from the DNS lookup to the last byte")
    host_delay_s: float = Field(
        default=0.5, ge=0, description="Pause between two requests to one host; its robots.txt may ask for a longer one"
    )
    git_max_bytes: int = Field(
        default=1_000_000_000,
        ge=1,
        description="Largest repository to fetch; for one in an allowed folder, including its history",
    )
    git_s: float = Field(default=300.0, gt=0, description="Time to fetch a repository")
