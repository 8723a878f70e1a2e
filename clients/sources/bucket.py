"""Objects of a bucket in an S3-compatible store that the operator has set up."""

import re
from collections.abc import Iterator
from typing import Any

from obstore.exceptions import BaseError

from citewell_documents.errors import DocumentTooLarge
from clients.object_store.s3 import open_bucket, reason_of
from config.documents import StoreSettings
from domain.documents.sources import (
    NAME_TOO_LONG,
    Content,
    Fetched,
    Gone,
    Listed,
    Refusal,
    Unchanged,
    Wanted,
    bounded_key,
    refusal_of_type,
)
from domain.errors.service import PlaceUnreachable

_PAGE = 500
_TRIES = 2


class BucketReader:
    """The objects of `bucket` whose key begins with `prefix`, which is a whole folder."""

    lists_all = True

    def __init__(self, bucket: str, prefix: str, store: StoreSettings, *, max_bytes: int, deadline_s: float) -> None:
        self._max_bytes = max_bytes
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        try:
            self._store = open_bucket(bucket, store, deadline_s, tries=_TRIES)
        except BaseError as error:
            raise _unreachable(error) from None

    def close(self) -> None:
        pass

    def listed(self) -> Iterator[Listed]:
        try:
            # The store is left untyped, because one of its other forms needs a package that is not installed.
            store: Any = self._store
            for batch in store.list(self._prefix or None, chunk_size=_PAGE):
                for item in batch:
                    key = item["path"].removeprefix(self._prefix)
                    if key and not key.endswith("/"):
                        yield self._entry(key, item.get("e_tag"), item["size"])
        except BaseError as error:
            raise _unreachable(error) from None

    def _entry(self, key: str, tag: str | None, size: int) -> Listed:
        if bounded_key(key) != key:
            return Listed(bounded_key(key), refused=NAME_TOO_LONG)
        refused = refusal_of_type(key)
        if refused is None and size > self._max_bytes:
            refused = Refusal("document_too_large", f"It has {size:,} bytes; the limit is {self._max_bytes:,}.")
        return Listed(key, tag, refused=refused)

    def fetch(self, wanted: Wanted) -> Fetched:
        try:
            stored = self._store.get(self._prefix + wanted.key)
            if stored.meta["size"] > self._max_bytes:
                raise DocumentTooLarge(f"It has {stored.meta['size']:,} bytes; the limit is {self._max_bytes:,}.")
            tag = stored.meta.get("e_tag")
            if tag is not None and tag == wanted.tag:
                return Unchanged(tag)
            return Content(bytes(stored.bytes()), tag)
        except FileNotFoundError:
            return Gone()
        except BaseError as error:
            raise _unreachable(error) from None


def _unreachable(error: BaseError) -> PlaceUnreachable:
    # object_store has a class of its own for some errors. It only quotes others, together with the address of the
    # store, which users must not see.
    said = str(error)
    if odd := _ODD_NAME.search(said):
        return PlaceUnreachable(
            f"The bucket has an object whose name cannot be read, {odd[1][:200]!r}; rename it, or name a folder "
            "without it."
        )
    reason = next((reason for sign, reason in _REASONS if sign.search(said)), reason_of(error))
    return PlaceUnreachable(f"The bucket cannot be read: {reason}.")


_ODD_NAME = re.compile(r'invalid path: .*?[Pp]ath "(.*?)"(?: contained|:)', re.DOTALL)
_REASONS = (
    (re.compile("RequestTimeTooSkewed"), "the clock of the server differs from that of the store"),
    (re.compile("NoSuchBucket|404 Not Found"), "there is none of this name"),
    (re.compile("403 Forbidden|401 Unauthorized|AccessDenied|SignatureDoesNotMatch"), "the store refuses access"),
    (re.compile("error sending request|HTTP error"), "the store does not answer"),
)
