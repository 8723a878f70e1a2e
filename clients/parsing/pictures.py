"""Limits of the pictures of pages, and of what makes them."""

MIN_WIDTH, MAX_WIDTH = 200, 2400
"""Of a picture, in pixels."""
MAX_PIXELS = 12_000_000
"""A page may be many times as high as it is wide."""
MAX_PICTURE_BYTES = 16_000_000
MEDIA_TYPE = "image/webp"
