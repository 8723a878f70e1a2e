"""People's additions to a page of a PDF: fields that they filled in, comments, and text that they wrote on it."""

import ctypes
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citewell_documents.parsing.decoding import clean
from citewell_documents.parsing.pdf.glyphs import Box

_BOXES = (pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON)
_NO_COMMENT = (pdfium_c.FPDF_ANNOT_LINK, pdfium_c.FPDF_ANNOT_POPUP)
_ON_PAGE = (pdfium_c.FPDF_ANNOT_FREETEXT, pdfium_c.FPDF_ANNOT_STRIKEOUT)
_HIDDEN = pdfium_c.FPDF_ANNOT_FLAG_HIDDEN | pdfium_c.FPDF_ANNOT_FLAG_NOVIEW
_MOST, _MOST_BYTES = 5_000, 100_000


class Field(NamedTuple):
    """A field of a form; `ticked` is None for fields of text."""

    box: Box
    ticked: bool | None = None


class Note(NamedTuple):
    text: str
    box: Box


class Annotations(NamedTuple):
    """The additions to a page. `is_drawn`: some of them have to be drawn into the page before its text includes
    theirs.
    """

    fields: tuple[Field, ...] = ()
    notes: tuple[Note, ...] = ()
    is_drawn: bool = False


def annotations_on(pdf: pdfium.PdfDocument, page: pdfium.PdfPage) -> Annotations:
    """The visible annotations of a page. Its forms must not be drawn into it yet."""
    fields: list[Field] = []
    notes: list[Note] = []
    is_drawn = False
    for at in range(min(pdfium_c.FPDFPage_GetAnnotCount(page), _MOST)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, at)
        if not annotation:
            continue
        try:
            box = _box(annotation)
            if box and pdfium_c.FPDFAnnot_GetSubtype(annotation) == pdfium_c.FPDF_ANNOT_WIDGET:
                fields += [_field(pdf, annotation, box)] if pdf.formenv else []
            elif box:
                is_drawn |= _is_written(annotation)
                text = _said(annotation, is_on_page=_share(box, page.get_bbox()))
                notes += [Note(text, box)] if text else []
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)
    return Annotations(tuple(fields), tuple(notes), is_drawn or bool(fields))


def _box(annotation: pdfium_c.FPDF_ANNOTATION) -> Box | None:
    rectangle = pdfium_c.FS_RECTF()
    if pdfium_c.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
        pdfium_c.FPDFAnnot_SetFlags(annotation, _HIDDEN)  # PDFium also draws annotations that are only for print
        return None
    if not pdfium_c.FPDFAnnot_GetRect(annotation, ctypes.byref(rectangle)):
        return None
    # Some programs write the corners in the other order.
    left, right = sorted((rectangle.left, rectangle.right))
    bottom, top = sorted((rectangle.bottom, rectangle.top))
    return left, bottom, right, top


def _field(pdf: pdfium.PdfDocument, annotation: pdfium_c.FPDF_ANNOTATION, box: Box) -> Field:
    kind = pdfium_c.FPDFAnnot_GetFormFieldType(pdf.formenv, annotation)
    return Field(box, bool(pdfium_c.FPDFAnnot_IsChecked(pdf.formenv, annotation)) if kind in _BOXES else None)


def _is_written(annotation: pdfium_c.FPDF_ANNOTATION) -> bool:
    """True for text that is drawn on the page itself, and for lines that strike text out."""
    kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
    return kind in _ON_PAGE and bool(pdfium_c.FPDFAnnot_HasKey(annotation, b"AP"))


def _share(box: Box, page: Box) -> bool:
    return box[0] < page[2] and page[0] < box[2] and box[1] < page[3] and page[1] < box[3]


def _said(annotation: pdfium_c.FPDF_ANNOTATION, *, is_on_page: bool) -> str:
    """The text of an annotation. It states that it is a comment, and its author; comments outside of the page count,
    too.
    """
    kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
    text = "" if kind in _NO_COMMENT else _string(annotation, b"Contents")
    if kind == pdfium_c.FPDF_ANNOT_FILEATTACHMENT and (file := pdfium_c.FPDFAnnot_GetFileAttachment(annotation)):
        name = read_string(partial(pdfium_c.FPDFAttachment_GetName, file))
        return f"Attachment: {name}" + f" ({text})" * bool(text)
    if not text or kind == pdfium_c.FPDF_ANNOT_FREETEXT:
        return text if is_on_page and not _is_written(annotation) else ""
    author = _string(annotation, b"T")
    return f"Comment by {author}: {text}" if author else f"Comment: {text}"


def _string(annotation: pdfium_c.FPDF_ANNOTATION, key: bytes) -> str:
    return read_string(partial(pdfium_c.FPDFAnnot_GetStringValue, annotation, key))


def read_string(fill: Callable[[ctypes.Array[ctypes.c_ushort] | None, int], int]) -> str:
    """A string of PDFium: `fill` first returns the number of bytes that it needs, and then writes into a buffer."""
    size = fill(None, 0)
    if not 2 < size <= _MOST_BYTES:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    fill(buffer, size)
    return " ".join(clean(bytes(buffer).decode("utf-16-le", "ignore").rstrip("\0")).split())
