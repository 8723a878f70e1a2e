"""Sources of documents: their kinds, the items that they list, and the names of their documents."""

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from citewell_documents.formats import SUFFIXES, advice, is_lock_file
from domain.errors.requests import DocumentSourceInvalid

Kind = Literal["folder", "web", "sitemap", "feed", "git", "bucket"]
WhenGone = Literal["mark", "delete"]

MAX_KEY_BYTES = 1_000
_MAX_NAME = 255
PART_UNREACHABLE = "part_unreachable"
"""The code of an item that stands for others that could not be listed, so that these do not count as gone."""
GONE_MARK = "gone_from_source_at"
"""The key in the metadata of a document that its source does not have any more."""


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """The choice of a source's items: `include` and `exclude` are patterns in which * stands for any characters, also
    slashes.

    `depth`: how many links away from its page a `web` source goes. `entries`: the text of a feed's entries is taken,
    not the pages that they link to. `store`: the name of the setting that says how a bucket is reached.
    """

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    max_items: int = 10_000
    when_gone: WhenGone = "mark"
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    urls: Sequence[str] = ()
    depth: int = 0
    entries: bool = False
    branch: str | None = None
    store: str | None = None

    def takes(self, key: str) -> bool:
        wanted = not self.include or any(fnmatchcase(key, pattern) for pattern in self.include)
        return wanted and not any(fnmatchcase(key, pattern) for pattern in self.exclude)

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "SourceOptions":
        """The stored options, without options that this version does not know."""
        known = {option.name for option in fields(cls)}
        return cls(**{name: value for name, value in stored.items() if name in known})

    def stored(self) -> dict[str, Any]:
        values = asdict(self)
        return {**values, **{name: list(values[name]) for name in ("include", "exclude", "urls")}}


OPTIONS_OF: Mapping[str, frozenset[str]] = {
    "folder": frozenset(),
    "web": frozenset({"urls", "depth"}),
    "sitemap": frozenset(),
    "feed": frozenset({"entries"}),
    "git": frozenset({"branch"}),
    "bucket": frozenset({"store"}),
}
"""The options that only some kinds have."""
_OF_SOME_KINDS = frozenset[str]().union(*OPTIONS_OF.values())


def check_options(kind: str, options: SourceOptions) -> None:
    """Raise DocumentSourceInvalid for options that have no effect for this kind of source."""
    others = _OF_SOME_KINDS - OPTIONS_OF[kind]
    if wrong := sorted(name for name in others if getattr(options, name)):
        raise DocumentSourceInvalid(f"A source of the kind {kind!r} has no {' or '.join(wrong)}; leave that out.")


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why an item does not become a document."""

    code: str
    message: str


NAME_TOO_LONG = Refusal("document_name_invalid", "Its name is too long.")


@dataclass(frozen=True, slots=True)
class Listed:
    """An item as a source lists it. `tag` changes with the item's content; it is None if only reading shows a
    change.
    """

    key: str
    tag: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    depth: int = 0
    refused: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """An item to fetch; `tag` is the tag of its stored content, None if no content is stored."""

    key: str
    tag: str | None
    depth: int
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Content:
    """The present content of an item. `suffix` is the file type if the key does not end with it; `links` lead to
    further items.
    """

    data: bytes
    tag: str | None
    suffix: str = ""
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    links: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The item's content has not changed; its `tag` may have."""

    tag: str | None


@dataclass(frozen=True, slots=True)
class Gone:
    """The item does not exist any more."""


Fetched = Content | Unchanged | Gone


def refusal_of_type(key: str) -> Refusal | None:
    suffix = PurePosixPath(key).suffix.lower()
    if is_lock_file(key):
        return Refusal("document_type_unknown", "A file that only says that a document is open is not read.")
    if suffix in SUFFIXES:
        return None
    return Refusal("document_type_unknown", f"Files of this type are not read; {advice(suffix)}.")


def bounded_key(key: str) -> str:
    """The key in a length that an index can hold: the end of a key that is too long is replaced by a digest."""
    data = key.encode()
    if len(data) <= MAX_KEY_BYTES:
        return key
    return data[: MAX_KEY_BYTES - 65].decode(errors="ignore") + "#" + hashlib.sha256(data).hexdigest()


def document_name(source: str, key: str, suffix: str = "", *, distinct: bool = False) -> str:
    """The name of an item's document: `source/key`, for a URL `source/host/path?query`.

    A name that is too long, or had characters that no name may have, keeps its beginning and end with a digest of the
    key between them. With `distinct` every name does.
    """
    path = _path_of(key) if "://" in key else key
    plain = "".join(
        " " if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") else character for character in path
    )
    name = unicodedata.normalize("NFC", f"{source}/{plain}").strip()
    if suffix and not name.lower().endswith(suffix):
        name += suffix
    if len(name) <= _MAX_NAME and plain == path and not distinct:
        return name
    digest = hashlib.sha256(key.encode()).hexdigest()[:16]
    end = PurePosixPath(name).suffix[:10]
    return f"{name.removesuffix(end)[: _MAX_NAME - 17 - len(end)]}~{digest}{end}"


def _path_of(url: str) -> str:
    parts = urlsplit(url)
    path = unquote(parts.path).lstrip("/")
    if not path or path.endswith("/"):
        path += "_"
    return f"{parts.netloc}/{path}" + (f"?{parts.query}" if parts.query else "")
