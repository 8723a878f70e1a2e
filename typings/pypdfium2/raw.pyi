# ruff: noqa: N801, N802 (the names are those of the C library)
# PDFium's C functions as ctypes calls them: a helper object stands for its handle, out-parameters are passed as cells.
import ctypes

from pypdfium2 import PdfDocument, PdfTextPage

FPDF_ERR_PASSWORD: int
FPDF_ERR_SECURITY: int
FLATTEN_SUCCESS: int

class FS_MATRIX(ctypes.Structure):
    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

class TextObject: ...

def FPDFCatalog_GetLanguage(document: PdfDocument, buffer: ctypes.Array[ctypes.c_ushort], buflen: int) -> int: ...
def FPDFText_GetTextObject(text_page: PdfTextPage, index: int) -> TextObject | None: ...
def FPDFTextObj_GetTextRenderMode(text: TextObject) -> int: ...
def FPDFText_GetUnicode(text_page: PdfTextPage, index: int) -> int: ...
def FPDFText_IsHyphen(text_page: PdfTextPage, index: int) -> int: ...
def FPDFText_GetFontSize(text_page: PdfTextPage, index: int) -> float: ...
def FPDFText_GetFontWeight(text_page: PdfTextPage, index: int) -> int: ...
def FPDFText_GetMatrix(text_page: PdfTextPage, index: int, matrix: FS_MATRIX) -> int: ...
def FPDFText_GetFontInfo(
    text_page: PdfTextPage, index: int, buffer: ctypes.Array[ctypes.c_char], buflen: int, flags: ctypes.c_int
) -> int: ...
def FPDFText_GetCharOrigin(text_page: PdfTextPage, index: int, x: ctypes.c_double, y: ctypes.c_double) -> int: ...
def FPDFText_GetCharBox(
    text_page: PdfTextPage,
    index: int,
    left: ctypes.c_double,
    right: ctypes.c_double,
    bottom: ctypes.c_double,
    top: ctypes.c_double,
) -> int: ...
