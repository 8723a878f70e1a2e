"""The format of API keys, `cw_<id>_<secret>_<check>`, and the scopes that they allow (A8).

The id finds the key and is not secret. The check is a CRC, so that a key that was cut or mistyped is refused without a
database query. Only the digest of a key is ever stored.
"""

import hashlib
import string
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from citewell_verify.errors import BadInput
from domain.errors.access import KeyInvalid

ID_LENGTH = 12
ID_BYTES = 9
SECRET_BYTES = 24

_PREFIX = "cw"
_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase
_CHECK_LENGTH = 6
_MIN_SECRET_BYTES = 20


class Scope(StrEnum):
    """What a key allows."""

    READ = "read"
    """Read documents, questions and their history."""
    ASK = "ask"
    """Ask questions and have answers verified, also through the seeds' endpoints."""
    DOCUMENTS = "documents"
    """Add and delete documents."""
    REVIEW = "review"
    """See answers that are held back, and decide on them."""
    WEBHOOKS = "webhooks"
    """Manage receivers of webhooks and look at deliveries."""
    ADMIN = "admin"
    """Manage keys; includes all other scopes."""


UNLIMITED = (Scope.WEBHOOKS, Scope.ADMIN)
"""The scopes for operations that concern all workspaces of a tenant."""


@dataclass(frozen=True, slots=True)
class SentKey:
    """A well-formed key: its id for the lookup, and the SHA-256 (hex) of all of it."""

    id: str
    digest: str


def build_key(id_bytes: bytes, secret_bytes: bytes) -> str:
    """Write a key from random bytes: ID_BYTES for the id, and at least 20 (160 bits) for the secret."""
    if len(id_bytes) < ID_BYTES or len(secret_bytes) < _MIN_SECRET_BYTES:
        raise ValueError(f"a key needs {ID_BYTES} random bytes for its id and {_MIN_SECRET_BYTES} for its secret")
    # 62^n exceeds 2^(8b) for n = 1.35 b: no bit of the secret is lost.
    secret = _base62(secret_bytes, -(-len(secret_bytes) * 135 // 100))
    body = f"{_PREFIX}_{_base62(id_bytes, ID_LENGTH)}_{secret}"
    return f"{body}_{_check(body)}"


def looks_like_a_key(text: str) -> bool:
    return text.startswith(f"{_PREFIX}_")


def parse_key(text: str) -> SentKey:
    """Raise KeyInvalid when `text` cannot be a key."""
    body, _, check = text.rpartition("_")
    prefix, _, rest = body.partition("_")
    key_id, _, secret = rest.partition("_")
    well_formed = prefix == _PREFIX and len(key_id) == ID_LENGTH and bool(secret) and text.isascii()
    if not well_formed or check != _check(body):
        raise KeyInvalid("This is no key of Citewell: it is cut or mistyped. A key looks like cw_…_…_….")
    return SentKey(key_id, digest(text))


def digest(text: str) -> str:
    # A key has too much randomness to be guessed, so it needs no slow hash.
    return hashlib.sha256(text.encode()).hexdigest()


def allows(granted: Collection[str], needed: Scope) -> bool:
    return needed in granted or Scope.ADMIN in granted


def check_limit(scopes: Collection[Scope], workspaces: Collection[str] | None) -> None:
    """Raise BadInput if a key with these scopes cannot be limited to these workspaces; None means no limit."""
    if workspaces is None:
        return
    if not workspaces:
        raise BadInput("A key limited to workspaces needs at least one of them; without a limit it opens all.")
    if wider := [scope.value for scope in UNLIMITED if scope in scopes]:
        raise BadInput(
            f"A key limited to workspaces cannot have the scope {wider[0]!r}, which concerns all workspaces."
        )


def _base62(data: bytes, length: int) -> str:
    """The number in base 62, as `length` digits, the highest first; higher digits that do not fit are dropped."""
    number, digits = int.from_bytes(data), ""
    for _ in range(length):
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits


def _check(body: str) -> str:
    return _base62(zlib.crc32(body.encode(errors="replace")).to_bytes(4), _CHECK_LENGTH)
