"""Opens the configured classifier with the cheap checks; its weights are loaded on first use."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from clients.llm.neural.classifier import FolderClassifier, Load, PairClassifier
from clients.llm.neural.folder import ModelFolder, read_folder
from clients.llm.neural.hub import find_folder
from clients.llm.neural.purpose import JUDGING, Purpose
from config.settings import ConfigurationInvalid

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
