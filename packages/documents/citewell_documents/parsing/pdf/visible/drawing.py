"""A page of a PDF drawn with its texts and without them: what differs is what a reader sees of them."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import ceil
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image, ImageChops

from citewell_documents.parsing.pdf.frames import Frame
from citewell_documents.parsing.pdf.glyphs import Box
from citewell_documents.parsing.pdf.visible.texts import (
    TextObject,
    address,
    are_alone,
    layers_of,
    pictures_of,
    texts_of,
    without,
)

_SCALE, _FINER, _MOST_PIXELS = 1.0, 1.5, 3_000_000  # pixels a point, and of a picture
_CLEAR = [255 * (value >= 20) for value in range(256)]  # more than what remains of a colour near that of its ground
_LINE = [255 * (value >= 40) for value in range(256)]  # how far a rule stands off from what is above and below it
_BESIDE = 2  # pixels above and below
_BETWEEN, _BEYOND = 1, 3  # pixels: of two lines together, to what is between them, and beyond both
_PAPER = 255
_FEW = 2  # pixels: then those that a character shares with its neighbours are needed, too


class Region(NamedTuple):
    """Pixels of a picture, half-open."""

    left: int
    top: int
    right: int
    bottom: int


class Places:
    """Where the boxes of a page are in a picture of it."""

    def __init__(self, frame: Frame, scale: float) -> None:
        self.scale = min(scale, (_MOST_PIXELS / (frame.width * frame.height)) ** 0.5)
        left, bottom, right, top = frame.box
        corners = [frame.displayed((x, y, x, y)) for x, y in ((left, top), (right, top), (left, bottom))]
        (x, y), (x_right, y_right), (x_low, y_low) = ((self.scale * a, self.scale * b) for a, b, *_ in corners)
        wide, high = right - left, bottom - top
        self.across = ((x_right - x) / wide, (x_low - x) / high, x)
        self.down = ((y_right - y) / wide, (y_low - y) / high, y)
        self.corner, self.size = (left, top), (ceil(self.scale * frame.width), ceil(self.scale * frame.height))

    def region(self, box: Box) -> Region:
        """The pixels within a box of the page, at least one, and never outside the picture."""
        left, bottom = box[0] - self.corner[0], box[1] - self.corner[1]
        right, top = box[2] - self.corner[0], box[3] - self.corner[1]
        (a, b, c), (d, e, f) = self.across, self.down
        x, x_far, y, y_far = a * left + b * bottom + c, a * right + b * top + c, d * left + e * bottom + f, 0.0
        y_far = d * right + e * top + f
        across, down = _within(x, x_far, self.size[0]), _within(y, y_far, self.size[1])
        return Region(across[0], down[0], across[1], down[1])


def _within(low: float, high: float, size: int) -> tuple[int, int]:
    if high < low:
        low, high = high, low
    first, last = int(low + 0.5), int(high + 0.5)
    if last - first < _FEW:
        first, last = int(low), last + 1
    first = max(0, first)
    if first >= size:
        first = size - 1
    return first, last if first < last < size else size if last >= size else first + 1


class Values:
    """The pixels of a picture in grey, which are looked up faster than in the picture."""

    def __init__(self, picture: Image.Image) -> None:
        self.width, self.height = picture.size
        self.bytes = picture.tobytes()

    def has(self, value: int, region: Region) -> bool:
        left, top, right, bottom = region
        find, width, middle = self.bytes.find, self.width, (top + bottom) // 2 * self.width
        return find(value, middle + left, middle + right) >= 0 or any(  # most letters have ink in the middle
            find(value, row + left, row + right) >= 0 for row in range(top * width, bottom * width, width)
        )

    def most(self, region: Region) -> int:
        left, top, right, bottom = region
        rows = range(top * self.width, bottom * self.width, self.width)
        return max(max(self.bytes[row + left : row + right]) for row in rows)


class Drawing:
    """The page in grey: where its texts are clearly seen, and where it has rules. Texts that lie over each other are
    taken away one after the other, so that one which shows does not speak for one that does not.
    """

    def __init__(self, page: pdfium.PdfPage, textpage: pdfium.PdfTextPage, frame: Frame) -> None:
        self._page, self._frame, self._texts = page, frame, texts_of(page)
        self._layers = layers_of(self._texts, textpage)
        self.places = Places(frame, _SCALE)
        whole = _drawn(page, self.places.scale, grayscale=True)
        if are_alone(self._texts, page):
            ground = Image.new("L", whole.size, _PAPER)
        else:
            with without(self._texts):
                ground = _drawn(page, self.places.scale, grayscale=True)
        self.is_blank = _is_plain(whole)
        self._clear = Values(ImageChops.difference(whole, ground).point(_CLEAR))
        self._layered: dict[int, Values] = {}
        for layer in self._layers:
            with without(layer):
                part = _drawn(page, self.places.scale, grayscale=True)
            clear = Values(ImageChops.difference(whole, part).point(_CLEAR))
            self._layered |= {address(text.item): clear for text in layer}
        self.rules = _rules(ground)

    def clear_among(self, boxes: Mapping[int, Box], least: float) -> set[int]:
        """The characters that certainly show: at least so many points high and wide, and changing the middle of their
        boxes. This is for nearly every letter of every page, so it looks at one row of pixels.
        """
        if self._layered:
            return set()
        find, width, (size, height) = self._clear.bytes.find, self._clear.width, self.places.size
        (a, b, c), (d, e, f), (left, top) = self.places.across, self.places.down, self.places.corner
        clear: set[int] = set()
        for index, (low_x, low_y, high_x, high_y) in boxes.items():
            if high_x - low_x < least or high_y - low_y < least:
                continue
            low_x, high_x, low_y, high_y = low_x - left, high_x - left, low_y - top, high_y - top
            first, last = a * low_x + b * low_y + c, a * high_x + b * high_y + c
            if last < first:
                first, last = last, first
            row = int((d * (low_x + high_x) + e * (low_y + high_y)) / 2 + f)
            if first < 0 or last >= size or not 0 <= row < height or last - first < _FEW:
                continue
            start = row * width
            if find(255, start + int(first + 0.5), start + int(last + 0.5)) >= 0:
                clear.add(index)
        return clear

    def is_clear(self, box: Box, item: Callable[[], pdfium_c.FPDF_PAGEOBJECT | None]) -> bool:
        """True if the text of this object certainly shows within the box."""
        clear = self._clear
        if self._layered and (text := item()):
            clear = self._layered.get(address(text), clear)
        return clear.has(255, self.places.region(box))

    def judges(self, item: pdfium_c.FPDF_PAGEOBJECT) -> bool:
        """False for a text beyond the limits of a page: it was never taken away, so nothing tells whether it shows."""
        return address(item) in self._judged

    @cached_property
    def _judged(self) -> frozenset[int]:
        return frozenset(address(text.item) for text in self._texts)

    @cached_property
    def pictures(self) -> list[Box]:
        return pictures_of(self._page)

    @cached_property
    def colours(self) -> "Colours":
        return Colours(self._page, self._frame, self._texts, self._layers)


class Colours:
    """The page in colours, finer, for what is not seen clearly in grey. `ground` is the page without its texts."""

    def __init__(
        self,
        page: pdfium.PdfPage,
        frame: Frame,
        texts: Sequence[TextObject],
        layers: Sequence[Sequence[TextObject]],
    ) -> None:
        self.places = Places(frame, _FINER)
        whole = _drawn(page, self.places.scale)
        with without(texts):
            self.ground = _drawn(page, self.places.scale)
        self._usual = _difference(whole, self.ground)
        self._others: dict[int, Values] = {}
        for layer in layers:
            with without(layer):
                difference = _difference(whole, _drawn(page, self.places.scale))
            self._others |= {address(text.item): difference for text in layer}

    def change(self, item: pdfium_c.FPDF_PAGEOBJECT | None, region: Region) -> int:
        """How much the text object changes of the region, from 0 to 255."""
        return (self._others.get(address(item), self._usual) if item else self._usual).most(region)


def _drawn(page: pdfium.PdfPage, scale: float, *, grayscale: bool = False) -> Image.Image:
    picture = page.render(scale=scale, grayscale=grayscale).to_pil()
    return picture.convert("L" if grayscale else "RGB")


def _apart(ground: Image.Image, by: int) -> Image.Image:
    above, below = (ImageChops.difference(ground, ImageChops.offset(ground, 0, to)) for to in (by, -by))
    return ImageChops.darker(above, below)


def _is_plain(picture: Image.Image) -> bool:
    values = picture.tobytes()
    return not values.strip(values[:1])


def _difference(whole: Image.Image, part: Image.Image) -> Values:
    red, green, blue = ImageChops.difference(whole, part).split()
    return Values(ImageChops.lighter(ImageChops.lighter(red, green), blue))


def _rules(ground: Image.Image) -> Values | None:
    """255 where a thin horizontal line is, or two, between what is above and below; None without any."""
    if _is_plain(ground):
        return None
    double = ImageChops.darker(_apart(ground, _BETWEEN), _apart(ground, _BEYOND))
    rules = ImageChops.lighter(_apart(ground, _BESIDE), double).point(_LINE)
    return Values(rules) if rules.getbbox() else None
