"""How the text of drawings (DrawingML) looks on slides, sheets and pages."""

from collections.abc import Iterator, Sequence

from citewell_documents.parsing.hidden import HiddenWords, Reason, are_alike
from citewell_documents.parsing.office.colours import A, Colours, share_of
from citewell_documents.parsing.office.parts import Element

RUN, NO_FILL, PLAIN_FILL = f"{A}r", f"{A}noFill", f"{A}solidFill"
_FILLS = (PLAIN_FILL, NO_FILL, *(f"{A}{name}" for name in ("gradFill", "blipFill", "pattFill", "grpFill")))
_AROUND_LETTERS = (f"{A}ln", f"{A}effectLst/*", f"{A}highlight")
_SMALLEST, _USUAL = 200, 1_800  # hundredths of a point
_CLEAR = 5_000  # thousandths of a percent


def fill_of(properties: Element) -> Element | None:
    return next((child for child in properties if child.tag in _FILLS), None)


def take_out(element: Element, reason: Reason, hidden: HiddenWords, page: int | None = None) -> None:
    hidden.add(words_of(element), reason, page)
    if (parent := element.getparent()) is not None:
        parent.remove(element)


def words_of(element: Element) -> str:
    return " ".join(text.text or "" for text in element.iter(f"{A}t"))


def why_unseen(run: Element, colours: Colours, ground: str | None, inherited: Sequence[Element] = ()) -> Reason | None:
    """Why a run of text on this ground is not seen; a ground that cannot be told is None. `inherited` are the styles of
    lists that the shape has from elsewhere, the nearest first.
    """
    looks = [*_looks(run, inherited)]
    if next(filter(None, (look.get("strike") for look in looks)), "noStrike") != "noStrike":
        return "struck"
    size = next(filter(None, (look.get("sz") for look in looks)), "")
    if (int(size) if size.isdecimal() else _USUAL) * _scale(run) < _SMALLEST:
        return "small"
    fill = next((fill for look in looks if (fill := fill_of(look)) is not None), None)
    has_other_ink = any(look.find(path) is not None for look in looks for path in _AROUND_LETTERS)
    if fill is None or has_other_ink:
        return None
    if fill.tag != PLAIN_FILL:
        return "unseen" if fill.tag == NO_FILL else None
    alpha = next((share.get("val", "") for share in fill.iter(f"{A}alpha")), "")
    if alpha.isdecimal() and int(alpha) < _CLEAR:
        return "unseen"
    colour = colours.of(fill)
    return "unseen" if colour and ground and are_alike(colour, ground) else None


def _looks(run: Element, inherited: Sequence[Element]) -> Iterator[Element]:
    """What says how a run looks: its own properties, then those of its level in the styles of its shape."""
    if (own := run.find(f"{A}rPr")) is not None:
        yield own
    if (paragraph := run.getparent()) is None:
        return
    properties, body = paragraph.find(f"{A}pPr"), _body(run)
    level = "" if properties is None else properties.get("lvl", "")
    name = f"{A}lvl{int(level) + 1 if level.isdecimal() else 1}pPr"
    for styles in (None if body is None else body.find(f"{A}lstStyle"), *inherited):
        if styles is not None and (style := styles.find(f"{name}/{A}defRPr")) is not None:
            yield style


def _scale(run: Element) -> float:
    """The share of its size that text has which was made smaller to fit into its shape."""
    body = _body(run)
    fitted = None if body is None else body.find(f"{A}bodyPr/{A}normAutofit")
    return 1.0 if fitted is None else share_of(fitted.get("fontScale", "100%"))


def _body(run: Element) -> Element | None:
    return next((parent for parent in run.iterancestors() if str(parent.tag).endswith("}txBody")), None)
