"""Leaves of an HTML page what its reader sees: hidden text goes, and the values of forms come."""

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citewell_documents.parsing.hidden import HiddenWords, Reason
from citewell_documents.parsing.html.drawn import Drawn, drawn_within, why_gone
from citewell_documents.parsing.html.nodes import TEXT, UNSEEN, parse_tree, walk
from citewell_documents.parsing.html.stylesheets import Linked, Sheets, Style
from citewell_documents.parsing.html.values import resolved

_MAY_MATTER = (
    "[hidden], [popover], [aria-hidden], [style], [bgcolor], [background], [text], "
    "dialog, font, s, del, strike, input, select"
)
_NOT_SHOWN: Style = {"display": "none"}
_STRUCK: Style = {"text-decoration": "line-through"}
_DEFAULTS: dict[str, Style] = {"s": _STRUCK, "del": _STRUCK, "strike": _STRUCK, "dialog": _NOT_SHOWN}
_FURNITURE = frozenset("nav header footer aside".split())
_NO_VALUE = frozenset("hidden password image file color range".split())
_TICKS = {"checkbox": ("☐", "☑"), "radio": ("○", "●")}
_DRAWN_BY_TAG = frozenset("img video picture canvas svg".split())
_PICTURES = ", ".join(sorted(_DRAWN_BY_TAG))
_ROOTS, _CELLS = ("html", "body"), ("td", "th")
_CELL_SIZES = frozenset("width height max-width max-height".split())


def seen_tree(html: str, filename: str, hidden: HiddenWords, linked: Linked | None = None) -> LexborHTMLParser:
    """Parse HTML without what is not seen in its body, and with what its fields show.

    `linked` gives the style sheets that lie beside the page. Words that are hidden are counted, unless they are of
    navigation. A page that hides itself whole waits for a script.
    Raises DocumentUnreadable or DocumentTooLarge where the parser would take very long.
    """
    tree = parse_tree(html, filename)
    sheets, body = Sheets(tree, linked), tree.body
    if body is not None and (sheets or tree.css_first(_MAY_MATTER) is not None):
        page = _Page(body, hidden, sheets)
        walk(body, page.enter, page.leave)
        page.finish()
    return tree


def hides(node: LexborNode) -> bool:
    """True if the element's own markup hides its text."""
    style = _style(node, node.tag or "", Sheets(None))
    return (why_gone(style) or drawn_within(Drawn(), style).why_unseen()) is not None


class _Page:
    def __init__(self, body: LexborNode, hidden: HiddenWords, sheets: Sheets) -> None:
        self._hidden, self._sheets = hidden, sheets
        self._drawn: list[Drawn] = [Drawn(on_paper=not sheets.has_others)]
        self._open: list[int] = []
        self._gone: list[LexborNode] = []
        self._doubtful: list[tuple[LexborNode, frozenset[int]]] = []
        """Texts in the colour of their ground, which something may lie between, and what they are in."""
        self._backdrops: set[int] = set()
        """The elements around pictures and grounds that are placed anywhere within them."""
        self._furniture = 0
        self._has_pictures = body.css_first(_PICTURES) is not None
        for node, tag in ((body.parent, "html"), (body, "body")):
            if node is not None:
                self._begin(node, tag, self._style(node, tag))

    def enter(self, node: LexborNode, tag: str) -> bool:
        if tag == TEXT:
            self._judge(node)
            return False
        if tag in ("input", "select"):
            _show_value(node, tag, self._style(node, tag), self._drawn[-1])
            self._gone.append(node)
            return False
        if tag in UNSEEN:
            if tag == "svg" and _is_for_eyes_alone(node):
                self._gone.append(node)
            return False
        style = self._style(node, tag)
        if reason := why_gone(style):
            self._leave_out(node, reason)
            return False
        if "aria-hidden" in node.attributes and _is_for_eyes_alone(node):
            self._gone.append(node)
            return False
        self._begin(node, tag, style)
        self._furniture += tag in _FURNITURE
        return True

    def leave(self, node: LexborNode, tag: str) -> None:
        self._furniture -= tag in _FURNITURE
        self._drawn.pop()
        self._open.pop()

    def finish(self) -> None:
        for node, around in self._doubtful:
            if around.isdisjoint(self._backdrops):
                self._hidden.add(node.text_content or "", "unseen")
                self._gone.append(node)
        for node in self._gone:
            node.decompose()

    def _style(self, node: LexborNode, tag: str) -> Style:
        style = _style(node, tag, self._sheets)
        if tag in _CELLS and not _CELL_SIZES.isdisjoint(style):
            # A cell is as large as its words.
            style = {name: value for name, value in style.items() if name not in _CELL_SIZES}
        return resolved(style, self._drawn[-1].variables, are_all_known=not self._sheets.has_others) if style else style

    def _begin(self, node: LexborNode, tag: str, style: Style) -> None:
        drawn = drawn_within(self._drawn[-1], style)
        if tag in _ROOTS:
            drawn = drawn._replace(visible=True, root_size=drawn.size)
        if drawn.is_placed and (drawn.has_ground or tag in _DRAWN_BY_TAG or node.css_first(_PICTURES) is not None):
            self._backdrops.add(node.parent.mem_id if node.parent is not None else 0)
        self._drawn.append(drawn)
        self._open.append(node.mem_id)

    def _judge(self, text: LexborNode) -> None:
        drawn = self._drawn[-1]
        if reason := drawn.why_unseen():
            self._leave_out(text, reason)
        elif drawn.is_over_others and self._has_pictures:
            return
        elif drawn.is_like_ground() and (text.text_content or "").strip():
            self._doubtful.append((text, frozenset(self._open)))

    def _leave_out(self, node: LexborNode, reason: Reason) -> None:
        words = node.text_content if node.tag == TEXT else node.text(separator=" ")
        if not self._furniture:
            self._hidden.add(words or "", reason)
        self._gone.append(node)


def _style(node: LexborNode, tag: str, sheets: Sheets) -> Style:
    attributes = node.attributes
    if not attributes:
        return sheets.style(node.mem_id, "", _DEFAULTS.get(tag, {}))
    default = {} if tag == "dialog" and "open" in attributes else {**_DEFAULTS.get(tag, {})}
    if "hidden" in attributes or "popover" in attributes:
        default |= _NOT_SHOWN
    for name, declares in (("bgcolor", "background-color"), ("text", "color"), ("color", "color")):
        if (value := attributes.get(name)) and (name != "color" or tag == "font"):
            default[declares] = value.lower()
    if attributes.get("background"):
        default["background"] = "url()"
    return sheets.style(node.mem_id, attributes.get("style") or "", default)


def _is_for_eyes_alone(node: LexborNode) -> bool:
    """True for a sign, an icon's name, or a formula whose text stands beside it: no words, though it is seen."""
    if (node.attributes.get("aria-hidden") or "").lower() != "true":
        return False
    parent = node.parent
    is_formula = parent is not None and parent.css_first("math") is not None and node.css_first("math") is None
    # The title of a drawing is not drawn.
    is_icon = node.tag == "svg" or "icon" in (node.attributes.get("class") or "").lower()
    return is_formula or is_icon or not any(map(str.isalnum, node.text()))


def _show_value(field: LexborNode, tag: str, style: Style, around: Drawn) -> None:
    """Write what a field shows before it: its text, its tick, or the option that is chosen."""
    if why_gone(style) or drawn_within(around, style).why_unseen():
        return
    attributes = field.attributes
    if tag == "select":
        chosen = field.css_first("option[selected]") or field.css_first("option")
        shown = chosen.text() if chosen is not None else ""
    else:
        kind = (attributes.get("type") or "").lower()
        ticks = _TICKS.get(kind)
        shown = ticks["checked" in attributes] if ticks else "" if kind in _NO_VALUE else attributes.get("value") or ""
    if shown.strip():
        field.insert_before(f" {' '.join(shown.split())} ")
