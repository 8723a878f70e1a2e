"""The embedding model: real weights, loaded once for this file."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from citewell_verify.embeddings.mapped_tables import shared
from citewell_verify.embeddings.protocol import Vectors
from citewell_verify.embeddings.wheel import WHEEL_MODEL, UseEmbedder, default_embedder
from clients.embeddings.factory import embedder_of
from config.models import EmbeddingSettings
from config.settings import Settings

ENGLISH = "Opened electronics can be returned within 14 days."
KOREAN = "개봉한 전자제품은 14일 안에 반품할 수 있다."
ENDPOINT = EmbeddingSettings(provider="openai_compatible", model="m", base_url="http://127.0.0.1:9", dimension=8)
OTHER = "The bus fleet uses fast chargers at the eastern depot."


@pytest.fixture(scope="module")
def embedder() -> UseEmbedder:
    model = default_embedder()
    model.warm()
    return model


def cosine(embedder: UseEmbedder, first: str, second: str) -> float:
    one, other = embedder.encode([first, second])
    return float(one @ other)


def test_vectors_have_the_promised_form(embedder: UseEmbedder) -> None:
    vectors = embedder.encode([ENGLISH, KOREAN, "", "2023: 412.7 (371.5)", "word " * 1000])
    assert (vectors.shape, vectors.dtype) == ((5, embedder.dimension), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_vectors(embedder: UseEmbedder) -> None:
    assert embedder.encode([]).shape == (0, embedder.dimension)


def test_a_vector_does_not_depend_on_what_is_encoded_with_it(embedder: UseEmbedder) -> None:
    together = embedder.encode([OTHER, ENGLISH, "long " * 1000, "1 2 3"])[1]
    np.testing.assert_allclose(together, embedder.encode([ENGLISH])[0], atol=1e-5)


def test_the_same_meaning_is_near_across_languages(embedder: UseEmbedder) -> None:
    assert cosine(embedder, ENGLISH, KOREAN) > 0.5 > cosine(embedder, ENGLISH, OTHER)


def test_a_question_finds_its_passage(embedder: UseEmbedder) -> None:
    passages = [
        "A refresh token is valid for 30 days and can be used only once.",
        "A restocking fee of 15% is deducted for electronics that have been opened.",
        "2024년 전기버스의 평균 가동률은 94.1%로 전년보다 높아졌다.",
        "Gross margin was 36.5% in the third quarter of 2024.",
    ]
    questions = ["How long may I use a refresh token?", "What does sending back an opened laptop cost?",
                 "전기버스 가동률은 얼마입니까?", "How large was the gross margin?"]  # fmt: skip
    similarity = embedder.encode(questions) @ embedder.encode(passages).T
    assert similarity.argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_figures_do_not_drown_the_words_of_a_table_and_still_count(embedder: UseEmbedder) -> None:
    rows = "Revenue by segment\nInverters | {} | {} | {}\nSoftware | {} | {} | {}"
    one = rows.format("268.4", "249.8", "7.4%", "96.1", "78.3", "22.7%")
    other = rows.format("1,304.9", "9,112.0", "-85.7%", "0.6", "44.4", "-98.6%")
    assert 0.8 < cosine(embedder, one, other) < 0.999


def test_a_long_text_means_what_its_windows_mean(embedder: UseEmbedder) -> None:
    page, book = (ENGLISH + " ") * 70, (ENGLISH + " ") * 200
    assert cosine(embedder, page, book) > 0.98


def test_threads_share_the_model(embedder: UseEmbedder) -> None:
    texts = [ENGLISH, KOREAN, OTHER]
    expected = embedder.encode(texts)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(embedder.encode, [texts] * 8):
            np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_a_process_has_one_model() -> None:
    assert default_embedder() is default_embedder()


class Other(UseEmbedder):
    """The installed model, with what another release might change of its vectors."""

    def __init__(self, change: Callable[[Vectors], Vectors]) -> None:
        super().__init__()
        self._change = change

    def encode(self, texts: Sequence[str]) -> Vectors:
        return self._change(default_embedder().encode(texts))


def of_korean_only(vectors: Vectors) -> Vectors:
    # As from 0.1.0 to 0.2.0: English stays as it was.
    changed = vectors.copy()
    changed[1::2] = np.roll(changed[1::2], 1, axis=1)
    return changed


def rounded_elsewhere(vectors: Vectors) -> Vectors:
    noise = np.random.default_rng(7).normal(0, 1e-5, vectors.shape)  # a hundred times what was measured
    return (vectors + noise).astype(np.float32)


def test_the_installed_model_makes_the_vectors_that_its_name_means() -> None:
    # After a change of the package or of `encode` that fails here: other vectors need another name and other `_KNOWN`.
    assert default_embedder().name == WHEEL_MODEL


def test_what_another_processor_rounds_elsewhere_does_not_change_the_name() -> None:
    assert Other(rounded_elsewhere).name == WHEEL_MODEL
    assert Other(lambda vectors: of_korean_only(rounded_elsewhere(vectors))).name == Other(of_korean_only).name


def moved(vectors: Vectors) -> Vectors:
    return np.roll(vectors, 1, axis=1)


def turned_round(vectors: Vectors) -> Vectors:
    return -vectors


def coarser(vectors: Vectors) -> Vectors:
    return np.round(vectors, 2)


@pytest.mark.parametrize("change", [of_korean_only, moved, turned_round, coarser])
def test_other_vectors_have_another_name(change: Callable[[Vectors], Vectors]) -> None:
    name = Other(change).name
    assert name.startswith(f"{WHEEL_MODEL} ")
    assert name == Other(change).name


def test_other_changes_have_other_names() -> None:
    assert len({Other(change).name for change in (of_korean_only, moved, turned_round)}) == 3


def test_the_model_is_not_loaded_to_find_out_that_vectors_are_of_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_: Vectors) -> Vectors:
        raise AssertionError("the weights were loaded")

    fresh = Other(load)
    monkeypatch.setattr("clients.embeddings.factory.default_embedder", lambda: fresh)
    monkeypatch.setattr("clients.embeddings.factory.settings", lambda: Settings(embeddings=ENDPOINT))
    assert embedder_of("text-embedding-3-small", 512) is None
    with pytest.raises(AssertionError, match="were loaded"):
        embedder_of(WHEEL_MODEL, 512)


def test_the_table_of_tokens_is_one_file_for_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    table = np.arange(200, dtype=np.uint8).reshape(20, 10)
    first, second = shared(table, "tokens"), shared(table, "tokens")
    assert isinstance(first, np.memmap)
    assert isinstance(second, np.memmap)
    assert first.filename == second.filename
    np.testing.assert_array_equal(second, table)
    assert not second.flags.writeable
    assert [path.name for path in (tmp_path / "citewell").iterdir()] == ["tokens.npy"]


@pytest.mark.parametrize("left", [b"", b"\x93NUMPY", b"none", bytes(1_000)])
def test_a_file_that_a_crash_left_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: bytes) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    table = np.ones((20, 10), dtype=np.uint8)
    shared(table, "tokens")
    path = tmp_path / "citewell" / "tokens.npy"
    whole = path.read_bytes()
    # Of the right length, but without its data: what a power cut leaves.
    for broken in (left, whole[: -len(left)] + left if left else whole[:-1], whole[:128] + bytes(len(whole) - 128)):
        path.write_bytes(broken)
        again = shared(table, "tokens")
        assert isinstance(again, np.memmap)
        np.testing.assert_array_equal(again, table)


def test_without_a_place_for_the_file_the_table_stays_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "citewell").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    table = np.ones((20, 10), dtype=np.uint8)
    assert shared(table, "tokens") is table
