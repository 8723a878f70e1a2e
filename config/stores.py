"""S3-compatible stores, and where the files of documents are kept."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator

from config import Group


class S3Settings(Group):
    """An S3-compatible store. No key of it is ever shown or kept in the database."""

    endpoint: str | None = Field(default=None, description="URL of the store; null: Amazon's")
    region: str = Field(default="us-east-1", description="Its region")
    access_key: SecretStr | None = Field(default=None, description="Key id; null: public buckets only")
    secret_key: SecretStr | None = Field(default=None, description="The secret of that key")
    path_style: bool = Field(default=True, description="The bucket stands in the path, not in the name of the host")


class BucketSettings(S3Settings):
    """The bucket that files of documents are kept in."""

    bucket: str | None = Field(
        default=None, pattern="^[a-zA-Z0-9][a-zA-Z0-9._-]{1,62}$", description="Its name; it must exist"
    )
    prefix: str = Field(default="", description="What all keys begin with, as `citewell/originals`")


class OriginalsSettings(Group):
    """Where the files of documents are kept (docs/operations.md). Those that lie elsewhere are found there as long as
    that place is set, too.
    """

    store: Literal["database", "folder", "s3"] = Field(
        default="database", description="Where large files go; small ones are always in the database"
    )
    above_bytes: int = Field(default=100_000, ge=0, description="Files of more bytes than this are large")
    folder: Path | None = Field(
        default=None, description="The folder; it must exist, for the API and for every worker at the same path"
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
