"""E-mail messages: headers, text, and attached texts."""

import email
import email.policy
import re
from dataclasses import dataclass, field
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import getaddresses, parsedate_to_datetime

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEncrypted, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing.decoding import decode
from citewell_documents.parsing.html.blocks import add_blocks
from citewell_documents.parsing.html.reader import html_text
from citewell_documents.parsing.html.visible import seen_tree
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text_builder import DocumentBuilder

# Fault-tolerant access to the headers of e-mail messages.

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


_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_OF_MAIL = (*_SHOWN, "Received", "Message-ID", "MIME-Version", "Return-Path")
_MOST_PARTS, _MOST_BOUNDARIES = 2_000, 10_000
_MOST_FORWARDED = 10
_PGP, _SMIME = "multipart/encrypted", ("application/pkcs7-mime", "application/x-pkcs7-mime")
_PGP_TEXT = b"-----BEGIN PGP MESSAGE-----"
_PARAGRAPHS = re.compile(r"\r?\n[ \t]*\r?\n")


@dataclass(slots=True)
class _Parts:
    """The parts of a message: its text, its attachments, and the parts that are encrypted or within a signature."""

    texts: list[EmailMessage] = field(default_factory=list[EmailMessage])
    attached: list[EmailMessage] = field(default_factory=list[EmailMessage])
    sealed: list[EmailMessage] = field(default_factory=list[EmailMessage])


def parse_mail(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a message: its subject becomes a heading, its header a paragraph, and each attached text a section.

    Other attachments are only named. Raises DocumentEmpty, DocumentEncrypted, DocumentUnreadable or DocumentTooLarge.
    """
    if data.count(b"\n--") > _MOST_BOUNDARIES:  # the standard library takes a millisecond for each
        raise DocumentTooLarge(f"{filename} has more than {_MOST_BOUNDARIES:,} parts, which is the limit.")
    try:
        message = email.message_from_bytes(data, policy=email.policy.default)
    except BROKEN:
        raise DocumentUnreadable(
            f"{filename} is damaged: it cannot be read as an e-mail message; save or download it again"
        ) from None
    if not any(name in message for name in _OF_MAIL):
        raise DocumentUnreadable(f"{filename} is named .eml but does not begin with the header of an e-mail message")
    _check_open(_parts(message), filename)
    builder = DocumentBuilder(filename, limits)
    _add_message(message, header(message, "Subject"), builder, (0,))
    metadata = {"title": header(message, "Subject"), "author": author_of(message), "date": date_of(message)}
    return builder.build_with_text(metadata)


def _check_open(parts: _Parts, filename: str) -> None:
    texts = [text for part in parts.texts if (text := _payload(part).strip())]
    # An S/MIME part beside a text is an attachment.
    sealed = [part for part in parts.sealed if not texts or part.get_content_type() == _PGP]
    if sealed and all(smime_type_of(part) == "signed-data" for part in sealed):
        raise DocumentUnreadable(
            f"{filename} has its text inside of a signature; save it unsigned in your mail program"
        )
    if sealed or any(text.startswith(_PGP_TEXT) for text in texts):
        raise DocumentEncrypted(f"{filename} is encrypted; decrypt it in your mail program and save it again")


def _add_message(message: EmailMessage, title: str, builder: DocumentBuilder, rank: tuple[int, ...]) -> None:
    """Add a message below a heading of this rank; headings in its text rank (*rank, 1, …), attachments (*rank, 0)."""
    builder.heading(title, rank)
    builder.paragraph("\n".join(f"{name}: {value}" for name in _SHOWN if (value := header(message, name))))
    parts = _parts(message)
    for part in parts.texts:
        _add_text(part, builder, (*rank, 1))
    for part in parts.attached:
        _add_attachment(part, builder, (*rank, 0))


def _add_attachment(part: EmailMessage, builder: DocumentBuilder, rank: tuple[int, ...]) -> None:
    forwarded = next((inner for inner in part.iter_parts() if isinstance(inner, EmailMessage)), None)
    name = filename_of(part) or (header(forwarded, "Subject") if forwarded else "") or part.get_content_type()
    title = f"Attachment: {name}"
    if forwarded and len(rank) <= _MOST_FORWARDED:
        _add_message(forwarded, title, builder, rank)
    elif part.get_content_maintype() == "text":
        builder.heading(title, rank)
        _add_text(part, builder, rank)
    else:
        builder.paragraph(title)


def _add_text(part: EmailMessage, builder: DocumentBuilder, above: tuple[int, ...]) -> None:
    data, charset = _payload(part), charset_of(part)
    if not data.strip():
        return
    if part.get_content_type() == "text/html":
        tree = seen_tree(html_text(data, builder.filename, charset), builder.filename, builder.hidden)
        if tree.body is not None:
            add_blocks(tree.body, builder, above=above)
        return
    for paragraph in _PARAGRAPHS.split(_decoded(data, charset, builder.filename)):
        builder.paragraph(paragraph)


def _decoded(data: bytes, charset: str, filename: str) -> str:
    try:
        return data.decode(charset or "ascii")
    except (LookupError, ValueError):
        pass
    try:
        return decode(data, filename)
    except DocumentUnreadable:
        return data.decode("utf-8", errors="replace")


def _parts(message: EmailMessage) -> _Parts:
    parts = _Parts()
    waiting = [(message, True)]
    for _ in range(_MOST_PARTS):
        if not waiting:
            break
        part, wanted = waiting.pop()
        if part.get_content_type() in (_PGP, *_SMIME):
            parts.sealed.append(part)
        if part.get_content_maintype() != "multipart":
            named = bool(filename_of(part)) or part.get_content_type() == "message/rfc822"
            if part.get_content_type() in ("text/plain", "text/html") and not named and not is_attachment(part):
                parts.texts += [part] if wanted else []
            # An image with a Content-ID is embedded in the HTML.
            elif is_attachment(part) or (named and "Content-ID" not in part):
                parts.attached.append(part)
            continue
        below = [inner for inner in part.iter_parts() if isinstance(inner, EmailMessage)]
        best = _best(below) if part.get_content_subtype() == "alternative" else None
        # Some programs put the attachments of a message into one of its alternatives.
        waiting += [(inner, wanted and best in (None, inner)) for inner in reversed(below)]
    return parts


def _best(alternatives: list[EmailMessage]) -> EmailMessage | None:
    for part in alternatives:
        if part.get_content_type() == "text/plain" and _payload(part).strip():
            return part
    shown = [part for part in alternatives if part.get_content_type() in ("text/html", "multipart/related")]
    return (shown or alternatives or [None])[-1]


def _payload(part: EmailMessage) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""
