"""Draws a page of a picture as a picture of the width that is shown."""

from io import BytesIO

from PIL import Image

from clients.parsing.image.opening import page_picture
from clients.parsing.pictures import MAX_PIXELS
from domain.errors import PageNotFound

_QUALITY = 80
_FAST = 2  # of 0 to 6
_MOST_SIDE = 16_000  # WebP has no longer ones


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
