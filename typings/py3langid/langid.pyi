from collections.abc import Sequence
from os import PathLike
from typing import Self

MODEL_FILE: str

class LanguageIdentifier:
    @classmethod
    def from_model_file(cls, model_file: str | PathLike[str], *, norm_probs: bool = False) -> Self: ...
    def rank(self, text: str) -> Sequence[tuple[str, float]]: ...
