"""Opens the configured classifier with the cheap checks; its weights are loaded on first use."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from clients.llm.neural.classifier import FolderClassifier, Load, PairClassifier
from clients.llm.neural.folder import ModelFolder, find_weights, read_folder
from clients.llm.neural.purpose import JUDGING, Purpose
from config.settings import ConfigurationInvalid

# Locates a model's files: a folder, or the hub's cache on this machine.

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_SMALL = ("*.json", "*.txt", "*.model")
# These are in order of preference: the second is used only if the first yields no weights.
_WEIGHTS = (("model.onnx*", "onnx/model.onnx*"), ("*.safetensors",))


def find_folder(model: str, purpose: Purpose, *, download: bool) -> Path:
    """The folder `model`, or that of the hub's model with this id; the network is used only with `download`.

    Raises ConfigurationInvalid, naming the folder to fill or the setting that allows a download.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder
    if not _HUB_ID.fullmatch(model):
        raise ConfigurationInvalid(f"{purpose.model}: there is no folder {folder}; put the model's files there")
    if find_spec("huggingface_hub") is None:
        raise ConfigurationInvalid(
            f"{purpose.model}: there is no folder {model}, and looking for a model of that id on the hub needs "
            'pip install "citewell[neural]"'
        )
    return _from_hub(model, purpose, download=download)


def _from_hub(model: str, purpose: Purpose, *, download: bool) -> Path:
    import huggingface_hub  # noqa: PLC0415 - an optional extra

    get = cast("Callable[..., str]", huggingface_hub.snapshot_download)  # pyright: ignore[reportUnknownMemberType]
    folder = Path()
    try:
        for weights in _WEIGHTS:
            folder = Path(get(model, allow_patterns=[*_SMALL, *weights], local_files_only=not download))
            if find_weights(folder):
                break
    # These include the hub's own errors.
    except (OSError, ValueError, RuntimeError) as error:
        if download:
            reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
            raise ConfigurationInvalid(f"{purpose.model}: {model} could not be downloaded: {reason}") from None
        raise ConfigurationInvalid(
            f"{purpose.model}: there is no folder {model}, and the hub's cache has no such model; fill the folder, or "
            f"set {purpose.download} to true to have it downloaded once"
        ) from None
    return folder


# For each format: the module of the backend, the packages it needs, and the extra that installs them.
_ONNX = ("clients.llm.neural.onnx", ("onnxruntime", "tokenizers"), "neural")
_TRANSFORMERS = ("clients.llm.neural.transformers", ("transformers", "torch"), "neural-transformers")


@cache
def open_classifier(
    model: str, label: str | None = None, *, download: bool = False, purpose: Purpose = JUDGING
) -> PairClassifier:
    """This process's classifier from the folder or hub id `model`; `label` names the label for "supported".

    Raises ConfigurationInvalid, with advice, for a missing folder, file or extra, or an undetermined label.
    """
    path = find_folder(model, purpose, download=download)
    name = path.resolve().name if Path(model).expanduser() == path else model
    folder = read_folder(name, path, label, purpose)
    return FolderClassifier(folder, _backend(folder, purpose))


def _backend(folder: ModelFolder, purpose: Purpose) -> Load:
    module, needed, extra = _ONNX if folder.is_onnx else _TRANSFORMERS
    if missing := [package for package in needed if find_spec(package) is None]:
        raise ConfigurationInvalid(
            f'{purpose.model}: {folder.name} needs {" and ".join(missing)}: pip install "citewell[{extra}]"'
        )
    if folder.is_onnx and not (folder.path / "tokenizer.json").is_file():
        raise ConfigurationInvalid(
            f"{purpose.model}: {folder.path} has no tokenizer.json; save the fast tokenizer there"
        )
    load: Load = import_module(module).load
    return load
