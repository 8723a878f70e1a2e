"""Small classifiers made by the tests: a graph that counts shared words, and its tokenizer of whole words.

Its logit is 12 times the share of the statement's words that are in the source, minus 9.
"""

# tokenizers leaves some of its arguments untyped.
# pyright: reportUnknownMemberType=false

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import onnx
import onnx.parser
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

ONE_LOGIT = "logits = Identity (x)"
TWO_LABELS = "logits = Concat <axis = 1> (minus, x)"
THREE_LABELS = "logits = Concat <axis = 1> (x, zero, minus)"
NOT_A_NUMBER = "logits = Div (zero, zero)"
FOUR_WIDE = "logits = Concat <axis = 1> (x, x, x, x)"
ONE_ROW = "logits = ReduceMax <keepdims = 1> (x, first_axis)"
ALWAYS_SURE = "nothing = Sub (total, total) logits = Add (nothing, offset)"
NEVER_SURE = "nothing = Sub (total, total) logits = Sub (nothing, offset)"
TOO_MUCH_MEMORY = "huge = Expand (x, endless) logits = ReduceMax <keepdims = 1> (huge, axis_one)"

_SIGNS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", ".")
_GRAPH = """
<ir_version: 10, opset_import: ["": 21]>
overlap (int64[b, t] input_ids, int64[b, t] attention_mask, int64[b, t] {segments}) => (float[r, n] logits)
<int64 last_sign = {{4}}, int64[1] first_axis = {{0}}, int64[1] axis_one = {{1}}, int64[1] axes = {{2}},
 float slope = {{12}}, float offset = {{9}}, int64[2] endless = {{1, 6000000000000000}}>
{{
  is_word = Greater (input_ids, last_sign)
  attended = Cast <to = 9> (attention_mask)
  word = And (is_word, attended)
  in_second = Cast <to = 9> ({segments})
  in_first = Not (in_second)
  said = And (word, in_second)
  there = And (word, in_first)
  rows = Unsqueeze (input_ids, axes)
  columns = Unsqueeze (input_ids, axis_one)
  same = Equal (rows, columns)
  there_columns = Unsqueeze (there, axis_one)
  met = And (same, there_columns)
  met_number = Cast <to = 1> (met)
  in_source = ReduceMax <keepdims = 0> (met_number, axes)
  said_number = Cast <to = 1> (said)
  hit = Mul (in_source, said_number)
  hits = ReduceSum <keepdims = 1> (hit, axis_one)
  total = ReduceSum <keepdims = 1> (said_number, axis_one)
  share = Div (hits, total)
  steep = Mul (share, slope)
  x = Sub (steep, offset)
  minus = Neg (x)
  zero = Sub (x, x)
  {tail}
}}
"""


def save_classifier(
    folder: Path,
    texts: Sequence[str],
    *,
    tail: str = ONE_LOGIT,
    labels: Sequence[str] = ("supported",),
    max_tokens: int = 64,
    place: str = "model.onnx",
    segments: str = "token_type_ids",
    form: Mapping[str, object] | None = None,
) -> Path:
    """Save a classifier that knows the words of `texts`; `tail` makes its logits of `x`. Return the folder."""
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    model = onnx.parser.parse_model(_GRAPH.format(tail=tail, segments=segments))
    (folder / place).write_bytes(model.SerializeToString())
    config = {"model_type": "tiny", "pad_token_id": 0, "id2label": dict(enumerate(labels))}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": max_tokens}), encoding="utf-8")
    if form is not None:
        (folder / "citewell.json").write_text(json.dumps(form), encoding="utf-8")
    word_tokenizer(texts).save(str(folder / "tokenizer.json"))
    return folder


def word_tokenizer(texts: Sequence[str]) -> Tokenizer:
    """Return a tokenizer of whole words that cuts at 16 tokens and pads to 8, as saved ones often do."""
    words = sorted({word for text in texts for word in re.findall(r"\w+", text.lower())} - set(_SIGNS))
    tokenizer = Tokenizer(WordLevel({word: index for index, word in enumerate([*_SIGNS, *words])}, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.add_special_tokens(["[PAD]", "[CLS]", "[SEP]"])
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(16)
    tokenizer.enable_padding(length=8)
    return tokenizer
