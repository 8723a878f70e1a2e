"""Words about pictures: captions, known by their beginnings (`Figure 3: …`, `<그림 3-1> …`), and descriptions."""

import re

_NUMBER = r"\s?(?:[A-Z][.-]?)?\d{1,3}(?:[.-]\d{1,3}){0,3}[a-z]?(?![\w.-]?\d)"
_FIGURE = re.compile(
    r"\W{0,3}(?:figure|fig\.?|chart|graph|diagram|exhibit|illustration|image|photo|plate|abbildung|abb\.|figura"
    rf"|그림|차트|도표|사진|图|圖|図){_NUMBER}(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OTHER = re.compile(
    rf"\W{{0,3}}(?:table|tab\.|tabelle|tabla|tableau|equation|listing|algorithm|표|수식|식|表){_NUMBER}", re.IGNORECASE
)
_SEPARATED = re.compile(r"\s?[.:：|)\]>〉》」–—-]")
_TITLED = re.compile(r"\s+[A-Z가-힣\u3040-\u9fff]")
_LISTED = re.compile(r"\t|(?:\. ?){4,}|…{2,}|·{4,}")
_SENTENCE = re.compile(r"[.!?。]\W{0,2}$|다\W{0,2}$")
_LONGEST = 1_500
_GENERATED = re.compile(r"(?:Description|Beschreibung) automatically generated.*|자동 생성된 설명.*", re.DOTALL)
_NAME = re.compile(
    r"\S+\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp)|(?:Picture|Image|Figure|Graphic|Bild|그림) ?\d*", re.IGNORECASE
)


def is_caption(text: str) -> bool:
    """True for a paragraph whose words make it the caption of a figure, and not a line of a list of figures."""
    caption = _FIGURE.match(text) if len(text) <= _LONGEST else None
    if caption is None or _LISTED.search(text):
        return False
    rest = caption["rest"]
    return not rest or bool(_SEPARATED.match(rest)) or bool(_TITLED.match(rest) and not _SENTENCE.search(rest))


def description(text: str) -> str:
    """The description of a picture; empty if it is only a name."""
    said = _GENERATED.sub("", text).strip()
    return "" if _NAME.fullmatch(said) else said


def names_other(text: str) -> bool:
    """True for the caption of a table, an equation or a listing."""
    return _OTHER.match(text) is not None
