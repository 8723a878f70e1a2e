"""Finds the reply proper in a model's output: without its thoughts, and without the signs of a chat template.

Thoughts come before the reply: between tags, brackets or special tokens with a name for thoughts, in channels before
the last one, or up to a closing sign whose opening sign was a part of the prompt. Only these names count: a reply may
begin with any other tag. Within a reply, a thought begins at the beginning of a line or after the end of a sentence,
with a tag whose name means nothing else, and ends with such a tag; any other sign there, or in code, is a part of the
text. A thought without an end is cut off only if its tag has a line to itself.
"""

import re
from dataclasses import dataclass

_NAME = r"[A-Za-z][\w▁.:-]{0,40}"
_SIGN = re.compile(
    rf"<\s?(?P<tag_ends>/\s?)?(?P<tag>{_NAME})(?P<attributes>\s[^<>\n]{{0,200}}?)?\s?>"
    rf"(?:(?<=>)\s{{0,4}}<summary>\W{{0,8}}(?P<summary>{_NAME})"
    r"(?:\s(?:[Pp]rocess|for\s[\w ]{1,24}))?\W{0,8}</summary>)?"
    rf"|<[|｜](?P<token_ends>/)?(?P<token>{_NAME})[|｜]>"
    rf"|<[|](?P<left>{_NAME})>|<(?P<right>{_NAME})[|]>"
    rf"|\[(?P<bracket_ends>/)?(?P<bracket>{_NAME})\](?!\()"
    rf"|◁(?P<triangle_ends>/)?(?P<triangle>{_NAME})▷"
)
_SIGN_BEGUN = re.compile(
    r"<\s?(?:/\s?|[|｜]/?)?(?:[A-Za-z][\w▁.:-]{0,40}\s?)?[|｜]?(?:\s[^<>\n]{0,200})?>?"
    r"|\[/?(?:[A-Za-z][\w▁.:-]{0,40})?\]?|◁/?\w{0,40}▷?"
)
_KINDS = ("tag", "token", "left", "right", "bracket", "triangle")
_DETAILS_BEGUN = re.compile(
    r"<details\b[^<>\n]{0,200}(?:>\s{0,4}(?:<[a-z]{0,7}(?:>[^<>]{0,80}(?:<(?:/[a-z]{0,7})?)?)?)?)?"
)
_ATTRIBUTE = re.compile(r"\b(?:type|class)\s?=\s?[\"']?([A-Za-z_-]{1,40})[\"'\s]?")
_CLOSING = re.compile(r"<\s?/|\[/|◁/|[|｜]>|assistantfinal")
_EDGE = re.compile(r"[▁_]?(?P<ends>end|begin|start)(?:[▁_]?of)?[▁_]", re.IGNORECASE)
_SURE_THOUGHT = re.compile(r"(?:think|thinking|thoughts?|reasoning)(?:[_-](?:process|content|block))?", re.IGNORECASE)
"""Names that only thoughts have: such an opening without an end is no reply, and such an end needs no opening."""
_THOUGHT = re.compile(
    _SURE_THOUGHT.pattern
    + r"|\w*(?:thinking|thoughts?|reasoning)|(?:self[_-])?(?:reasons?|reflections?|reflexion|critique)"
    r"|scratch[_-]?pad|analys[ie]s"
    r"|(?:internal|inner|hidden)(?:[_-]\w+)?"
    r"|monologue|deliberation|rationale|musings?|introspection|contemplation|brainstorm(?:ing)?"
    r"|chain[_-]of[_-]thoughts?|cot|plan|planning|channel",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"(?:final[_-]?)?(?:answer|response|reply|output|result|solution)|final", re.IGNORECASE)
# Harmony's channels: with their special tokens, and in the form that is left if a server drops these.
_CHANNEL = re.compile(
    r"(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*(\w+)[^<]{0,60}(?:<\|constrain\|>[^<]{0,60})?<\|message\|>"
)
_FINAL = re.compile(
    r"<\|channel\|>\s*final\b[^<]{0,60}(?:<\|constrain\|>[^<]{0,60})?<\|message\|>"
    r"|(?<!\s)\s{0,2}assistantfinal\s*(?:json(?=\s*[\[{]))?"
)
_BARE_CHANNEL = re.compile(r"(?:assistant)?(?:analysis|commentary)(?=[^\W\d_a-z]|[\n\"“'(])")
_BARE_WORDS = ("assistant", "analysis", "commentary", "assistantanalysis", "assistantcommentary")
# A role's name is a part of the template if a token is in front of it.
_HEADER = re.compile(
    r"(?:<[|｜][\w▁]{1,40}[|｜]>(?:assistant(?=\s*<[|｜]|\s*\n|\Z))?|<s>|<bos>|<start_of_turn>model\n)\s*"
)
_STOP = re.compile(
    r"<[|｜]/?[\w▁.-]{1,40}[|｜]>|</?s>|</?(?:eos|bos|pad|eot|eom|eod)>|<(?:end|start)_of_\w{1,20}>|\[/?INST\]|\[(?:EOS|BOS)\]"
)
_TURN = re.compile(r"<[|｜][\w▁]{1,40}[|｜]>\s?(?:assistant|user|system|model)")
_TURN_BEGUN = re.compile(r"<[|｜][\w▁]{1,40}[|｜]>\s?[a-z]{0,9}")
"""The head of another turn, after the end of the reply."""
_MOST_STOPS = 8
_MOST_ASIDES = 32
_JSON_BEGINS = re.compile(r"\{|\[\s*[\[{\"\]]|\[\s*-?\d+(?:\.\d+)?\s*,")
_SENTENCE_ENDED = re.compile(r"(?:^|\n|[.!?…。！？)\]])[ \t]*$")
_BLANK = "\ufeff \t\r\n\u3000"
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)", re.MULTILINE)
_LONGEST_SIGN = 60


@dataclass(frozen=True, slots=True)
class _Sign:
    name: str
    closes: bool
    is_special: bool
    holds_thought: bool = False
    """True if the tag's description of its content is a name of thoughts, as in `<details type="reasoning">`."""

    @property
    def is_thought(self) -> bool:
        return self.holds_thought or is_thought(self.name)

    @property
    def is_answer(self) -> bool:
        return _ANSWER.fullmatch(self.name) is not None

    @property
    def is_surely_thought(self) -> bool:
        is_sure = self.holds_thought or _SURE_THOUGHT.fullmatch(self.name) is not None
        return is_sure or (self.is_special and self.is_thought)


def is_thought(name: str) -> bool:
    """True if a tag or a part with this name holds thoughts."""
    return _THOUGHT.fullmatch(name) is not None


def reply_text(written: str) -> str | None:
    """The reply proper, or None for a thought without an end."""
    start = _start(written, ended=True)
    return None if start is None else _cleaned(_without_asides(written[start:], ended=True))


def begins_in_thought(written: str) -> bool:
    """True if thoughts begin without a sign and end with one."""
    at = _head(written, 0, ended=True)
    return at is not None and _closed_at(written, at) is not None


class LiveReply:
    """The reply proper of a growing text, as far as it is certain.

    `waits` is for a model whose thoughts begin without a sign: nothing is shown before they end.
    """

    def __init__(self, *, waits: bool = False) -> None:
        self._waits = waits
        self._written = ""
        self._start: int | None = None
        self._shown = ""
        self._has_asides = False

    @property
    def shown(self) -> str:
        return self._shown

    def see(self, written: str) -> str | None:
        """The reply so far, now that `written` is the whole text; None if it is the same as before."""
        new = written[self._start + len(self._shown) :] if self._start is not None else written
        if self._start is None or not written.startswith(self._written) or _may_close(new):
            self._start = _start(written, ended=False)
        self._written = written
        if self._start is None or (self._waits and not written[: self._start].strip(_BLANK)):
            return None
        self._has_asides = self._has_asides or any(_sign(match).is_surely_thought for match in _SIGN.finditer(new))
        if self._has_asides:
            text = _without_asides(written[self._start : _certain(written, self._start)], ended=False)
        elif not self._shown or not written.startswith(self._shown, self._start):
            text = written[self._start : _certain(written, self._start)]
        else:
            text = (
                self._shown
                + written[self._start + len(self._shown) : _certain(written, self._start + len(self._shown))]
            )
        if text == self._shown or not text:
            return None
        self._shown = text
        return text


def _start(written: str, *, ended: bool) -> int | None:
    """The start of the reply proper; None while it is not known, or in a thought without an end."""
    at = _head(written, 0, ended=ended)
    while at is not None and (closed := _closed_at(written, at)) is not None:
        at = _head(written, closed, ended=ended)
    return at


def _head(written: str, at: int, *, ended: bool) -> int | None:
    while True:
        while written[at : at + 1] in _BLANK and at < len(written):
            at += 1
        first = written[at : at + 1]
        if first not in "<[◁ac":
            return at
        if not first:
            return at if ended else None
        look = _after_bare_channel if first in "ac" else _after_block
        after = look(written, at, ended=ended)
        if after is None or after == at:
            return after
        at = after


def _after_block(written: str, at: int, *, ended: bool) -> int | None:
    if channel := _CHANNEL.match(written, at):
        final = channel if channel[1] == "final" else _FINAL.search(written, channel.end())
        return final.end() if final else None
    if not ended and len(written) - at < _LONGEST_SIGN * 3 and _CHANNEL_BEGUN.fullmatch(written, at):
        return None
    if not ended and _DETAILS_BEGUN.fullmatch(written, at):
        return None
    match = _SIGN.match(written, at)
    if match is None:
        return None if not ended and _SIGN_BEGUN.fullmatch(written, at) else at
    sign = _sign(match)
    if sign.is_thought and not sign.closes:
        after = _after_thought(written, match.end(), sign, ended=ended)
        return at if after is None and ended and not sign.is_surely_thought else after
    if sign.is_answer and sign.is_special and not sign.closes:
        return match.end()
    if sign.is_answer and not sign.closes:
        is_wrapper = re.search(
            rf"<\s?/\s?{re.escape(match['tag'] or sign.name)}\s?>", written[match.end() :], re.IGNORECASE
        )
        return match.end() if is_wrapper else at if ended else None
    if header := _HEADER.match(written, at):
        is_open = not ended and "assistant\n".startswith(written[at:].rpartition(">")[2])
        return None if is_open else header.end()
    return at


_CHANNEL_BEGUN = re.compile(
    r"<\|(?:start\|>\s*\w*\s*(?:<\|?\w*)?|channel\|>[^<]{0,60}(?:<\|?\w*\|?(?:constrain\|>[^<]{0,60}(?:<\|?\w*\|?)?)?)?)?"
)


def _after_bare_channel(written: str, at: int, *, ended: bool) -> int | None:
    begun = written[at : at + 20]
    if not ended and any(word.startswith(begun) for word in _BARE_WORDS):
        return None
    channel = _BARE_CHANNEL.match(written, at)
    if channel is None:
        return at
    final = _FINAL.search(written, channel.end())
    if final:
        return final.end()
    # Otherwise the word may be a heading, or the first word of a sentence.
    return at if ended and not "A" <= written[channel.end()] <= "Z" else None


def _after_thought(written: str, at: int, opened: _Sign, *, ended: bool) -> int | None:
    alike: int | None = None
    within = 0
    for match in _SIGN.finditer(written, at):
        sign = _sign(match)
        if opened.holds_thought and sign.name == opened.name:
            within += -1 if sign.closes else 1
        if sign.closes and sign.name == opened.name and within <= (-1 if opened.holds_thought else 0):
            return match.end()
        if sign.closes and sign.is_thought:
            alike = match.end()
    return alike if ended else None


def _closed_at(written: str, at: int) -> int | None:
    """The end of the thoughts that have only a closing sign, behind `at`; None if there is no such sign."""
    if not _may_close(written, at):
        return None
    is_json = written.startswith(("{", "["), at)
    opened: set[str] = set()
    for match in _SIGN.finditer(written, at):
        sign = _sign(match)
        if not sign.is_thought:
            continue
        if not sign.closes:
            opened.add(sign.name)
        elif sign.is_surely_thought and sign.name not in opened and _closes(written, at, match, is_json=is_json):
            return match.end()
    for final in _FINAL.finditer(written, at):
        if not is_json and not _is_in_code(written, at, final.start()):
            return final.end()
    return None


def _may_close(text: str, at: int = 0) -> bool:
    return _CLOSING.search(text, at) is not None


def _closes(written: str, at: int, sign: re.Match[str], *, is_json: bool) -> bool:
    """True if a closing sign really ends thoughts, and the text does not only mention it: it ends or begins a line, or
    has no blank and no quotation mark on either side.
    """
    before, after = written[max(at, sign.start() - 1) : sign.start()], written[sign.end() : sign.end() + 1]
    ends_line = not written[sign.end() :].partition("\n")[0].strip()
    alone = before in ("", "\n") or ends_line
    glued = not is_json and (before.isalnum() or before in ".!?…)}") and (after.isalnum() or after in "{[(<*#-“")
    return (alone or glued) and not _is_in_code(written, at, sign.start())


def _without_asides(reply: str, *, ended: bool) -> str:
    """A reply without the thoughts within it; while it has not `ended`, only up to an open thought."""
    if _JSON_BEGINS.match(reply):
        return reply
    kept, position, opened = list[str](), 0, list[re.Match[str]]()
    for match in _SIGN.finditer(reply):
        sign = _sign(match)
        is_alike = bool(opened) and _sign(opened[-1]).name == sign.name
        if not (sign.is_surely_thought or is_alike) or len(kept) == _MOST_ASIDES:
            continue
        if not sign.closes:
            if opened or _may_open(reply, match):
                opened.append(match)
        elif opened and len(opened) > 1:
            opened.pop()
        elif opened:
            kept.append(reply[position : opened.pop().start()].rstrip(" \t"))
            position = match.end()
    if opened and (not ended or _has_a_line(reply, opened[0])):
        return "".join([*kept, reply[position : opened[0].start()]]).rstrip(_BLANK)
    return "".join([*kept, reply[position:]])


def _may_open(reply: str, sign: re.Match[str]) -> bool:
    line = reply[reply.rfind("\n", 0, sign.start()) + 1 : sign.start()]
    return _SENTENCE_ENDED.search(line) is not None and not _is_in_code(reply, 0, sign.start())


def _has_a_line(reply: str, sign: re.Match[str]) -> bool:
    """Return whether a tag is alone on its line; a word in brackets there may be a heading."""
    before, after = reply[: sign.start()].rpartition("\n")[2], reply[sign.end() :].partition("\n")[0]
    return sign["bracket"] is None and not before.strip() and not after.strip()


def _is_in_code(written: str, at: int, place: int) -> bool:
    line = written[max(at, written.rfind("\n", at, place) + 1) : place]
    return line.count("`") % 2 == 1 or len(_FENCE.findall(written[at:place])) % 2 == 1


def _sign(match: re.Match[str]) -> _Sign:
    kind = next(kind for kind in _KINDS if match[kind])
    name = match[kind]
    edge = _EDGE.match(name)
    closes = kind == "right" or bool(match.groupdict().get(f"{kind}_ends"))
    if edge:
        closes = closes or edge["ends"].lower() == "end"
        name = name[edge.end() :]
    told = [*_ATTRIBUTE.findall(match["attributes"] or ""), match["summary"] or ""]
    holds_thought = name.lower() == "details" and any(map(_SURE_THOUGHT.fullmatch, told))
    name = name.rpartition(":")[2].lower()
    return _Sign(name, closes, kind in ("token", "left", "right"), holds_thought)


def _cleaned(reply: str) -> str:
    reply = reply.rstrip(_BLANK)
    for _ in range(_MOST_STOPS):
        last = _last_sign(reply, len(reply))
        if last is None:
            break
        match = _SIGN.fullmatch(reply, last)
        is_closing_answer = match is not None and (sign := _sign(match)).closes and sign.is_answer
        is_pair = is_closing_answer and f"<{match['tag']}" in reply[:last] if match else False
        is_sign = _STOP.fullmatch(reply, last) or _TURN.fullmatch(reply, last)
        is_stop = is_sign is not None and not (reply[last:] == "</s>" and "<s>" in reply[:last])
        if not is_stop and (not is_closing_answer or is_pair):
            break
        reply = reply[:last].rstrip(_BLANK)
    return reply


def _certain(written: str, start: int) -> int:
    """The end of the part of a growing text that will not change: blanks and signs behind it may be removed."""
    end = _without_blanks(written, start, len(written))
    for _ in range(_MOST_STOPS):
        last = _last_sign(written, end, start)
        if last is None:
            return end
        end = _without_blanks(written, start, last)
    return end


def _without_blanks(written: str, start: int, end: int) -> int:
    while end > start and written[end - 1] in _BLANK:
        end -= 1
    return end


def _last_sign(text: str, end: int, start: int = 0) -> int | None:
    """The start of the whole or unfinished sign at the end of the text; None if there is no sign."""
    least = max(start, end - _LONGEST_SIGN)
    details = text.rfind("<details", max(start, end - 5 * _LONGEST_SIGN), end)
    if details >= 0 and _DETAILS_BEGUN.fullmatch(text, details, end):
        return details
    at = max(text.rfind(mark, least, end) for mark in "<[◁")
    is_sign = at >= 0 and (_SIGN_BEGUN.fullmatch(text, at, end) or _TURN_BEGUN.fullmatch(text, at, end))
    return at if is_sign else None
