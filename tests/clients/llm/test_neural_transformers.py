"""The judge in the format of transformers; runs where the extra `neural-transformers` is installed."""

from pathlib import Path
from typing import Any

import pytest

from clients.llm.neural import PairClassifier, open_classifier
from config.settings import ConfigurationInvalid
from tests.clients.neural_models import word_tokenizer

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

RETURNS = "All returns must be made within 30 days of the purchase date."
LEAVE = "Employees receive fifteen days of paid leave per year."
LABELS = {0: "contradiction", 1: "neutral", 2: "entailment"}


def saved(folder: Path, labels: dict[int, str] = LABELS, *, segments: bool = True) -> Path:
    """Save a BERT of two thin layers with random weights; its tokenizer reports `segments` or does not."""
    torch.manual_seed(7)
    tokenizer = word_tokenizer([RETURNS, LEAVE])
    config = transformers.BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=1.0,
        num_labels=len(labels),
        id2label=labels,
        label2id={label: index for index, label in labels.items()},
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    signs = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]"}
    names = ["input_ids", *(["token_type_ids"] if segments else []), "attention_mask"]
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_input_names=names, **signs)
    fast.save_pretrained(folder)
    return folder


def expected(folder: Path, source: str, statement: str) -> float:
    """The result of transformers itself for one pair."""
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        logits = model(**tokenizer(source, statement, return_tensors="pt", truncation=False, padding=False)).logits
    return float(logits.softmax(-1)[0, 2])


@pytest.mark.parametrize("segments", [True, False])
def test_scores_are_those_of_transformers_itself(tmp_path: Path, segments: bool) -> None:
    opened: PairClassifier = open_classifier(str(saved(tmp_path / "judge", segments=segments)))
    pairs = [(RETURNS, RETURNS), (RETURNS, "days of leave"), (f"{LEAVE} {RETURNS} {LEAVE}", LEAVE)]
    scores = opened.score(pairs)
    assert scores == pytest.approx([expected(tmp_path / "judge", *pair) for pair in pairs], abs=1e-5)
    assert len({round(score, 4) for score in scores}) == 3
    assert scores == opened.score(pairs)
    assert opened.max_tokens == 64
    assert len(opened.version) == 12


def test_its_labels_are_told_apart_like_those_of_onnx(tmp_path: Path) -> None:
    saved(tmp_path / "judge", {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"})
    with pytest.raises(ConfigurationInvalid, match="it cannot be told which label supports"):
        open_classifier(str(tmp_path / "judge"))
    assert open_classifier(str(tmp_path / "judge"), "LABEL_2").name == "judge"
