# The part of onnxruntime that clients.llm.neural uses; the package ships no types.
from collections.abc import Mapping, Sequence

from numpy import int64
from numpy.typing import NDArray

class SessionOptions:
    log_severity_level: int

class NodeArg:
    @property
    def name(self) -> str: ...

class InferenceSession:
    def __init__(
        self, path_or_bytes: str, sess_options: SessionOptions | None = None, providers: Sequence[str] | None = None
    ) -> None: ...
    def get_inputs(self) -> list[NodeArg]: ...
    def get_outputs(self) -> list[NodeArg]: ...
    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, NDArray[int64]]) -> list[object]: ...
