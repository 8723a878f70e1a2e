"""Describes a model from the files of its folder, before its weights are loaded."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from clients.llm.neural.purpose import PairFormat, Purpose
from clients.llm.protocol import ModelRefused
from config.settings import ConfigurationInvalid

# Converts a classifier's output to the probability that the source supports the statement.

# Matches whole names, so that `not_entailment`, `inconsistent` and `irrelevant` do not count.
_SUPPORTED = re.compile(r"(?:entail|support|consistent|faithful|relevan)\w*|1", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Head:
    """The `labels` in the order of the logits, and the index of the one that means "supported"."""

    labels: tuple[str, ...]
    supported: int

    def probabilities(self, logits: NDArray[np.float32]) -> list[float]:
        """P(supported) for each row of `logits`, shape (pairs, labels) or, with one label, also (pairs,).

        One logit is a logistic unit, several are a softmax. Raises ModelRefused for another shape, NaN and infinity.
        """
        rows = logits.reshape(-1, 1) if logits.ndim == 1 else logits
        if rows.ndim != 2 or rows.shape[1] != len(self.labels):
            raise ModelRefused(
                f"the model gave an output of shape {logits.shape}; its labels: {', '.join(self.labels)}"
            )
        if not np.isfinite(rows).all():
            raise ModelRefused("the model gave numbers that are none (NaN or infinity)")
        wide = rows.astype(np.float64)
        if wide.shape[1] == 1:
            # The logistic function as a softmax against 0, which cannot overflow.
            wide = np.concatenate([wide, np.zeros_like(wide)], axis=1)
            return _softmax(wide)[:, 0].tolist()
        return _softmax(wide)[:, self.supported].tolist()


def make_head(labels: Sequence[str], wanted: str | None, purpose: Purpose) -> Head:
    """The head with the label named or numbered `wanted`, else the one whose name means "supported".

    Raises ConfigurationInvalid unless exactly one label fits.
    """
    if len(labels) == 1:
        return Head(tuple(labels), 0)
    if wanted is not None:
        fitting = [index for index, label in enumerate(labels) if wanted.casefold() in (label.casefold(), str(index))]
    else:
        fitting = [index for index, label in enumerate(labels) if _SUPPORTED.fullmatch(label)]
    if len(fitting) != 1:
        names = ", ".join(map(repr, labels))
        problem = f"{wanted!r} is none of the model's labels" if wanted else "it cannot be told which label supports"
        raise ConfigurationInvalid(f"{purpose.model}: {problem}; set {purpose.label} to one of {names}")
    return Head(tuple(labels), fitting[0])


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


FORMAT_FILE = "citewell.json"
_T = TypeVar("_T", bound=BaseModel)
_USUAL_TOKENS = 512
_UNLIMITED = 1_000_000  # tokenizers without a limit state a limit of 1e30


class _ModelConfig(BaseModel):
    """The fields read from config.json; some files have numeric labels."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    id2label: dict[int, str] = {}
    label2id: dict[str, int] = {}
    num_labels: int = 2
    max_position_embeddings: int | None = None
    model_type: str = ""
    pad_token_id: int | None = None


class _TokenizerConfig(BaseModel):
    """The fields read from tokenizer_config.json."""

    model_max_length: float | None = None
    model_input_names: list[str] | None = None


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder with a classifier; `weights` are the files that determine its version, the model's own file first.

    `segments` tells whether the model receives the segment of each token.
    """

    name: str
    path: Path
    weights: tuple[Path, ...]
    head: Head
    form: PairFormat
    max_tokens: int
    pad_id: int
    segments: bool

    @property
    def is_onnx(self) -> bool:
        return self.weights[0].suffix == ".onnx"


def read_folder(name: str, path: Path, label: str | None, purpose: Purpose) -> ModelFolder:
    """Describe the model in a folder; `label` names the label that means "supported".

    Raises ConfigurationInvalid, with advice, when something is missing or cannot be read.
    """
    form = _format(path, purpose)
    weights = find_weights(path, form.weights)
    if not weights:
        raise ConfigurationInvalid(
            f"{purpose.model}: {path} has no {form.weights or 'model.onnx, onnx/model.onnx or *.safetensors'}; "
            f"put the model there, e.g. with `optimum-cli export onnx` (see {purpose.page})"
        )
    config = _read(_ModelConfig, path / "config.json", purpose)
    named = config.id2label or {index: label for label, index in config.label2id.items()}
    labels = tuple(named.get(index, f"LABEL_{index}") for index in range(len(named) or config.num_labels))
    head = make_head(labels, label or form.label, purpose)
    tokenizer = _read(_TokenizerConfig, path / "tokenizer_config.json", purpose, optional=True)
    limit = form.max_tokens or _limit(config, tokenizer)
    segments = tokenizer.model_input_names is None or "token_type_ids" in tokenizer.model_input_names
    return ModelFolder(name, path, weights, head, form, limit, config.pad_token_id or 0, segments)


def find_weights(path: Path, named: str | None = None) -> tuple[Path, ...]:
    for candidate in [named] if named else ["model.onnx", "onnx/model.onnx"]:
        if (path / candidate).is_file():
            # Weights of more than 2 GB are stored in files beside the graph.
            return (path / candidate, *sorted((path / candidate).parent.glob(f"{Path(candidate).name}[._]*data*")))
    return () if named else tuple(sorted(path.glob("*.safetensors")))


def _format(path: Path, purpose: Purpose) -> PairFormat:
    said = _read(PairFormat, path / FORMAT_FILE, purpose, optional=True)
    if said.template:
        if said.truncation != "never":
            raise ConfigurationInvalid(f"{purpose.model}: {path / FORMAT_FILE}: a template cannot be truncated")
        return said
    return purpose.form.model_copy(update=said.model_dump(exclude_unset=True))


def _read(kind: type[_T], file: Path, purpose: Purpose, *, optional: bool = False) -> _T:
    if optional and not file.exists():
        return kind()
    try:
        return kind.model_validate_json(file.read_bytes())
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors(include_input=False)]
        raise ConfigurationInvalid(f"{purpose.model}: {file}: {'; '.join(faults)}") from None
    except OSError as error:
        raise ConfigurationInvalid(f"{purpose.model}: {file} cannot be read: {error.strerror}") from None


def _limit(config: _ModelConfig, tokenizer: _TokenizerConfig) -> int:
    """The smaller of the limits that the two files state; 512 if neither states one."""
    positions = config.max_position_embeddings
    if positions and "roberta" in config.model_type:
        # RoBERTa counts positions from the one after the padding index.
        positions -= (config.pad_token_id or 0) + 1
    stated = (tokenizer.model_max_length, positions)
    return int(min((number for number in stated if number and 0 < number < _UNLIMITED), default=_USUAL_TOKENS))
