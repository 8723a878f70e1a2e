from typing import Literal

from tinycss2.ast import Node

class Color:
    alpha: float
    def to(self, space: Literal["srgb"]) -> Color: ...
    coordinates: tuple[float, float, float]

def parse_color(input: str | Node) -> Color | Literal["currentcolor"] | None: ...
