"""Reads and checks the few needed fields of a chat completion, and makes the reply from them.

Every reader of a reply gets it from here: one text without the model's thoughts and the template's signs, however the
server wrapped it. A complete answer is read like a stream of one chunk. Fields that a server leaves out or adds matter
only if the reply cannot be used without them.
"""

import asyncio
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from citewell_verify.text.thoughts import LiveReply, begins_in_thought, is_thought, reply_text
from clients.llm.completions.anthropic_messages import as_completion
from clients.llm.completions.event_stream import DONE
from clients.llm.completions.request_body import GROQ, Dialect
from clients.llm.completions.server_words import Fault, fault_in, server_words
from clients.llm.completions.usage import Bounds, ReplyTooLong, read_usage
from clients.llm.protocol import (
    MORE_TIME,
    Allowance,
    ModelError,
    ModelRefused,
    ModelReply,
    ModelReplyInvalid,
    ModelRequest,
    ModelUnavailable,
    StreamPart,
    Usage,
)

_MESSAGE_CHARS = 300
_HALF = re.compile("[\ud800-\udfff]")
_DIGITS = 16
_OK = 200


# Each server has its own words for an end. A reply is complete unless one of these words says that it is not.
_TOO_LONG = re.compile(r"length|max|limit|window|trunc|incomplete|exceed")
_REFUSED = re.compile(r"filter|safety|refus|recit|block|prohib|moderat|guardrail|spii|sensitiv|policy|content_?viol")
_BROKEN = re.compile(r"error|fail|abort|cancel|malform|disconnect|timeout|unavail|insufficient")
_GROWN_CHARS = 8
_GROWN_PIECES = 2


@dataclass(slots=True)
class Exchange:
    """One request in progress, and the facts that are known when it ends or breaks.

    `deadline` is a time of the running event loop; `silence_s` is how long the server may send nothing; `sent` becomes
    True once the server may have begun to work.
    """

    model: str
    prompt: str
    streamed: bool
    deadline: float
    bounds: Bounds
    dialect: Dialect = GROQ
    silence_s: float = math.inf
    whole_s: float = math.inf
    sent: bool = False
    request_id: str | None = None
    allowance: Allowance | None = None
    expects_json: bool = False
    secrets: Sequence[str] = ()
    """Secrets that a server may repeat, and that are never shown."""
    waits: bool = False
    """True if the model's thoughts are known to begin without a sign."""
    _written: str = ""
    _arguments: str = ""
    _refusal: str = ""
    _half: str = ""
    _last: str = ""
    _grows: bool = True
    _pieces: int = 0
    _thought_chars: int = 0
    _thoughts: str = ""
    """The model's thoughts beside the reply, kept only where a JSON object is expected."""
    _reported: object = None
    _finish_reason: str | None = None
    _has_ended: bool = False
    _has_choices: bool = False
    _number: object = None
    """The index of the choice that is read, once a choice has one."""
    _said: str = ""
    """The server's words if it sent no choices."""
    _live: LiveReply | None = None

    @classmethod
    def of(cls, request: ModelRequest, size: int, dialect: Dialect, *, streamed: bool) -> "Exchange":
        prompt = request.text.rendered
        whole_s = request.limit_s
        deadline = asyncio.get_running_loop().time() + whole_s
        bounds = Bounds(size, request.max_tokens)
        whole = prompt.system + prompt.user
        exchange = cls(request.model, whole, streamed, deadline, bounds, dialect, request.timeout_s, whole_s)
        exchange.expects_json = request.reply is not None
        return exchange

    @property
    def begins_in_thought(self) -> bool:
        """True if the reply begins in a thought, without a sign by which the stream could have shown it."""
        return begins_in_thought(self._written)

    @property
    def was_cut_in_thought(self) -> bool:
        """True if the reply reached its limit of tokens and showed thoughts on which most of them were spent."""
        usage = self.reported
        if usage is None or usage.estimated or not _TOO_LONG.search((self._finish_reason or "").lower()):
            return False
        thinks = self._thought_chars > 0 or usage.reasoning_tokens > 0 or self.begins_in_thought
        is_full = usage.completion_tokens >= self.bounds.max_tokens
        return thinks and is_full and _estimated_tokens(self._proper or "") < self.bounds.max_tokens / 2

    @property
    def is_finished(self) -> bool:
        """True if a finish reason was given; only the usage may follow."""
        return self._finish_reason is not None

    def take(self, value: object) -> StreamPart | None:
        """Add one value of the answer, and return the text that it adds to the reply proper. Raises ModelError if the
        server says that it gave up.
        """
        if value == DONE:
            self._has_ended = True
            return None
        if isinstance(value, list):
            value = next(iter(cast("list[object]", value)), None)
        chunk = as_completion(_fields(value))
        self.model = _word(chunk.get("model")) or self.model
        groq = _fields(chunk.get("x_groq"))
        self.request_id = _word(groq.get("id")) or self.request_id
        reported = chunk.get("usage") if groq.get("usage") is None else groq.get("usage")
        # Anthropic's streams count the prompt when they begin, and the reply when they end.
        if reported is not None:
            self._reported = {**_fields(self._reported), **_fields(reported)} or reported
        choice = self._choice(chunk)
        self._has_choices = self._has_choices or choice is not None
        part = self._take_choice(choice) if choice is not None and self._is_ours(choice) else None
        if not self._has_choices:
            self._said = server_words(dict(chunk)).text or self._said
        if fault := fault_in(chunk, choice, groq):
            raise self._stopped(fault, is_within_reply=self._has_choices or "choices" in chunk)
        return part

    def _choice(self, chunk: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the choice of `chunk` to read. One is asked for; some gateways send several, at once or in turns."""
        choices = chunk.get("choices")
        if isinstance(choices, list) and choices:
            given = [_fields(choice) for choice in cast("list[object]", choices)]
            number = 0 if self._number is None else self._number
            return next((choice for choice in given if choice.get("index") == number), given[0])
        return chunk if isinstance(chunk.get("message"), dict) else None

    def _is_ours(self, choice: Mapping[str, Any]) -> bool:
        """Return whether a choice belongs to the reply that is read, whose number the first choice with one gives."""
        number = choice.get("index")
        self._number = number if self._number is None else self._number
        return number is None or number == self._number

    def _take_choice(self, choice: Mapping[str, Any]) -> StreamPart | None:
        delta = choice.get("delta")
        message = _fields(delta or choice.get("message"))
        if "message" in choice and not delta:
            # This is a whole message, not a piece of one; a stream ends here only if the value says so.
            self._has_ended = self._has_ended or not self.streamed or choice.get("finish_reason") is not None
        self._finish_reason = _word(choice.get("finish_reason") or choice.get("done_reason")) or self._finish_reason
        self._refusal += _word(message.get("refusal"))
        for name in ("reasoning_content", "reasoning", "thinking"):
            if isinstance(thought := message.get(name), str):
                self._thought_chars += len(thought)
                if self.expects_json and self._thought_chars <= self.bounds.reply_chars:
                    self._thoughts += thought
                break
        if "tool_calls" in message or "function_call" in message:
            self._arguments += _arguments(message)
        # No model writes a NUL on purpose, and Postgres cannot store one.
        content = message.get("content")
        piece = self._without_halves(text_of(content).replace("\0", "")) if content else ""
        if piece:
            self._add(piece, is_whole=not delta)
        if len(self._written) + len(self._arguments) > self.bounds.reply_chars:
            raise ReplyTooLong
        return self._grown() if piece and self.streamed else None

    def _add(self, piece: str, *, is_whole: bool) -> None:
        # Some servers send the whole text so far each time.
        self._grows = self._grows and len(piece) > len(self._last) and piece.startswith(self._last)
        # Pieces of a reply may repeat each other by chance, but not pieces of this length, and not several in a row.
        repeats = self._grows and self._pieces > _GROWN_PIECES and len(self._last) >= _GROWN_CHARS
        if (is_whole and piece.startswith(self._written)) or repeats:
            self._written = piece
        else:
            self._written += piece
        self._last = piece if self._grows else ""
        self._pieces += 1

    def _grown(self) -> StreamPart | None:
        self._live = self._live or LiveReply(waits=self.waits)
        before = self._live.shown
        return self._part(before, self._live.see(self._written))

    def _part(self, before: str, text: str | None) -> StreamPart | None:
        if text is None:
            return None
        if text.startswith(before):
            return StreamPart(text=text[len(before) :])
        return StreamPart(text=text, restarts=True)

    def rest(self, reply: ModelReply) -> StreamPart | None:
        """The end of the complete reply that was held back from the stream; None if nothing was."""
        before = self._live.shown if self._live else ""
        return self._part(before, reply.text) if reply.text != before else None

    def _without_halves(self, text: str) -> str:
        # A character outside the basic plane may be split between two chunks.
        text, self._half = self._half + text, ""
        if not _HALF.search(text):
            return text
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def reply(self) -> ModelReply:
        """Return the reply if it is complete and has some text.

        Raises ModelRefused where the server or the model refused, ModelUnavailable for a truncated stream, and
        ModelReplyInvalid for any other incomplete reply.
        """
        reason = (self._finish_reason or "").lower()
        text = self._proper
        if self._refusal and not text:
            raise self.failed(ModelRefused, f"the model refused: {self._refusal}")
        if _REFUSED.search(reason):
            raise self.failed(ModelRefused, f"the server's filter stopped the reply ({self._finish_reason})")
        if _BROKEN.search(reason):
            raise self.failed(ModelUnavailable, f"the server stopped the reply ({self._finish_reason})")
        if _TOO_LONG.search(reason):
            raise self.failed(ModelReplyInvalid, self._too_long())
        if self._said and not self._has_choices:
            raise self._stopped(Fault(self._said), is_within_reply=False)
        if not reason and self.streamed and not self._has_ended:
            raise self.failed(ModelUnavailable, "the stream was cut before the reply was complete")
        if not self._has_choices:
            raise self.failed(ModelReplyInvalid, "the server's answer has no choices")
        if not text:
            raise self.failed(ModelReplyInvalid, self._empty(text))
        usage = self.reported or self.estimated()
        return ModelReply(text, self.model, usage, self._finish_reason or "stop", self.request_id, self.allowance)

    @property
    def _proper(self) -> str | None:
        # Some servers that are asked for a schema let the model call a tool of that form.
        written = self._written.strip() or (self._arguments if self.expects_json else "")
        # Others hold the thoughts to the schema, and hand over the object as one.
        return reply_text(written or (self._thoughts if _is_object(self._thoughts) else ""))

    def _too_long(self) -> str:
        most, usage = self.bounds.max_tokens, self.reported
        if usage is None or usage.estimated or usage.completion_tokens >= most:
            return f"the reply is not complete: it reached the limit of {most} tokens, thoughts included"
        used = usage.completion_tokens
        return f"the reply is not complete: the server ended it after {used} of {most} tokens; check its own limits"

    def _empty(self, text: str | None) -> str:
        if text is None:
            return "the reply is a thought without an end; check reasoning_effort of the model in models.catalogue"
        if self._thought_chars:
            return "the reply is empty: all came as reasoning_content; check reasoning_effort and the server's parser"
        if self._written.strip():
            return "the reply is empty after its thoughts; check reasoning_effort of the model in models.catalogue"
        if self._arguments:
            return "the reply is empty: the model called a tool instead"
        ended = self._finish_reason or ""
        return f"the reply is empty ({ended})" if ended and ended != "stop" else "the reply is empty"

    def _stopped(self, fault: Fault, *, is_within_reply: bool) -> ModelError:
        if fault.is_permanent:
            kind: type[ModelError] = ModelRefused
        elif fault.is_temporary or is_within_reply:
            kind = ModelUnavailable
        else:
            # Nothing says whether the fault will last, so it is worth a few tries, but not all of the time.
            kind = ModelReplyInvalid
        error = self.failed(kind, f"the server stopped the reply: {fault.message}")
        if not fault.is_temporary:  # A fault that is said to pass is waited for like any outage.
            error.status = _OK
        return error

    def refused_reply(self, text: str, error: ModelError) -> ModelReply:
        """The model's words in an error, as a reply. Raises ModelReplyInvalid when there are none."""
        try:
            self.take({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})
        except ReplyTooLong:
            raise error from None
        words = self._proper
        if not words:
            raise error
        usage = error.usage or self.estimated()
        return ModelReply(words, self.model, usage, "stop", error.request_id, error.allowance)

    def failed(self, kind: type[ModelError], message: str) -> ModelError:
        text = self._proper or None
        return kind(
            self.masked(shown(message)),
            usage=self.spent(),
            request_id=self.request_id,
            text=text,
            allowance=self.allowance,
        )

    def masked(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text

    @property
    def why_late(self) -> str:
        if asyncio.get_running_loop().time() < self.deadline or self.silence_s == self.whole_s:
            return f"nothing came for {self.silence_s:g} s (models.call_timeout_s)"
        return f"no complete reply in the {self.whole_s:.0f} s that were left; {MORE_TIME}"

    @property
    def reported(self) -> Usage | None:
        return read_usage(self._reported, self.bounds, self.estimated)

    def spent(self) -> Usage | None:
        reported = self.reported
        return self.estimated() if reported is None and self.sent else reported

    def estimated(self) -> Usage:
        # The estimate is one token per four bytes of UTF-8, received or sent.
        own = _estimated_tokens(self._written or self._arguments) - -self._thought_chars // 4
        return Usage(_estimated_tokens(self.prompt), own, estimated=True)


def text_of(content: object) -> str:
    """The text of a message's content, which is a string or a list of parts; parts that are thoughts are left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(map(text_of, cast("list[object]", content)))
    part = _fields(content)
    kind = part.get("type")
    if part.get("thought") is True or (isinstance(kind, str) and is_thought(kind)):
        return ""
    return next((text_of(part[name]) for name in ("text", "content", "value") if part.get(name)), "")


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _fields(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _arguments(message: Mapping[str, Any]) -> str:
    calls = message.get("tool_calls")
    first: object = next(iter(cast("list[object]", calls)), None) if isinstance(calls, list) else None
    call = _fields(_fields(first).get("function") or message.get("function_call"))
    arguments = call.get("arguments")
    return json.dumps(arguments) if isinstance(arguments, dict) else text_of(arguments)


def read_allowance(headers: Mapping[str, str]) -> Allowance | None:
    reported = Allowance(
        limit_tokens=_count(headers.get("x-ratelimit-limit-tokens")),
        remaining_tokens=_count(headers.get("x-ratelimit-remaining-tokens")),
        limit_requests=_count(headers.get("x-ratelimit-limit-requests")),
        remaining_requests=_count(headers.get("x-ratelimit-remaining-requests")),
    )
    return None if reported == Allowance() else reported


def _count(header: str | None) -> int | None:
    # Only a short run of digits is a plausible number.
    return int(header) if header and header.isascii() and header.isdigit() and len(header) < _DIGITS else None


def shown(message: str) -> str:
    return "".join(filter(str.isprintable, " ".join(message.split())))[:_MESSAGE_CHARS]


def _estimated_tokens(text: str) -> int:
    return -(-len(text.encode()) // 4)
