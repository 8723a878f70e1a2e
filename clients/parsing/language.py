"""The language of a text, where it is certain, and what else a read document says of itself."""

import threading
from collections import Counter
from dataclasses import replace

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from domain.documents.documents import ParsedDocument
from domain.documents.metadata import completed

_SAMPLE_CHARS = 5_000
_MIN_LETTER_BYTES = 200
_MIN_PROBABILITY = 0.95
_MIN_SCRIPT_SHARE = 0.5
_IDLE_S = 10.0
"""The model is released this long after its last use."""
# Detected codes mapped to a written standard that has a two-letter code.
_STANDARDS = {"wuu": "zh", "yue": "zh", "arz": "ar", "ary": "ar", "nb": "no", "nn": "no"}


def language_of(text: str, declared: str | None = None) -> str | None:
    """The language of a text in ISO 639-1: by its script, else as `declared`, else detected.

    None if uncertain: fewer than about 200 letters, code, tables, several languages.
    """
    letters = "".join(filter(str.isalpha, text[:_SAMPLE_CHARS]))
    if len(letters.encode()) < _MIN_LETTER_BYTES:
        return declared
    return _of_script(letters) or declared or _likely(text[:_SAMPLE_CHARS])


def _of_script(letters: str) -> str | None:
    # They have scripts of their own, which overrule a template that declares English.
    hangul = sum("가" <= letter <= "힣" for letter in letters)
    kana = sum("぀" <= letter <= "ヿ" for letter in letters)
    han = sum("一" <= letter <= "鿿" for letter in letters)
    if hangul > _MIN_SCRIPT_SHARE * len(letters):
        return "ko"
    # Japanese mixes Chinese characters with kana; Chinese has no kana.
    return "ja" if kana * 5 > len(letters) and kana + han > _MIN_SCRIPT_SHARE * len(letters) else None


def _likely(sample: str) -> str | None:
    probabilities: Counter[str] = Counter()
    for code, probability in _model_in_use.model().rank(sample):
        probabilities[_STANDARDS.get(code, code)] += probability  # pyright: ignore[reportArgumentType]
    code, probability = probabilities.most_common(1)[0]
    return code if probability >= _MIN_PROBABILITY and len(code) == 2 else None


class ReleasableModel:
    """The language model, loaded on first use and released when unused: it takes 75 MB, and half a second to load."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: LanguageIdentifier | None = None
        self.ending: threading.Timer | None = None
        """The timer that releases the model."""

    @property
    def is_loaded(self) -> bool:
        return self._model is not None

    def model(self) -> LanguageIdentifier:
        """Return the model, and restart the timer. Callers must not keep it, or its memory is not released."""
        with self._lock:
            if self._model is None:
                self._model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
            if self.ending is not None:
                self.ending.cancel()
            self.ending = threading.Timer(_IDLE_S, self._release)
            self.ending.daemon = True
            self.ending.start()
            return self._model

    def _release(self) -> None:
        with self._lock:
            # A timer that fired just before it was cancelled must not release the model that its successor guards.
            if threading.current_thread() is self.ending:
                self._model = self.ending = None


_model_in_use = ReleasableModel()


def with_findings(document: ParsedDocument, filename: str) -> ParsedDocument:
    found = completed(document, filename)
    if language := language_of(document.text, found.get("language")):
        found["language"] = language
    return replace(document, found=found)
