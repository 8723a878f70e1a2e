"""Estimates the number of tokens of a prompt. There is no tokenizer, but every answer reports the server's count."""

from dataclasses import dataclass

# This is a little above one token per four bytes of UTF-8; in most languages bytes predict better than characters.
_FIRST_GUESS = 0.27
_WEIGHT = 0.1
_DEVIATIONS = 2.0

_LONG_BYTES, _WINDOW_TOKENS = 1_000, 64
"""A shorter prompt fits every window, and no window is smaller."""
_TELLING_BYTES = 500
"""In a shorter prompt, the tokens that the server's template adds count too much."""
_BYTES_PER_TOKEN = 6.0
"""The figure until a model has shown its own. Tokens of whole English or Korean prompts have 3 to 5.5 bytes."""
_DENSER = 1.3
"""The factor by which texts differ in bytes per token, within a model."""


@dataclass(slots=True)
class _Seen:
    """Tokens per byte of one prompt with one model: moving averages of the ratio and of its deviation."""

    ratio: float
    deviation: float


@dataclass(slots=True)
class _Counts:
    """The findings about a model's counts. `fewest` and `proven` are bytes per token: the fewest of any prompt, and the
    most of a prompt that a doubled one has proven to be whole. `window` is the number of tokens at which longer prompts
    are cut.

    Prompts that only seem whole do not raise the figure: a prompt that lost a little has a slightly too low count of
    tokens, and if it raised the figure, prompts that lost more would look whole.
    """

    fewest: float | None = None
    proven: float = 0.0
    window: int | None = None

    @property
    def bytes_per_token(self) -> float | None:
        return max(self.fewest or 0.0, self.proven) or None


class PromptCounts:
    """Tells counts of whole prompts from counts of cut ones.

    A low count alone proves no cut: some servers count only the tokens that they had not kept from earlier prompts, and
    some count none. If a server cuts prompts, a prompt of twice the length with a new beginning has the same count.
    """

    def __init__(self) -> None:
        self._counts: dict[str, _Counts] = {}

    def window(self, model: str, size: int, tokens: int) -> int | None:
        """The number of tokens at which this prompt was cut; None if no cut is known."""
        counts = self._counts.get(model, _Counts())
        is_cut = counts.window is not None and tokens <= counts.window and self._is_low(model, size, tokens)
        return counts.window if is_cut else None

    def is_doubtful(self, model: str, size: int, tokens: int) -> bool:
        return size >= _LONG_BYTES and tokens >= _WINDOW_TOKENS and self._is_low(model, size, tokens)

    def note_whole(
        self, model: str, size: int, tokens: int, *, is_proven: bool = False, has_schema: bool = False
    ) -> None:
        """Note the count of a prompt. A server may also count the schema of a prompt that `has_schema`."""
        if size < _TELLING_BYTES or tokens <= 0:
            return
        counts = self._counts.setdefault(model, _Counts())
        if not has_schema:
            counts.fewest = min(counts.fewest or size / tokens, size / tokens)
        counts.proven = max(counts.proven, is_proven * size / tokens)
        if counts.window is not None and tokens > counts.window:
            counts.window = None

    def note_doubled(self, model: str, size: int, tokens: int, doubled: tuple[int, int]) -> None:
        """Learn from the size and count of the doubled prompt what the doubtful count of the single prompt means."""
        twice_size, twice_tokens = doubled
        counts = self._counts.setdefault(model, _Counts())
        if twice_tokens < (1 + twice_size / size) / 2 * tokens and self._is_low(model, twice_size, twice_tokens):
            counts.window = max(tokens, twice_tokens)
        else:
            self.note_whole(model, size, tokens, is_proven=True)

    def _is_low(self, model: str, size: int, tokens: int) -> bool:
        usual = self._counts.get(model, _Counts()).bytes_per_token
        return size > tokens * (_BYTES_PER_TOKEN if usual is None else usual * _DENSER)


class PromptSizes:
    """Learns tokens per byte for each model and prompt.

    Estimates are high by twice the mean deviation: the server rejects an underestimated call, whereas an overestimate
    is returned when the call ends.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], _Seen] = {}

    def tokens(self, model: str, prompt: str, size: int) -> int:
        seen = self._seen.get((model, prompt))
        ratio = seen.ratio + _DEVIATIONS * seen.deviation if seen else _FIRST_GUESS
        return int(size * ratio) + 1

    def learn(self, model: str, prompt: str, size: int, tokens: int) -> None:
        if size <= 0 or tokens <= 0:
            return
        ratio = tokens / size
        seen = self._seen.setdefault((model, prompt), _Seen(ratio, 0.0))
        seen.deviation += _WEIGHT * (abs(ratio - seen.ratio) - seen.deviation)
        seen.ratio += _WEIGHT * (ratio - seen.ratio)
