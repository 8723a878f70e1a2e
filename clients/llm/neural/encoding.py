"""Encodes pairs as the tokens of one model."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from tokenizers import Encoding, Tokenizer

from clients.llm.neural.folder import ModelFolder
from clients.llm.neural.purpose import PairFormat

_FIELD = re.compile(r"\{source\}|\{statement\}")


@dataclass(frozen=True, slots=True)
class Encoded:
    """The token ids of one pair, and the segment of each token."""

    ids: list[int]
    types: list[int]


class PairEncoder:
    """Encodes pairs in the folder's format. Thread-safe: nothing changes after creation."""

    def __init__(self, tokenizer: Tokenizer, folder: ModelFolder) -> None:
        self._form = folder.form
        self._segments = folder.segments
        self._signs = [token.content for token in tokenizer.get_added_tokens_decoder().values() if token.special]
        # A saved tokenizer may truncate and pad by itself, so it is copied without these settings.
        self._whole = _copy(tokenizer, folder.form)
        self._cut = _copy(tokenizer, folder.form)
        if (side := folder.form.truncation) != "never":
            only = "only_first" if folder.form.order == "source_first" else "only_second"
            strategy, direction = ("longest_first", "right") if side == "longest" else (only, side)
            cut = cast("Callable[..., None]", self._cut.enable_truncation)  # pyright: ignore[reportUnknownMemberType]
            cut(folder.max_tokens, strategy=strategy, direction=direction)

    def size(self, source: str, statement: str) -> int:
        return len(self._encoding(self._whole, source, statement).ids)

    def encode(self, source: str, statement: str) -> Encoded:
        encoding = self._encoding(self._cut, source, statement)
        return Encoded(encoding.ids, encoding.type_ids if self._segments else [0] * len(encoding.ids))

    def _encoding(self, tokenizer: Tokenizer, source: str, statement: str) -> Encoding:
        if self._form.template:
            parts = {"{source}": self._disarmed(source), "{statement}": self._disarmed(statement)}
            # The template is filled in one pass: a source that contains "{statement}" stays as it is.
            return tokenizer.encode(_FIELD.sub(lambda field: parts[field[0]], self._form.template))
        if self._form.order == "statement_first":
            return tokenizer.encode(statement, source)
        return tokenizer.encode(source, statement)

    def _disarmed(self, text: str) -> str:
        # In a template, the control tokens of a text would take effect.
        for sign in self._signs:
            text = text.replace(sign, f"{sign[:1]} {sign[1:]}")
        return text


def _copy(tokenizer: Tokenizer, form: PairFormat) -> Tokenizer:
    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.no_truncation()
    copy.no_padding()
    # A "[SEP]" in a document must not start the statement; only a template's own control tokens take effect.
    copy.encode_special_tokens = form.template is None
    return copy
