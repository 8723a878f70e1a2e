"""Where documents may come from, and how much of it (N3)."""

from ipaddress import ip_network
from pathlib import Path

from pydantic import Field, field_validator

from config import Group
from config.stores import S3Settings


class FolderSettings(Group):
    """A folder of this machine that sources may read."""

    path: Path = Field(description="The folder; all below it may be read, and no link is followed")
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
    """Sources of documents: what they may reach, and the bounds of one run."""

    folders: dict[str, FolderSettings] = Field(
        default_factory=dict,
        description='Folders that sources may read, by name, as `{"handbook": {"path": "/srv/handbook"}}`',
    )
    stores: dict[str, StoreSettings] = Field(
        default_factory=dict, description="S3-compatible stores that sources may read, by name"
    )
    allowed_networks: tuple[str, ...] = Field(
        default=(), description="Private networks that pages may be taken from, on any port; public ones are open"
    )
    allowed_ports: tuple[int, ...] = Field(
        default=(80, 443), description="Ports that pages may be taken from elsewhere"
    )
    max_items: int = Field(default=20_000, ge=1, description="Files, pages or entries of one source")
    max_run_s: float = Field(default=21_600, gt=0, description="After this long, a run ends; the next one goes on")
    queued: int = Field(
        default=40, ge=1, description="A source waits while so many documents of its tenant are not read yet"
    )
    slice_s: float = Field(default=10.0, gt=0, description="A run goes on for this long before others have their turn")
    fetch_s: float = Field(default=30.0, gt=0, description="Limit of one request, from the DNS lookup to the last byte")
    host_delay_s: float = Field(
        default=0.5, ge=0, description="Pause between two requests to one host; its robots.txt may ask for a longer one"
    )
    git_max_bytes: int = Field(
        default=1_000_000_000,
        ge=1,
        description="Size of a repository as it is fetched; of one in an allowed folder, with its history",
    )
    git_s: float = Field(default=300.0, gt=0, description="Time to fetch a repository")

    @field_validator("allowed_networks")
    @classmethod
    def _networks(cls, networks: tuple[str, ...]) -> tuple[str, ...]:
        for network in networks:
            ip_network(network)
        return networks
