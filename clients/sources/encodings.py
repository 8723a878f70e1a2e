"""The encoding of a page that only its header states: the file that is kept would no longer state it."""

import codecs
import re

from citewell_documents.parsing.encodings import codec
from clients.sources.pages import Page

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_TOLD_WITHIN = 4_096
_TELLS = re.compile(rb"<meta[^>]{0,500}charset|<\?xml[^>]{0,200}encoding", re.IGNORECASE)
_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def in_unicode(page: Page) -> bytes:
    """The page as it was sent, but in UTF-8 when it is text whose encoding only its header states."""
    type_ = page.headers.get("content-type", "")
    declared = _CHARSET.search(type_)
    if declared is None or not type_.lower().startswith(("text/", "application/xhtml")) or _tells(page.body):
        return page.body
    try:
        return page.body.decode(codec(declared[1])).encode()
    except (LookupError, UnicodeError):
        return page.body


def _tells(body: bytes) -> bool:
    # UTF-8 needs no declaration.
    if body.startswith(_BOMS) or _TELLS.search(body[:_TOLD_WITHIN]):
        return True
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
