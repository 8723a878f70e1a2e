"""Separates the main text of a page from navigation, headers and footers."""

from collections.abc import Callable
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from citewell_documents.parsing.html.nodes import TEXT, is_seen, walk

_ROLES = {
    "navigation": "nav",
    "search": "nav",
    "banner": "header",
    "contentinfo": "footer",
    "complementary": "aside",
    "main": "main",
    "article": "article",
}
_LANDMARKS = frozenset(_ROLES.values())
_TEXTS = ("main", "article")


@dataclass(slots=True)
class _Landmark:
    """A landmark of the page, its number of letters, and the number of letters in links."""

    kind: str
    node: LexborNode
    in_text: bool
    letters: int = 0
    linked: int = 0
    has_title: bool = False

    @property
    def letters_outside_links(self) -> int:
        return self.letters - self.linked


class _Survey:
    """Measures the landmarks of a page."""

    def __init__(self, body: LexborNode) -> None:
        self.page = _Landmark("body", body, in_text=False)
        self.landmarks: list[_Landmark] = []
        self._open = [self.page]
        self._links = 0

    def enter(self, node: LexborNode, tag: str) -> bool:
        if tag == TEXT:
            letters = len((node.text_content or "").strip())
            self._open[-1].letters += letters
            self._open[-1].linked += letters if self._links else 0
            return False
        if not is_seen(node, tag):
            return False
        self._links += tag == "a"
        self._open[-1].has_title = self._open[-1].has_title or tag == "h1"
        if kind := self._kind(node, tag):
            within = any(landmark.kind in _TEXTS for landmark in self._open[-1:]) or self._open[-1].in_text
            self._open.append(_Landmark(kind, node, within))
        return True

    def leave(self, node: LexborNode, tag: str) -> None:
        self._links -= tag == "a"
        if self._kind(node, tag):
            landmark = self._open.pop()
            self.landmarks.append(landmark)
            self._open[-1].letters += landmark.letters
            self._open[-1].linked += landmark.linked
            self._open[-1].has_title = self._open[-1].has_title or landmark.has_title

    def _kind(self, node: LexborNode, tag: str) -> str | None:
        if tag in _LANDMARKS:
            return tag
        if tag in ("ul", "ol"):
            return "menu" if any(landmark.kind == "header" for landmark in self._open) else None
        return _ROLES.get(node.attributes.get("role") or "") if tag in ("div", "section", "form") else None


def main_text(body: LexborNode) -> tuple[LexborNode, Callable[[LexborNode, str], bool]]:
    """Return the element that holds the page's text, and a predicate for nodes to leave out of it.

    The element is `<main>` or else `<article>`, if it holds most of the text outside links; otherwise it is the whole
    page. Navigation, and headers, footers and asides outside the text, are left out, unless that would be most of the
    page.
    """
    survey = _Survey(body)
    walk(body, survey.enter, survey.leave)
    half = survey.page.letters_outside_links / 2
    furniture = [
        landmark for landmark in survey.landmarks if landmark.letters_outside_links <= half and _surrounds(landmark)
    ]
    if sum(landmark.letters_outside_links for landmark in furniture if not landmark.in_text) > half:
        furniture = [landmark for landmark in furniture if landmark.kind == "nav"]
    lost = {landmark.node.mem_id for landmark in furniture}
    return _root(survey), lambda node, tag: bool(lost) and node.mem_id in lost


def _surrounds(landmark: _Landmark) -> bool:
    match landmark.kind:
        case "nav":
            return True
        case "header":
            return not landmark.in_text and not landmark.has_title
        case "footer":
            return not landmark.in_text
        case "menu":
            return landmark.linked * 10 > landmark.letters * 9
        case "aside":
            return not landmark.in_text or landmark.linked * 2 > landmark.letters
        case _:
            return False


def _root(survey: _Survey) -> LexborNode:
    for kind in _TEXTS:
        for landmark in survey.landmarks:
            most = landmark.letters_outside_links * 2 > survey.page.letters_outside_links
            if landmark.kind == kind and most and (landmark.has_title or not survey.page.has_title):
                return landmark.node
    return survey.page.node
