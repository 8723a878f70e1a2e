"""Classifiers in ONNX format, run by onnxruntime on the CPU, without torch."""

from typing import cast

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Tokenizer

from clients.llm.neural.classifier import Arrays, Network
from clients.llm.neural.encoding import PairEncoder
from clients.llm.neural.folder import ModelFolder
from clients.llm.protocol import ModelRefused

_FATAL_ONLY = 4  # errors are raised; onnxruntime's lines on stderr would only repeat them


def load(folder: ModelFolder) -> Network:
    """Load a folder's graph and tokenizer. Raises ModelRefused, and the errors of onnxruntime and tokenizers."""
    options = SessionOptions()
    options.log_severity_level = _FATAL_ONLY
    session = InferenceSession(str(folder.weights[0]), options, providers=["CPUExecutionProvider"])
    inputs = [input_.name for input_ in session.get_inputs()]
    outputs = [output.name for output in session.get_outputs()]
    if unknown := set(inputs) - {"input_ids", "attention_mask", "token_type_ids"}:
        raise ModelRefused(f"{folder.name} is no classifier of pairs: it wants {', '.join(sorted(unknown))}")
    wanted = "logits" if "logits" in outputs else outputs[0]

    def forward(arrays: Arrays) -> NDArray[np.float32]:
        (logits,) = session.run([wanted], {name: arrays[name] for name in inputs})
        return np.asarray(cast("NDArray[np.float32]", logits), np.float32)

    return Network(PairEncoder(Tokenizer.from_file(str(folder.path / "tokenizer.json")), folder), forward)
