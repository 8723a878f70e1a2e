"""Opens and draws untrusted pictures: their size is bounded before they are unpacked."""

import struct
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from io import BytesIO

from PIL import Image, ImageOps

from citewell_documents.errors import DocumentTooLarge, DocumentUnreadable, PageNotFound
from citewell_documents.parsing.limits import MAX_PIXELS, ParseLimits

_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP")
_MOST_PIXELS = 100_000_000  # a page of A3 at 600 dots per inch has 70 million
_READ_DPI, _READ_PIXELS = 300, 12_000_000  # letters are recognised best at this resolution; A4 has fewer pixels at it
_USUAL_DPI = (100, 1200)
_PAGE_INCHES = 11.7  # the assumed height of a page whose picture does not state its resolution
_MOST_ENLARGED = 3.0
_QUALITY = 80
_FAST = 2  # on a scale from 0 to 6
_MOST_SIDE = 16_000  # WebP allows no longer sides
_DAMAGE = (OSError, SyntaxError, ValueError, EOFError, TypeError, LookupError, struct.error, zlib.error)


def page_numbers(data: bytes, filename: str, limits: ParseLimits) -> list[int]:
    """The numbers of the pages, from 1. Raises DocumentUnreadable or DocumentTooLarge."""
    numbers: list[int] = []
    with _opened(data, filename) as image:
        while _has_frame(image, len(numbers)):
            if len(numbers) == limits.max_pages:
                raise DocumentTooLarge(f"{filename} has more than {limits.max_pages:,} pages, which is the limit.")
            _check_size(image, filename)
            numbers.append(len(numbers) + 1)
    return numbers


def readable_page(data: bytes, filename: str, number: int) -> tuple[Image.Image, int]:
    """Page `number` (from 1) in grey, upright and on a white background, and its dots per inch.

    Raises DocumentUnreadable or DocumentTooLarge.
    """
    with _opened(data, filename) as image:
        image.seek(number - 1)
        _check_size(image, filename)
        return _readable(image)


def page_picture(data: bytes, filename: str, number: int) -> Image.Image | None:
    """Page `number` (from 1) in its colours; None if there is no such page. Raises as `readable_page` does."""
    with _opened(data, filename) as image:
        if number < 1 or not _has_frame(image, number - 1):
            return None
        _check_size(image, filename)
        return ImageOps.exif_transpose(_on_white(image))


def draw_image(data: bytes, filename: str, number: int, width: int) -> bytes:
    """Page `number` (from 1) as WebP, `width` pixels wide unless it is very high.

    Raises PageNotFound, DocumentUnreadable, DocumentTooLarge.
    """
    picture = page_picture(data, filename, number)
    if picture is None:
        raise PageNotFound(f"{filename} has no page {number:,}.")
    wide, high = picture.size
    scale = min(width / wide, (MAX_PIXELS / (wide * high)) ** 0.5, _MOST_SIDE / high)
    shown = picture.resize((max(1, round(wide * scale)), max(1, round(high * scale))), Image.Resampling.BILINEAR)
    out = BytesIO()
    shown.convert("RGB").save(out, "WEBP", quality=_QUALITY, method=_FAST)
    return out.getvalue()


@contextmanager
def _opened(data: bytes, filename: str) -> Generator[Image.Image]:
    Image.MAX_IMAGE_PIXELS = None  # `_check_size` bounds the size, with a message
    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as image:
            yield image
    except _DAMAGE:
        raise DocumentUnreadable(
            f"{filename} is damaged: it cannot be opened as a picture; save or download it again"
        ) from None


def _has_frame(image: Image.Image, index: int) -> bool:
    try:
        image.seek(index)
    except EOFError:
        return False
    return True


def _check_size(image: Image.Image, filename: str) -> None:
    if image.width * image.height > _MOST_PIXELS:
        raise DocumentTooLarge(
            f"{filename} has {image.width:,} by {image.height:,} pixels; the limit is {_MOST_PIXELS // 1_000_000} "
            "million: save it smaller"
        )


def _readable(image: Image.Image) -> tuple[Image.Image, int]:
    low, high = _USUAL_DPI
    stated = image.info.get("dpi", (0, 0))[0]
    dpi = float(stated) if low <= stated <= high else max(image.size) / _PAGE_INCHES
    grey = ImageOps.exif_transpose(_on_white(image).convert("L"))
    wanted = min(_READ_DPI / dpi, (_READ_PIXELS / (grey.width * grey.height)) ** 0.5, _MOST_ENLARGED)
    size = (max(1, round(grey.width * wanted)), max(1, round(grey.height * wanted)))
    return grey.resize(size, Image.Resampling.LANCZOS), max(1, round(dpi * wanted))


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode.startswith(("I", "F")):  # 16 bits and more per pixel
        image = image.point(lambda value: value / 256).convert("L")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        over = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", over.size, "white"), over).convert("RGB")
    return image.convert("RGB") if image.mode not in ("L", "1") else image.convert("L")
