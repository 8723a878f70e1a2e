"""Why a file cannot be read: each class's docstring is its default message."""

from citewell_verify.errors import BadInput


class PathForbidden(BadInput):
    """The path leads elsewhere; name what lies below its folder, as `a/b`, without `/` before it and without `..`."""


class DocumentUnusable(BadInput):
    """The document cannot be used."""


class DocumentEmpty(DocumentUnusable):
    """The document contains no text; a scanned PDF needs text recognition (OCR) first."""


class DocumentEncrypted(DocumentUnusable):
    """The document is encrypted; save a copy without a password and ingest that."""


class DocumentUnreadable(DocumentUnusable):
    """The document is damaged or is not what its name says."""


class DocumentTypeUnknown(DocumentUnusable):
    """This type of document is not supported; save it as PDF."""

    status = 415


class DocumentTooLarge(DocumentUnusable):
    """The document is larger than the limit."""

    status = 413


class DocumentTooSlow(DocumentUnusable):
    """Reading the document takes too long; split it, or save it again with another program."""


class ArchiveTypeUnknown(DocumentUnusable):
    """Only .zip archives are unpacked; pack the documents as one."""

    status = 415


class PageNotFound(DocumentUnusable):
    """The document has no page with that number."""

    status = 404


class DocumentNameInvalid(DocumentUnusable):
    """The name of the document leads out of its archive, or is no name of a file."""


class DocumentNameTaken(DocumentUnusable):
    """The archive has another file of that name before; only the first one is taken."""


# A machine that is less busy may read the document in time.
_MAY_PASS = (DocumentTooSlow,)
PERMANENT = frozenset(
    error().code for error in (DocumentUnusable, *DocumentUnusable.__subclasses__()) if error not in _MAY_PASS
)
"""The codes of errors whose reason is the file itself: reading it again ends in the same way."""
