"""Prepares the draft of an answer: takes off the frame around its text (a code fence, a tag, `\\boxed{…}` or a JSON
object), and collects batches of sentences that can be checked before the answer ends (N1).

Only signs are removed, never words: a sentence beside the frame stays a sentence of the answer. A JSON object is the
exception, because its keys are no text: it is replaced by those of its texts that cite.
"""

import json
import re
from collections.abc import Iterator
from hashlib import sha256

from pydantic import JsonValue

from citewell_verify.answers.statements import GrowingAnswer, Statement, check_key, numbers_to_check, same_words
from citewell_verify.markers.citable import Citable
from citewell_verify.markers.parser import cited_markers
from domain.query.outcomes import Closed, ClosedSentence

_FENCE = re.compile(
    r"^[ \t]*(?P<sign>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]*)[ \t]*\n(?P<text>.*?)\n?[ \t]*(?P=sign)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_OF_TEXT = frozenset({"markdown", "md", "text", "txt", "plaintext", "plain", "json", "html", "xml", "latex", "tex"})
_TAG = re.compile(
    r"\A(?P<before>(?:[^<>]*\n)?)[ \t]*<(?P<name>[^\W\d][\w-]{0,30})(?:\s[^<>]*)?>(?P<text>.*)</(?P=name)\s*>[ \t]*"
    r"(?P<after>(?:\n[^<>]*)?)\Z",
    re.DOTALL,
)
_BLOCK = re.compile(r"</?(?:p|div|section|article|span)(?:\s[^<>]*)?>[ \t]*", re.IGNORECASE)
_BOXED = re.compile(
    r"\A(?P<before>[^\\{}$]*?)\${0,2}\\boxed\{(?:\\text\{)?(?P<text>[^{}\\]*)\}{1,2}\${0,2}(?P<after>[^\\{}$]*)\Z"
)
_DEEPEST = 8  # frames within frames
_LONGEST = 100_000


def without_frames(answer: str) -> str:
    """Return `answer` without frames around its text; unchanged if it has none, or if no word would be left."""
    text = answer
    for _ in range(_DEEPEST):
        if len(text) > _LONGEST or (opened := _opened(text)) == text:
            break
        text = opened
    return text if any(map(str.isalnum, text)) else answer


def _opened(text: str) -> str:
    stripped = text.strip()
    if stripped.startswith(("{", "[")) and (said := _texts_in_json(stripped)):
        return said
    # Code stays code: only a language of prose, or a citation, shows that a fence holds prose.
    if (
        (fence := _FENCE.search(text))
        and len(_FENCE.findall(text)) == 1
        and (fence["language"].lower() in _OF_TEXT or (not fence["language"] and _cites(fence["text"])))
    ):
        return _joined(text[: fence.start()], fence["text"], text[fence.end() :])
    if stripped.startswith("<") and stripped.endswith(">") and _BLOCK.match(stripped):
        return _BLOCK.sub("\n", stripped).strip()
    if (tag := _TAG.match(stripped)) and ("<" not in tag["text"] or _cites(tag["text"])):
        return _joined(tag["before"], tag["text"], tag["after"])
    # A formula in a box keeps its box.
    if (boxed := _BOXED.match(stripped)) and (_cites(boxed["text"]) or _has_words(boxed["text"])):
        return _joined(boxed["before"], boxed["text"], boxed["after"])
    return text


def _has_words(text: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", text)) > 1


def _cites(text: str) -> bool:
    return any(True for _ in cited_markers(text))


def _joined(*parts: str) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _texts_in_json(text: str) -> str:
    try:
        texts = list(_leaves(json.loads(text, strict=False)))
    except (ValueError, RecursionError):
        return ""
    # If some text cites, the other sentences belong to the answer, too; names and states do not.
    cites = any(_cites(text) and _has_words(text) for text in texts)
    said = [text for text in texts if (_cites(text) and _has_words(text)) or re.search(r"[^\W\d_][.!。！]\s*\Z", text)]
    return _joined(*said) if cites else texts[0].strip() if len(texts) == 1 else ""


def _leaves(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _leaves(list(value.values()))
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)


class ClosingSentences:
    """Collects the checks of an answer from `sources` (or that many of them), at most `most` sentences per batch."""

    def __init__(self, sources: Citable | int, most: int) -> None:
        self._answer = GrowingAnswer(sources)
        self._sources = sources if isinstance(sources, int) else sources.count
        self._most = most
        self._width = 1
        self._waiting: list[ClosedSentence] = []
        self._seen: set[tuple[str, int | None]] = set()

    def read(self, text: str) -> None:
        for statement in self._answer.closed_by(text):
            self._add(statement)

    def _add(self, statement: Statement) -> None:
        wanted = numbers_to_check(statement, self._sources)
        pairs = {(same_words(statement.text), number): number for number in wanted}
        new = [number for pair, number in pairs.items() if pair not in self._seen]
        self._seen |= pairs.keys()
        if new:
            self._waiting.append(
                ClosedSentence(
                    index=statement.index,
                    start=statement.start,
                    end=statement.end,
                    text=statement.text,
                    claim=statement.claim,
                    numbers=[number or 0 for number in new],
                    whole=len(new) == len(wanted),
                )
            )

    def take_batch(self) -> Closed | None:
        """The next batch of sentences, None while too few wait. The first batch has at least one sentence, the next one
        at least 2, then 4 …, for an early first verdict and few messages.
        """
        if len(self._waiting) < self._width:
            return None
        batch = Closed(sentences=self._waiting)
        self._waiting, self._width = [], min(self._width * 2, self._most)
        return batch


def batch_item(closed: Closed) -> str:
    """The item name of a batch. It is made from the content, so that a rewritten answer gets new names."""
    return sha256(json.dumps(closed).encode()).hexdigest()[:32]


def batch_keys(closed: Closed) -> list[str]:
    return [
        check_key(sentence["text"], number or None)
        for sentence in closed["sentences"]
        for number in sentence["numbers"]
    ]
