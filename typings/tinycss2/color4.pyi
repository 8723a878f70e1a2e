from typing import Literal

from tinycss2.ast import Node

class Color:
    space: str
    alpha: float
    def to(self, space: Literal["srgb", "xyz-d65"]) -> Color: ...
    coordinates: tuple[float, float, float]

def parse_color(input: str | Node) -> Color | Literal["currentcolor"] | None: ...
