"""Finds citations in the notations of other systems: `[ID:0]`, `##1$$`, `(refund.md, p. 1)`, `<co>2</co>`, `①` (V5).

A group of signs around a short text is a citation if the text is a number of a source, or its name, or a place in a
document. A group that can also be a part of the sentence, as `(1)` and `①`, cites only if most sentences end with one.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from citewell_verify.markers.citable import Citable
from citewell_verify.markers.parser import Marker
from citewell_verify.markers.places import code_regions, encloses, protected_regions, spliced

# Every repetition is bounded: an answer may be hostile, and matching must stay linear.
_SIGN = r"[#^~@%†‡]"
_LINK = r"\[(?P<link>[^\[\]\n]{1,120})\]\((?P<address>[^()\s]{1,500})(?:\s\"[^\"\n]{0,100}\")?\)"
_GROUP = re.compile(
    r"(?P<private>[\ue000-\uf8ff](?:[^\s\ue000-\uf8ff]{1,60}[\ue000-\uf8ff]){1,8}|\bcite(?:turn\d{1,3}[a-z]{2,12}\d{1,3}){1,8})"
    r"|\s[—–→]\s?(?P<trailing>[^\s—–→]{1,80}\.[A-Za-z]{2,5})(?=[.,;]?(?:\s|\Z))"
    rf"|\(?{_LINK}\)?"
    r"|(?P<outer>[\[【〔［⟦〖《]{1,2})(?P<square>[^\[\]【】〔〕［］⟦⟧〖〗《》\n]{1,120})[\]】〕］⟧〗》]{1,2}"
    r"|(?P<paired>\(\(|\{\{|<<|«|⟨|‹)(?P<double>[^(){}<>«»⟨⟩‹›\n]{1,80})(?:\)\)|\}\}|>>|»|⟩|›)"
    r"|[(（](?P<round>[^()（）\[\]\n]{1,120})[)）]"
    r"|(?<![\\\w])\{(?P<curly>[^{}\n]{1,80})\}"
    r"|<(?P<tag>[A-Za-z][\w-]{0,14})\b[^<>\n]{0,120}>(?P<inner>[^<>\n]{1,60})</(?P=tag)>"
    r"|<(?P<empty>[A-Za-z][\w-]{0,14})\b(?P<attributes>[^<>\n]{1,120})/>"
    r"|\\[a-z]{0,12}(?:cite|ref|source|note)[a-z]{0,8}\*?(?:\[[^\[\]\n]{0,40}\])?\{(?P<command>[^{}\n]{1,80})\}"
    rf"|(?P<signs>{_SIGN}{{1,3}})\s?(?P<signed>\d{{1,3}})\s?(?:{_SIGN}|\$){{1,3}}"
    r"|[†‡]\s?(?P<dagger>\d{1,3})(?!\d)|(?<!\w)@(?P<at>\d{1,3})(?!\w)"
    r"|(?P<circled>[①-⑳⑴-⒇❶-❿⓵-⓾])"
    r"|`(?P<code>[^`\n]{1,80})`"
)
_MOST_COMPARED = 64  # groups of one frame: an answer may have thousands
_KINDS = ("trailing", "link", "dagger", "at", "square", "double", "round", "curly", "command", "circled", "code")
_LABEL = r"(?P<label>(?:[^\W\d]++\.?[\s:：=#.\"'(№|/-]{0,3}+){0,3}+[#@†‡^]?\s?)"
_MORE = r"(?:\s?(?:[,;、，；·&–~-]|and|und|및)\s?(?P=label)?\d{1,3})*"
_PLACE = r"(?:[^\W\d]{1,12}\.?\s?)?\d{1,5}(?:\s?[-–~]\s?\d{1,5})?\s?[^\W\d]{0,8}"
_NUMBERED = re.compile(
    rf"\s*{_LABEL}(?:(?P<compound>\d{{1,3}}:\d{{1,3}})(?=†)|(?P<numbers>\d{{1,3}}{_MORE}))\s?[\"')]{{0,2}}"
    rf"(?:\s?[|†].{{0,80}}|\s?[,;]\s?{_PLACE}|:\s?(?=[^\W\d]){_PLACE})?\s*"
)
_TURNS = re.compile(r"turn\d{1,3}[a-z]{2,12}(\d{1,3})")
_COUNTED = re.compile(r"^\s*\d{1,3}\s?[,;:|]\s?")
_RANGE = re.compile(r"(\d{1,3})(?:\s?[–~-]\s?(\d{1,3}))?")
_SOURCE_WORD = re.compile(
    r"(?:sources?|refs?|references?|cit(?:e|ed|ation)s?|doc(?:ument)?s?|passages?|chunks?|contexts?|files?|web ?pages?"
    r"|results?|snippets?|excerpts?|evidence|articles?|quellen?|dokumente?|fuentes?|documentos?|문서|자료|출처|근거|참고|본문"
    r"|来源|來源|文档|文件|资料|資料|文書|出典|参考)[\s:：#_.-]*",
    re.IGNORECASE,
)
_LABELS = re.compile(
    rf"(?:(?:{_SOURCE_WORD.pattern}|(?:ids?|idx|index|name|kb|s|data|reports?|cit|webpage)(?![^\W\d])|[a-gi-pr-z](?=\Z))[\s:：=#.\"'(№|/_@†‡^-]*)+"
    r"|[\s#@†‡^]*",
    re.IGNORECASE,
)
"""Words before the number of a source that do not precede a quantity: `Phase 2` and `May 3` are ordinary words."""
_TAGS = re.compile(r"co|cite|citation|c|ref|reference|src|source|doc|document|fn|footnote", re.IGNORECASE)
_STATES = re.compile(r"(?:[:=]|\b(?:is|are|was|were|be|to|of|by|at|than|only|about))\s*$", re.IGNORECASE)
_OPENS_ONE = re.compile(r"[^\W\d_]{2,12}[_-](?:start|begin|end)")
_LOCATED = re.compile(
    r"\s*(?:(?:pp?|s|l)\.\s?|(?:pages?|lines?|seiten?|쪽|페이지)\s?)\d{1,5}(?:\s?[-–]\s?\d{1,5})?\s*|\s*\d{1,5}\s?(?:쪽|페이지)\s*",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"\s*[\w .-]{1,60}\.(?:pdf|md|txt|rtf|docx?|odt|xlsx?|csv|pptx?|html?|eml|json|xml|hwpx?)"
    r"(?:\s?[,:#]\s?[\w .-]{0,30})?\s*"
)
_BEFORE = re.compile(r"(?:^|[.!?。！？\n\]】)>]|[-*•]\s)\s*$")
_AFTER = re.compile(r"[ \t]*(?:[.,;:!?。！？、，)*_|]|\n|\Z)")
_AFTER_SENTENCE = re.compile(r"[ \t]*(?:[.!?。！？]|\n|\Z)")
_STOP = re.compile(r"[.!?。！？]+[\"'”’)*_]*(?=\s|\Z|[\[(【<^†#\ue000-\uf8ff①-⑳])|[。！？]")
_WORD_BEFORE = re.compile(
    r"\b(?:the|a|an|in|of|on|at|from|to|by|with|see|per|is|are|was|file|files|called|named|reads?|uses?|opens?|runs?)\s*$",
    re.IGNORECASE,
)
_LISTED_NAME = re.compile(r"\[[^\[\]\n]{1,12}\]\s(?P<name>[^\s\[\]()]{1,80}\.[A-Za-z]{2,5})(?=[.,;]?(?:\s|\Z))")


@dataclass(frozen=True, slots=True)
class _Group:
    start: int
    end: int
    body: str
    kind: str
    frame: str
    numbers: tuple[int, ...] = ()
    named: bool = False
    stands_at_end: bool = False
    stands_in_front: bool = False
    is_attached: bool = False
    defines: bool = False
    """True if the group is a line of its own, or the text that a definition defines."""

    @property
    def is_weak(self) -> bool:
        """True if the group can also be words of its sentence."""
        return self.kind in ("round", "curly", "circled", "code", "at", "sign", "link")


@dataclass(frozen=True, slots=True)
class Foreign:
    """The citations of a text: `numbered` have numbers as written, `named` have the positions of their sources from 1;
    `unread` are the places of texts that were not understood.
    """

    numbered: tuple[Marker, ...] = ()
    named: tuple[Marker, ...] = ()
    unread: tuple[tuple[int, int], ...] = ()
    silent: tuple[tuple[int, int], ...] = ()


def foreign_markers(text: str, sources: Citable, known: Sequence[Marker] = ()) -> Foreign:
    """Find the citations of `text` that `cited_markers`, which found `known`, does not read.

    `unread` are texts that look like citations and name no source; `silent` only open a citation, as `[cite_start]`.
    """
    groups = list(_groups(text, sources, [(marker.start, marker.end) for marker in known]))
    if not groups:
        return Foreign()
    rest_of_text = spliced(text, ((group.start, group.end, "") for group in groups))
    ends = max(1, len(_STOP.findall(rest_of_text)), sum(1 for line in text.split("\n") if len(line) > 20))
    frames: dict[str, list[_Group]] = defaultdict(list)
    for group in groups:
        if group.numbers and len(frames[group.frame]) < _MOST_COMPARED:
            frames[group.frame].append(group)
    chosen = [group for group in groups if _cites(group, frames[group.frame], ends, text, sources)]
    labels = {re.split(r"[\W_]", group.body.strip().casefold())[0] for group in chosen if not group.named} - {""}
    places = {group.start for group in chosen}
    rest = [group for group in groups if group.start not in places]
    silent = [
        group
        for group in rest
        if group.kind == "square"
        and _OPENS_ONE.fullmatch(group.body)
        and re.split(r"[\W_]", group.body.casefold())[0] in labels
    ]
    places = {group.start for group in silent}
    shapes = Counter(_shape(group) for group in rest if group.stands_at_end)
    unread = [
        group for group in rest if group.start not in places and _looks_like_one(group, shapes[_shape(group)], ends)
    ]
    return Foreign(
        tuple(Marker(group.start, group.end, group.numbers) for group in chosen if not group.named),
        tuple(Marker(group.start, group.end, group.numbers) for group in chosen if group.named),
        tuple((group.start, group.end) for group in unread),
        tuple((group.start, group.end) for group in silent),
    )


def _groups(text: str, sources: Citable, taken: Sequence[tuple[int, int]]) -> Iterator[_Group]:
    code, formal = code_regions(text), protected_regions(text)
    for match in _GROUP.finditer(text):
        kind, body = _kind_and_body(match)
        start, end = match.span()
        before = bisect_left(taken, (end, 0)) - 1
        if kind is None or (before >= 0 and taken[before][1] > start):
            continue
        if kind != "code" and encloses(code, start, end):
            continue
        if kind in ("square", "round", "curly", "circled", "at") and encloses(formal, start, end):
            continue
        if kind == "square" and (listed := _LISTED_NAME.match(text, start)) and sources.named(listed["name"]):
            end, body = listed.end(), listed["name"]
        group = _group(text, start, end, body, kind, match[0], sources)
        if group.named or kind != "square" or not sources.is_content(text, start, end, group.numbers or (0,)):
            yield group


def _kind_and_body(match: re.Match[str]) -> tuple[str | None, str]:
    if match["private"]:
        return "private", re.sub(r"[\ue000-\uf8ff]", " ", match["private"])
    if tag := match["tag"] or match["empty"]:
        return ("tag" if _TAGS.fullmatch(tag) else None), match["inner"] or match["attributes"]
    if match["signed"]:
        return ("sign" if len(match["signs"]) == 1 else "signs"), match["signed"]
    return next(((kind, match[kind]) for kind in _KINDS if match[kind]), (None, ""))


def _group(text: str, start: int, end: int, body: str, kind: str, written: str, sources: Citable) -> _Group:
    address = re.search(r"\]\(([^()\s]+)", written) if kind == "link" else None
    named = sources.named(body) or (sources.named(address[1]) if address else ())
    named = named or sources.named(body.rpartition("†")[2]) or sources.named(_COUNTED.sub("", body))
    is_sure = re.search(r"[.:/_-]\w", body) or (kind == "round" and sources.is_written(body))
    if kind in ("round", "double") and named and not is_sure:
        named = ()  # a name without a sign of a file, an id or an address can be a word of the sentence
    numbers = named or (() if kind == "code" else _numbers(body, kind))
    if kind == "square" and not named and not re.search(r"[^\W\d_]|[#@①-⑳⑴-⒇❶-❿]", body):
        numbers = ()  # `cited_markers` knows that it is no citation
    # Groups of one frame differ only in their numbers, and in the text after these.
    if kind == "circled":
        frame = ""
    else:
        frame = "name" if named else re.split(r"\d", unicodedata.normalize("NFKC", written), maxsplit=1)[0]
    before, after = text[max(0, start - 24) : start], text[end : end + 24]
    end_of_it = _AFTER_SENTENCE if kind in ("round", "curly", "circled", "at", "sign") else _AFTER
    return _Group(
        start,
        end,
        body,
        kind,
        f"{kind} {frame.casefold()}",
        numbers,
        bool(named),
        stands_at_end=end_of_it.match(after) is not None or (_BEFORE.search(before) is not None and start > 0),
        is_attached=start > 0 and not text[start - 1].isspace() and text[start - 1] not in ".!?。",
        defines=bool(re.match(r"[ \t]*(?:[:=]|\n|\Z)", after))
        and not text[max(0, start - 200) : start].rpartition("\n")[2].strip(),
        stands_in_front=_BEFORE.search(before) is not None
        and "\n" in ("\n" + text[:2] if start < 3 else text[start - 3 : start])[: start + 1],
    )


def _numbers(body: str, kind: str) -> tuple[int, ...]:
    if turns := _TURNS.findall(body):
        return tuple(dict.fromkeys(map(int, turns)))
    if kind == "circled":
        return (int(unicodedata.numeric(body)),)
    digits = unicodedata.normalize("NFKC", body)
    match = _NUMBERED.fullmatch(digits)
    if not match or not _LABELS.fullmatch(match["label"]) or _LOCATED.fullmatch(digits):
        return ()
    written = match["compound"].rpartition(":")[2] if match["compound"] else match["numbers"]
    numbers: list[int] = []
    for first, last in _RANGE.findall(re.sub(r"(?<=\d)\s?[,;].*", lambda rest: rest[0], written)):
        low, high = int(first), int(last or first)
        numbers += range(low, high + 1) if low < high < low + 50 else (low, high)
    return tuple(dict.fromkeys(numbers))


def _cites(group: _Group, same: Sequence[_Group], ends: int, text: str, sources: Citable) -> bool:
    if not group.numbers:
        return False
    at_end = [alike for alike in same if alike.stands_at_end]
    ends_most = 2 * len(at_end) >= ends
    if group.named:
        return _names(group, same, text, ends_most=ends_most and len(at_end) == len(same))
    possible = [all(0 <= number <= sources.count for number in alike.numbers) for alike in same]
    is_labelled = bool(_SOURCE_WORD.match(group.body)) or group.kind in ("private", "signs", "command", "tag")
    if group.is_weak and not is_labelled:
        states = any(map(_STATES.search, _before(same, text)))
        is_text = group.stands_in_front or not all(possible) or states or any(0 in alike.numbers for alike in same)
        is_call = group.kind in ("round", "curly") and group.is_attached
        return not is_text and not is_call and 2 <= len(at_end) == len(same) and ends_most
    if group.kind == "double" and not is_labelled and any(map(_STATES.search, _before(same, text))):
        return False
    is_in_text = not at_end or (group.is_attached and not group.stands_at_end)
    return any(possible) and not is_in_text and (is_labelled or group.kind == "dagger" or ends_most)


def _names(group: _Group, same: Iterable[_Group], text: str, *, ends_most: bool) -> bool:
    is_plain = not re.search(r"[.:/_-]\w|\d", group.body)
    if is_plain and any(_STATES.search(before) or _WORD_BEFORE.search(before) for before in _before(same, text)):
        return False
    if group.kind not in ("code", "link"):
        return group.kind != "curly" or group.stands_at_end
    if group.kind == "link" and text[group.start] == "(":
        return True
    is_object = any(_WORD_BEFORE.search(text[max(0, alike.start - 24) : alike.start]) for alike in same)
    return ends_most and not is_object


def _before(groups: Iterable[_Group], text: str) -> list[str]:
    return [text[max(0, group.start - 24) : group.start] for group in groups]


def _looks_like_one(group: _Group, repeated: int, ends: int) -> bool:
    if (
        not (group.stands_at_end or group.stands_in_front)
        or group.defines
        or group.kind in ("code", "circled", "at", "sign", "curly", "trailing")
    ):
        return False
    if group.kind == "private":
        return re.search(r"cite|turn\d", group.body) is not None
    if group.kind == "square" and _LOCATED.fullmatch(group.body):
        return True
    # Anything else is content unless it is a document's name: an author with a year may be a place with a year.
    if not _FILE.fullmatch(group.body) or group.kind == "link" or group.is_attached:
        return False
    return repeated >= 2 and 2 * repeated >= ends


def _shape(group: _Group) -> str:
    if _FILE.fullmatch(group.body):
        return f"{group.kind} file"
    words = re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", group.body))
    return f"{group.kind} {words}"
