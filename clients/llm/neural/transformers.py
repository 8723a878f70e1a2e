"""Classifiers in transformers format, run by torch, on a GPU if there is one."""

from inspect import signature

import numpy as np
import torch  # pyright: ignore[reportMissingModuleSource]
import torch.cuda  # pyright: ignore[reportMissingModuleSource]
from numpy.typing import NDArray
from transformers import AutoModelForSequenceClassification, AutoTokenizer  # pyright: ignore[reportMissingModuleSource]

from clients.llm.neural.classifier import Arrays, Network
from clients.llm.neural.encoding import PairEncoder
from clients.llm.neural.folder import ModelFolder


def load(folder: ModelFolder) -> Network:
    """Load the weights and the tokenizer of a folder without running its code. Raises the errors of transformers."""
    place, device = str(folder.path), "cuda" if torch.cuda.is_available() else "cpu"
    model = AutoModelForSequenceClassification.from_pretrained(place, local_files_only=True, trust_remote_code=False)
    tokenizer = AutoTokenizer.from_pretrained(place, local_files_only=True, trust_remote_code=False)
    model = model.eval().to(device)
    # Inputs that the tokenizer omitted in training (the segments, for some models) must not be passed.
    wanted = signature(model.forward).parameters.keys() & set(tokenizer.model_input_names)

    def forward(arrays: Arrays) -> NDArray[np.float32]:
        given = {name: torch.from_numpy(array).to(device) for name, array in arrays.items() if name in wanted}
        with torch.inference_mode():
            return model(**given).logits.float().cpu().numpy()

    return Network(PairEncoder(tokenizer.backend_tokenizer, folder), forward)
