"""Decides which brackets of an answer cite (V5).

A bare `[1]` or `[1, 2]` may be an index, interval, vector, year or exponent, and no bracket within code, mathematics,
links, addresses or tags is a citation.

Citations follow the words or the full stop of a sentence, precede one, or are a word of it ("According to [1]").
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

# Every repetition is bounded or possessive: an answer may be hostile, and matching must stay linear.
_FENCED = r"^\ {0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*\n(?:[^\n]*\n)*?\ {0,3}(?P=fence)[`~]*[ \t]*$"
_INLINE = r"(?<!`)(?P<ticks>`++)(?:[^\n]|\n(?![ \t]*\n))+?(?<!`)(?P=ticks)(?!`)"
_CODE = re.compile(rf"{_FENCED}|{_INLINE}", re.MULTILINE)
_HTML_CODE = r"<(?P<tag>code|pre|kbd|samp|math)\b[^<>\n]{0,100}>(?s:.){0,2000}?</(?P=tag)>"
_TAG = r"</?[a-zA-Z][^<>\n]{0,300}>"
_DISPLAY = r"\$\$[^$]{1,2000}+\$\$|\\\[(?!\s?[†^]?\d[\d\s,;†–-]{0,40}\\?\])(?s:.){1,1000}?\\\]|\\\((?s:.){1,500}?\\\)"
_ENVIRONMENT = r"\\begin\{(?P<environment>[a-z]{1,20}\*?)\}(?s:.){0,2000}?\\end\{(?P=environment)\}"
_DOLLARS = r"(?<![\w\\$])\$(?P<formula>(?![\s$])[^$\n]{1,300}+)(?<!\s)\$(?!\w)"
_ADDRESS = (
    r"(?:\b(?:https?|ftp)://|\bwww\.)"
    r"(?:[?&][\w.%-]{1,64}+\[[^\s\[\]]{0,64}\]|[^\s<>\"“”\[\]()（）。、，]|\([^\s()]{0,200}\)|\[[^\s\[\]]{0,64}\](?=[\w=&/%#-]))++"
)
_PATH = r"(?<!\w)[A-Za-z]:\\[^\s\"<>|]{1,300}+"
_ROW = r"\[\s?[-−+]?[\d.]{1,9}(?:\s?[,;]\s?[-−+]?[\d.]{1,9}){1,20}\s?\]"
_MATRIX = rf"\[\s?{_ROW}(?:\s?,\s?{_ROW}){{1,20}}\s?\]"
_TARGET = r"\([^()\s]{0,500}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?(?:\s+\"[^\"\n]{0,100}\")?\)"
_CITES = r"(?!\[{0,3}\s?[†^]?\s?\d[\d\s,;†–-]{0,40}\]{1,4}\()"
_LINK = rf"!?\[{_CITES}(?:[^\[\]\n]|\[[^\[\]\n]{{0,80}}\]){{1,200}}+\]{_TARGET}|(?<!\S)!\[[^\[\]\n]{{0,200}}\]{_TARGET}"
_OTHERS = re.compile("|".join((_HTML_CODE, _TAG, _DISPLAY, _ENVIRONMENT, _DOLLARS, _LINK, _ADDRESS, _PATH, _MATRIX)))
_CALCULATES = re.compile(r"[\\^_=<>≤≥+∈]")

Regions = Sequence[tuple[int, int]]
"""(start, end) of each region, in order and without overlaps."""


def code_regions(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _CODE.finditer(text)] if "`" in text or "~~~" in text else []


def protected_regions(text: str) -> list[tuple[int, int]]:
    """Return the parts of `text` in which a bracket is no citation."""
    code = code_regions(text)
    regions: list[tuple[int, int]] = []
    position = 0
    for start, end in (*code, (len(text), len(text))):
        regions += _formal(text, position, start)
        if end > start:
            regions.append((start, end))
        position = end
    return regions


def spliced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return the text with `text[start:end]` replaced for each of the edits, which are in order."""
    pieces: list[str] = []
    position = 0
    for start, end, written in edits:
        pieces += text[position:start], written
        position = end
    return "".join([*pieces, text[position:]])


def encloses(regions: Regions, start: int, end: int) -> bool:
    """Return whether `start:end` is in one of the regions or overlaps its edge; a region within it does not count."""
    before = bisect_right(regions, start, key=lambda region: region[0]) - 1
    if before >= 0 and regions[before][1] > start and (regions[before][0] < start or regions[before][1] >= end):
        return True
    return any(first < end < last for first, last in regions[before + 1 : before + 9])


def _formal(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _OTHERS.finditer(text, start, end):
        formula = match["formula"]
        # "$5 [1], not 6$" is about money.
        if formula and formula[0].isdigit() and " " in formula and not _CALCULATES.search(formula):
            continue
        yield match.span()


_BEFORE, _AFTER, _SENTENCE = 64, 48, 160
_STOPS = re.compile(r"[.!?…](?=\s|$|\[)|[。！？\n]")

# --- an index ---
_ATTACHED = re.compile(r"(?:(?<=[^\w.])|^)[$@?&#]?(?:[A-Za-z_][\w.]*)$")
_INDEX_NAME = re.compile(
    r"[a-z]\d{0,2}|[$@?&].+|[a-z]{2,}[A-Z][a-z]\w*|\w*[A-Za-z0-9]_[A-Za-z0-9]\w*"
    r"|(?:arr|array|argv?|args|argc|kwargs|vec|idx|lst|buf|ptr|params|tuple|dict|str|df|tmp|env|foo|bar|baz|nums|matrix)"
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[a-z_]\w*)+")
_FILE_OR_SITE = re.compile(
    r".*\.(?:com|org|net|edu|gov|int|io|ai|eu|de|fr|uk|kr|jp|cn|pdf|md|txt|docx?|html?|xlsx?|csv|pptx?|json|xml|ya?ml|py|js)"
)
_UNIT = re.compile(r"\d[\d.,]*\s?$")
_CAPITALS = frozenset("ABCDEFGHJKLMNOPQRSTUVWXYZ")
_BEFORE_VARIABLE = re.compile(
    r"(?:^|[.!?:,;(=]|\b(?:the|of|element|entry|value|vector|matrix|array|is|and|or|let|for|in|if|then|set|to|at|with|from|that))"
    r"\s*$",
    re.IGNORECASE,
)
_CALL = re.compile(r"(?:\b[a-z]|[a-z]\w*_\w+)\([^()\s]{0,30}\)$")
_OTHER_INDEX = re.compile(r"\w\[(?:[a-z]|[^\[\]\s]{0,20}[+*:\"'][^\[\]\s]{0,20})\]$")
_INDEXED = re.compile(r"(?<![\w'’])([A-Za-z_]\w*)\[(?:0\](?=\[|\s[a-z(=+*/-])|0[,:]|[a-z]\]|-\d|[\"'])")
_GOES_ON_AS_CODE = re.compile(r"\s?(?:[-+*/]?=(?!=?\s?[A-Z][a-z]+\b)|\+\+|--)|\.[a-z_]\w*|->|\[[a-z]\]")
_INDEXED_ONCE = re.compile(r"(?<![\w'’])([A-Za-z_]\w*)\[\w{1,9}\](?!\[)")

# --- an interval, a vector, a list of numbers ---
_OPERATOR_BEFORE = re.compile(
    r"(?:[=∈∉⊂⊆⊇⊃×∪∩∖→↦⇒≤≥≠≈⊗∘]|[-=]>|:=|\\(?:in|to|times|cup|cap|subset|subseteq|setminus)\b)\s?$"
)
_LIST_OPERATOR_BEFORE = re.compile(r"[\]\w)]\s[-+*x]\s$|\b[A-Za-zα-ωΑ-Ω]\s?:\s?$")
_OPERATOR_AFTER = re.compile(
    r"\s?(?:[∈⊂⊆×∪∩∖→↦⇒^=≠≤≥⊗]|->|\\(?:times|to|cup|cap|subset)\b)|\s[-+*x]\s\[|[_^]\d|-[A-Za-z]"
)
_SURE_NOUN = re.compile(
    r"(?:\b(?:interval|intervals|intervalle?|intervalles|intervallo|tuple|coordinates?"
    r"|integers in|numbers in|compact set|unit (?:interval|square))"
    r"|구간|벡터|행렬|배열|리스트|순서쌍|区间|區間|区間|ベクトル|行列|向量)\s?$",
    re.IGNORECASE,
)
_LIKELY_NOUN = re.compile(
    r"\b(?:of|ranges?|domain|list|set|sequence|scale|points?|pairs?|triple|rows?|columns?|outputs?|inputs?|values?|segments?"
    r"|axis|state|position|bounds?|limits?|equals?|is|are|be|becomes?|returns?|prints?|gives?|yields?|contains?|produces?"
    r"|like|of|범위|집합|수열|값|范围|集合|範囲)\s?$",
    re.IGNORECASE,
)
_ARRAY = re.compile(r"\b(?:vector|matrix|array)\s$", re.IGNORECASE)  # also "a wide array [1, 2]."
_POINTED_AT = re.compile(r"\b(?:this|that|these|those|such|same)\s+\w+\s?$", re.IGNORECASE)
_ON = re.compile(r"(?:\b(?:on|over|within|inside|outside|across|auf|sur|sobre)|∀\s?\w+\s?in)\s$", re.IGNORECASE)
_CITING_ON = re.compile(
    r"\b(?:based|rel(?:y|ies|ied|ying)|depend\w*|draw\w*|drew|buil[dt]\w*|comment\w*|report\w*|focus\w*|elaborat\w*"
    r"|expand\w*|improv\w*|reflect\w*)\s+(?:up)?(?:on|over)\s$",
    re.IGNORECASE,
)
_IN = re.compile(r"\b(?:in|from|to|into|between|im|von|dans|en|de|su|em)\s$", re.IGNORECASE)
_MATHEMATICS = re.compile(
    r"\b(?:functions?|intervals?|continuous|bounded|integra\w+|deriva\w+|differentia\w+|monoton\w+|converg\w+|uniform\w*"
    r"|probabilit\w+|variables?|domain|polynomials?|topolog\w+|metric|theorem|homeomorph\w+|isometr\w+|lies|lie)\b"
    r"|함수|구간|연속|적분|미분|변수|확률|유계|수렴|위상|関数|函数|連続|连续"
    r"|(?<![\w'’])[b-hj-zα-ω]\s?(?:=|∈|\(|<|>|≤|≥|\bin\b)",
    re.IGNORECASE,
)
_KOREAN_AT = re.compile(r"(?:위)?에서|에\s|의\s|까지|부터")
_SENTENCE_ENDS = re.compile(
    r"\s*(?:$|[.,;:!?。！？、)\]）】”\"'’»|*_\n]|\b(?:and|or|but|while|whereas|및|와|그리고)\b|[\[［【〔(（¹²³])"
)
_IN_FRONT = re.compile(r"(?:^|[.!?。！？\n|][\"'”’»)*_]*)\s*(?:[-*+•>#]+\s+|\d{1,3}[.)]\s+)?$")
_LOWER = re.compile(r"\s[a-z]")
_VALUE_OF = re.compile(r"[=∈∉≤≥≠≈]\s?$")
_MARKERS_TO_THE_END = re.compile(r"(?:\[\d{1,9}\])*+[| \t]{0,48}(?:\n|\Z)")
_SAYS_ONE = re.compile(r"\s(?:is|has|lies|denotes|contains|means|represents)\b")
_COPULA = re.compile(r"\b(?:is|are|was|were|be|equals?|becomes?|for\s\w+\sin)\s$", re.IGNORECASE)
_DATA = re.compile(r"[\w.]\($|[\"']\s?:\s?$")
_NEXT = re.compile(r"\s?(?:,|;|and|or|to|및|와|과|und|et)\s?")
_PREDICATE = re.compile(r"\s(?:is|are|was|were|has|have|lies|denotes|contains|means|represents)\b")
_OTHER_INTERVAL_BEFORE = re.compile(r"[\[(](?:0|-\d|\d*\.\d)[^\[\]()]{0,20}[\])]\s?(?:,|and|or|to|및|와|과|und|et)\s?$")
_OTHER_INTERVAL_AFTER = re.compile(r"\s?(?:,|and|or|to|및|와|과|und|et)\s?[\[(](?:0\s?,|-\d|\d*\.\d)")
_SIGNS_BEFORE = (_OPERATOR_BEFORE, _LIST_OPERATOR_BEFORE, _OTHER_INTERVAL_BEFORE, _DATA)
_SIGNS_AFTER = (_OPERATOR_AFTER, _OTHER_INTERVAL_AFTER)
_WORDS_BEFORE = (_SURE_NOUN, _COPULA, _ON)

# --- others ---
_KEY = re.compile(r"\b(?:press|pressing|hit|key|keys|button|dial)\s$", re.IGNORECASE)
_ISOTOPE = re.compile(r"[A-Z][a-z]?-")
_SEVERAL = re.compile(r"\d[^\dp]+\d")
_LISTED = re.compile(r"[,;、，；·]")
_LAST_TOKEN = re.compile(r"[^\s\[\]()（）“”\"'’「」*_,;]+$")
_UNITS = frozenset(
    "m km cm mm dm nm µm μm mi ft in yd s ms min h g kg mg l ml pa n j w v k mol cd sr rad ha ac".split()
) | frozenset("sin cos tan log ln exp det lim mc".split())
_SHORT_WORDS = frozenset("it so do up on us me he we in by to at go be is an as or no my am of if".split())
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d$")
_GREEK_AND_LATIN = re.compile(r"(?=.*[α-ωΑ-Ω])(?=.*[A-Za-z])")


class Places:
    """Judges places of one text. `count` is the number of sources that numbers may point to, None if it is unknown."""

    def __init__(self, text: str, count: int | None) -> None:
        self._text, self._count = text, count
        self._index_ends: dict[int, str] = {}
        self._interval_end = 0

    def cites(self, start: int, end: int, numbers: Sequence[int], *, is_linked: bool) -> bool:
        written = self._text[start:end]
        if all(1000 <= number < 3000 for number in numbers):
            return False
        before, after = self._line_around(start, end)
        if is_linked:
            return before[-1:] != "!" or not (before[-2:-1] or " ").isspace()
        if (name := self._indexed_name(before, after, start, end)) is not None:
            self._index_ends[end] = name
            return False
        if _ISOTOPE.match(after) or (_LOWER.match(after) and _KEY.search(before)):
            return False
        if not _SEVERAL.search(written):
            # At the end of a line or row, also before other markers, `correct` puts markers.
            is_value = after.strip() and _VALUE_OF.search(before)
            return not is_value or _MARKERS_TO_THE_END.match(self._text, end) is not None
        is_text = 0 in numbers or self._is_interval(before, after, start, written, numbers)
        self._interval_end = end if is_text else self._interval_end
        return not is_text

    def is_exponent(self, start: int, end: int) -> bool:
        raised, (before, after) = self._text[start:end], self._line_around(start, end)
        following = after[:2]
        if following[:1].isdigit():
            return True
        if not before or before[-1].isspace():
            is_mass_number = following[:1].isalpha() and following[:1].isascii() and not following[1:].islower()
            return is_mass_number or not (before.strip() or following.lstrip()[:1].isalpha())
        token = _LAST_TOKEN.search(before)
        if before[-1] in "])）" and token is None:
            return _CALL.search(before) is not None or re.search(r"\([^()]*[-+*/^=][^()]*\)$", before) is not None
        word = token[0] if token else before[-1]
        if not word[-1].isalpha() or word[-1] in "²³":
            is_number = word[-1].isdigit() and not (raised == "¹" or "," in raised or _YEAR.search(word))
            return is_number or word[-1] in "=+-−*/^²³·⋅⁻⁺⁽"
        letters = re.split(r"[/·⋅*=+−^-]", word)[-1]
        if len(letters) < len(word) and word.isascii() and len(letters) < 3:
            return True
        if letters.isascii() and letters[-1].islower() and len(letters) <= 2 and letters not in _SHORT_WORDS:
            return True
        is_single = len(letters) == 1 and (letters.isascii() or "α" <= letters.casefold() <= "ω")
        return is_single or letters.casefold() in _UNITS - _SHORT_WORDS or bool(_GREEK_AND_LATIN.match(letters))

    def _line_around(self, start: int, end: int) -> tuple[str, str]:
        before, after = self._text[max(0, start - _BEFORE) : start], self._text[end : end + _AFTER]
        return before.rpartition("\n")[2], after.partition("\n")[0]

    def _indexed_name(self, before: str, after: str, start: int, end: int) -> str | None:
        """The name that the bracket is an index of, which may be empty; None if the bracket is no index."""
        if (name := self._index_ends.get(start)) is not None:
            is_plain = self._text[start] == "[" and self._text[start + 1] != "[" and self._text[start:end].isascii()
            # A name that has one index elsewhere does not have two here.
            has_one = any(match[1] == name for match in _INDEXED_ONCE.finditer(self._sentence_around(start)))
            return name if is_plain and not has_one else None
        last = before[-1:]
        if (last == "]" and _OTHER_INDEX.search(before)) or (last == ")" and _CALL.search(before)):
            return ""
        attached = _ATTACHED.search(before) if last.isalnum() or last in "_." else None
        if not attached or not self._is_indexed(before[: attached.start()], attached[0], after, start):
            return None
        return attached[0]

    def _is_indexed(self, before: str, name: str, after: str, start: int) -> bool:
        if re.search(r"(?<!/)/$", before) and name[0].isalpha() and after[:1] != "/":
            return False  # the end of a path, or "km/h"
        if before.endswith(("'", "’", "-")) or (len(name) == 1 and _UNIT.search(before)):
            return False
        if _GOES_ON_AS_CODE.match(after) or before.endswith("//"):
            return True
        if (_DOTTED.fullmatch(name) and not _FILE_OR_SITE.fullmatch(name.lower())) or _INDEX_NAME.fullmatch(name):
            return True
        if name in _CAPITALS:
            return _BEFORE_VARIABLE.search(before) is not None
        return any(match[1] == name for match in _INDEXED.finditer(self._sentence_around(start)))

    def _is_interval(self, before: str, after: str, start: int, written: str, numbers: Sequence[int]) -> bool:
        """True if a list of numbers is an interval; in unclear cases, numbers of sources are citations."""
        if any(sign.search(before) for sign in _SIGNS_BEFORE) or any(sign.match(after) for sign in _SIGNS_AFTER):
            return True
        if self._interval_end and _NEXT.fullmatch(self._text[self._interval_end : start][:8]):
            return True
        if _POINTED_AT.search(before):
            return False
        if _IN_FRONT.search(before):
            says_where = _KOREAN_AT.match(after) and self._is_about_mathematics(start)
            is_subject = _SAYS_ONE.match(after) or (_PREDICATE.match(after) and not self._has_source(numbers))
            return _LISTED.search(written) is not None and bool(is_subject or says_where)
        if not before[-1:].isspace():
            return False
        if any(sign.search(before) for sign in _WORDS_BEFORE) and not _CITING_ON.search(before):
            return True
        return self._is_likely_interval(before, after, start, written, numbers)

    def _is_likely_interval(self, before: str, after: str, start: int, written: str, numbers: Sequence[int]) -> bool:
        """True if an interval is likely, after "in", "the values", "an array" or plain words."""
        ends = _SENTENCE_ENDS.match(after) is not None
        is_mathematics = self._is_about_mathematics(start)
        if is_mathematics and (_KOREAN_AT.match(after) or _IN.search(before)):
            return not self._are_sources(numbers) or not before.lstrip().lower().startswith("in ")
        if _LIKELY_NOUN.search(before):
            return is_mathematics or not (self._has_source(numbers) if ends else self._are_sources(numbers))
        if _ARRAY.search(before):
            return is_mathematics or not ends or not self._are_sources(numbers)
        if ends or after[:1].isalnum():
            return False
        return _LISTED.search(written) is not None and not self._has_source(numbers)

    def _is_about_mathematics(self, start: int) -> bool:
        return _MATHEMATICS.search(self._sentence_around(start)) is not None

    def _sentence_around(self, start: int) -> str:
        """The sentence around a place. No other sentence may decide, because repairs may remove it."""
        before, after = self._text[max(0, start - _SENTENCE) : start], self._text[start : start + _SENTENCE]
        return _STOPS.split(before)[-1] + _STOPS.split(after, maxsplit=1)[0]

    def _are_sources(self, numbers: Sequence[int]) -> bool:
        return self._count is None or all(1 <= number <= self._count for number in numbers)

    def _has_source(self, numbers: Sequence[int]) -> bool:
        return self._count is None or any(1 <= number <= self._count for number in numbers)
