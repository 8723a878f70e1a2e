from collections.abc import Iterable

from tinycss2.ast import Node

class CompiledSelector:
    specificity: tuple[int, int, int]
    pseudo_element: str | None

def compile_selector_list(input: str | Iterable[Node]) -> list[CompiledSelector]: ...

class SelectorError(ValueError): ...
