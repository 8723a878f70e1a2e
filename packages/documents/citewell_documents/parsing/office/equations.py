"""Equations of Office documents (OMML) as one line: `a^2+b^2=c^2`, `(a+b)/(2)`, `√(x)`."""

from collections.abc import Callable

from citewell_documents.parsing.office.parts import Element

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_PROPERTIES = "Pr"  # m:fPr, m:sSupPr, m:rPr, …
_SIMPLE = 1  # longer exponents and fraction terms get parentheses, unless alphanumeric


def linear(element: Element) -> str:
    tag = element.tag if isinstance(element.tag, str) else ""
    if tag == f"{_M}t":
        return element.text or ""
    if tag.endswith(_PROPERTIES):
        return ""
    if write := _WRITERS.get(tag.removeprefix(_M)):
        return write(element)
    return "".join(linear(child) for child in element)


def _part(element: Element, name: str) -> str:
    part = element.find(f"{_M}{name}")
    return "" if part is None else linear(part).strip()


def _grouped(text: str) -> str:
    return text if len(text) <= _SIMPLE or text.isalnum() else f"({text})"


def _fraction(element: Element) -> str:
    kind = element.find(f"{_M}fPr/{_M}type")
    bar = "¦" if kind is not None and kind.get(f"{_M}val") == "noBar" else "/"  # a fraction without a bar is a binomial
    return f"{_grouped(_part(element, 'num'))}{bar}{_grouped(_part(element, 'den'))}"


def _raised(element: Element) -> str:
    """The index or lower limit, and the exponent or upper limit, of an element."""
    lower, upper = _part(element, "sub"), _part(element, "sup")
    return (f"_{_grouped(lower)}" if lower else "") + (f"^{_grouped(upper)}" if upper else "")


def _operator(element: Element) -> str:
    character = element.find(f"{_M}naryPr/{_M}chr")
    sign = "∫" if character is None else character.get(f"{_M}val", "∫")
    return f"{sign}{_raised(element)} {_part(element, 'e')}"


def _delimited(element: Element) -> str:
    properties = element.find(f"{_M}dPr")
    signs = {"begChr": "(", "sepChr": "|", "endChr": ")"}
    for name in signs:
        sign = None if properties is None else properties.find(f"{_M}{name}")
        signs[name] = signs[name] if sign is None else sign.get(f"{_M}val", "")
    inside = signs["sepChr"].join(linear(part) for part in element.findall(f"{_M}e"))
    return f"{signs['begChr']}{inside}{signs['endChr']}"


def _matrix(element: Element) -> str:
    rows = (", ".join(linear(cell) for cell in row.findall(f"{_M}e")) for row in element.findall(f"{_M}mr"))
    return f"[{'; '.join(rows)}]"


_WRITERS: dict[str, Callable[[Element], str]] = {
    "f": _fraction,
    **dict.fromkeys(("sSup", "sSub", "sSubSup", "sPre"), lambda element: _part(element, "e") + _raised(element)),
    "rad": lambda element: f"{_part(element, 'deg')}√{_grouped(_part(element, 'e'))}",
    "nary": _operator,
    "d": _delimited,
    "func": lambda element: f"{_part(element, 'fName')} {_part(element, 'e')}",
    "m": _matrix,
    "eqArr": lambda element: "\n".join(linear(line) for line in element.findall(f"{_M}e")),
    **dict.fromkeys(("limLow", "limUpp"), lambda element: f"{_part(element, 'e')}_{_grouped(_part(element, 'lim'))}"),
}
