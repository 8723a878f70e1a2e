# The part of transformers that clients.llm.neural uses; it is an optional extra, which the checks run without.
from collections.abc import Callable

from tokenizers import Tokenizer
from torch import Tensor

class SequenceClassifierOutput:
    logits: Tensor

class PreTrainedModel:
    forward: Callable[..., SequenceClassifierOutput]
    def eval(self) -> PreTrainedModel: ...
    def to(self, device: str) -> PreTrainedModel: ...
    def __call__(self, **inputs: Tensor) -> SequenceClassifierOutput: ...

class PreTrainedTokenizerFast:
    backend_tokenizer: Tokenizer
    model_input_names: list[str]

class AutoModelForSequenceClassification:
    @staticmethod
    def from_pretrained(folder: str, *, local_files_only: bool, trust_remote_code: bool) -> PreTrainedModel: ...

class AutoTokenizer:
    @staticmethod
    def from_pretrained(folder: str, *, local_files_only: bool, trust_remote_code: bool) -> PreTrainedTokenizerFast: ...
