"""Descriptions of pictures (alternative text) in Office documents."""

import re

from clients.parsing.office.parts import Element

_GENERATED = re.compile(r"\s*(?:Description|Beschreibung) automatically generated.*|\s*자동 생성된 설명.*", re.DOTALL)
_NAME = re.compile(r"\S+\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp)|(?:Picture|Image|Bild|그림) ?\d*", re.IGNORECASE)


def described(properties: Element) -> str:
    """What a picture's properties (`wp:docPr`, `p:cNvPr`) say about it, marked as such; nothing for a mere name."""
    text = _GENERATED.sub("", properties.get("descr", "")).strip()
    return "" if not text or _NAME.fullmatch(text) else f"Picture: {text}"
