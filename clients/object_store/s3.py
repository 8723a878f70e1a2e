"""Opens buckets of S3-compatible stores, and uses a bucket as a place of files."""

from datetime import timedelta
from typing import Any

from obstore.exceptions import BaseError
from obstore.store import S3Store

from config.documents import BucketSettings, S3Settings
from domain.errors.service import OriginalUnavailable

_TRIES = 2
# This happens within a transaction, which must not wait for long.
_DELETE_S = 10.0


def open_bucket(bucket: str, store: S3Settings, deadline_s: float, *, tries: int) -> S3Store:
    """Open the bucket without a request to it yet. Raises obstore's BaseError."""
    keys: dict[str, Any] = {"skip_signature": True}
    if store.access_key and store.secret_key:
        keys = {
            "access_key_id": store.access_key.get_secret_value(),
            "secret_access_key": store.secret_key.get_secret_value(),
        }
    if store.endpoint:
        keys["endpoint"] = store.endpoint
    options: dict[str, Any] = {
        "region": store.region,
        "virtual_hosted_style_request": not store.path_style,
        "client_options": {"allow_http": True, "timeout": timedelta(seconds=deadline_s)},
        "retry_config": {"max_retries": tries, "retry_timeout": timedelta(seconds=deadline_s)},
    }
    return S3Store(bucket, **keys, **options)


def reason_of(error: BaseError) -> str:
    """The store's own words, without the signature that may follow."""
    return next(iter(str(error).splitlines()), "")[:200].rstrip(".")


class BucketObjects:
    """Objects of the bucket; each is there whole or not at all."""

    def __init__(self, settings: BucketSettings, deadline_s: float) -> None:
        if settings.bucket is None:
            raise OriginalUnavailable("The file lies in a bucket that `originals.s3.bucket` does not name any more.")
        self._prefix = f"{settings.prefix.strip('/')}/" if settings.prefix.strip("/") else ""
        try:
            self._store = open_bucket(settings.bucket, settings, deadline_s, tries=_TRIES)
            self._briefly = open_bucket(settings.bucket, settings, min(deadline_s, _DELETE_S), tries=0)
        except BaseError as error:
            raise _away(error) from None

    def put(self, key: str, content: bytes) -> None:
        try:
            self._store.put(self._prefix + key, content)
        except (BaseError, FileNotFoundError) as error:
            raise _away(error) from None

    def get(self, key: str) -> bytes:
        try:
            return bytes(self._store.get(self._prefix + key).bytes())
        except FileNotFoundError:
            raise OriginalUnavailable(
                "The file is not in the bucket that it was put into; restore the bucket, or set `originals.s3` to the "
                "one that has it. The document's text and citations are there."
            ) from None
        except BaseError as error:
            raise _away(error) from None

    def delete(self, key: str) -> None:
        try:
            self._briefly.delete(self._prefix + key)
        except FileNotFoundError:
            # Some stores report that the object is missing; then it need not be deleted.
            return
        except BaseError as error:
            raise _away(error) from None

    def tidy(self) -> None:
        pass


def _away(error: Exception) -> OriginalUnavailable:
    told = next(iter(str(error).splitlines()), "")[:200].rstrip(".")
    return OriginalUnavailable(
        f"The bucket of the documents' files does not answer as it should ({told}). Try again later, or check "
        "`originals.s3`; the documents' texts and citations are there."
    )
