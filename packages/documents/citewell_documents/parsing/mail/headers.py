"""Fault-tolerant access to the headers of e-mail messages."""

from email.errors import MessageError
from email.message import EmailMessage
from email.utils import getaddresses, parsedate_to_datetime

from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.decoding import decode

_MOST_CHARS = 20_000  # the standard library takes very long for long headers
# The standard library raises these for malformed headers.
BROKEN = (MessageError, LookupError, ValueError, TypeError, AttributeError, RecursionError)


def header(message: EmailMessage, name: str) -> str:
    raw = next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    try:
        raw = raw.encode("ascii", "surrogateescape").decode()
    except UnicodeError:
        try:
            raw = decode(raw.encode("utf-8", "surrogateescape"), "the header")
        except (DocumentUnreadable, UnicodeError):
            raw = raw.encode("ascii", "replace").decode()
    if "=?" not in raw or len(raw) > _MOST_CHARS:
        return " ".join(raw.split())
    try:
        return " ".join(str(message[name]).split())
    except BROKEN:
        return " ".join(raw.split())


def filename_of(part: EmailMessage) -> str:
    try:
        return " ".join((part.get_filename() or "").split())
    except BROKEN:
        return ""


def is_attachment(part: EmailMessage) -> bool:
    try:
        return part.get_content_disposition() == "attachment"
    except BROKEN:
        return False


def charset_of(part: EmailMessage) -> str:
    try:
        return part.get_content_charset() or ""
    except BROKEN:
        return ""


def smime_type_of(part: EmailMessage) -> str:
    try:
        return str(part.get_param("smime-type", "")).lower()
    except BROKEN:
        return ""


def author_of(message: EmailMessage) -> str | None:
    for name, address in getaddresses([header(message, "From")[:_MOST_CHARS]]):
        if name or address:
            return name or address
    return None


def date_of(message: EmailMessage) -> str | None:
    """The day on which the message was sent, in the sender's time zone, in ISO 8601."""
    try:
        return parsedate_to_datetime(header(message, "Date")).date().isoformat()
    except (*BROKEN, OverflowError):
        return None
