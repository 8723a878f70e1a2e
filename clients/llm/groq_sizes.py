"""How many tokens a prompt will have: no tokenizer here, but the server tells with every answer how many it counted."""

from dataclasses import dataclass

# A little more than a token per four bytes of UTF-8, which holds for most languages better than one per characters.
_FIRST_GUESS = 0.27
_WEIGHT = 0.1
_DEVIATIONS = 2.0


@dataclass(slots=True)
class _Seen:
    """Tokens per byte of one prompt with one model: moving averages of the ratio and of how far off it was."""

    ratio: float
    deviation: float


class PromptSizes:
    """Learns tokens per byte for each model and prompt.

    It guesses on the high side by twice the mean deviation: the server refuses a call of which too little was thought,
    and what was thought too much comes back when the call ends.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], _Seen] = {}

    def tokens(self, model: str, prompt: str, size: int) -> int:
        """Return about how many tokens `size` bytes of this prompt are."""
        seen = self._seen.get((model, prompt))
        ratio = seen.ratio + _DEVIATIONS * seen.deviation if seen else _FIRST_GUESS
        return int(size * ratio) + 1

    def learn(self, model: str, prompt: str, size: int, tokens: int) -> None:
        """Take note that `size` bytes were `tokens` tokens."""
        if size <= 0 or tokens <= 0:
            return
        ratio = tokens / size
        seen = self._seen.setdefault((model, prompt), _Seen(ratio, 0.0))
        seen.deviation += _WEIGHT * (abs(ratio - seen.ratio) - seen.deviation)
        seen.ratio += _WEIGHT * (ratio - seen.ratio)
