"""docs/settings.md is what `make settings` prints, and has every setting."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from config.answers import CalibrationSettings
from config.models import ModelInfo
from config.settings import PoolSettings, Settings
from tools.settings_page import page
from verify_material.rows import for_all_rows

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
GROUPS = {name: field.default for name, field in Settings.model_fields.items() if isinstance(field.default, BaseModel)}


def fields() -> Iterator[tuple[str, str | None]]:
    for name, field in Settings.model_fields.items():
        if name not in GROUPS:
            yield str(field.validation_alias or name), field.description
    models = {name: type(group) for name, group in GROUPS.items()}
    models |= {"models.catalogue.NAME": ModelInfo, "pools.NAME": PoolSettings}
    for path, model in (models | {"verification.calibration": CalibrationSettings}).items():
        for name, field in model.model_fields.items():
            if not isinstance(field.default, BaseModel):
                yield f"{path}.{name}", field.description


def test_the_page_is_what_the_command_prints() -> None:
    assert page() == PAGE, "run `make settings`"


@for_all_rows(("name", "description"), list(fields()))
def test_every_setting_is_described_once(name: str, description: str | None) -> None:
    assert description
    assert PAGE.count(f"\n| `{name}` | ") == 1


@for_all_rows(
    "row",
    [
        "| `rerank.top_k` | `3` | Passages an answer is written from |",
        "| `models.attempts` | `5` |",
        '| `models.judge_languages` | `["en"]` |',
        "| `GROQ_BASE_URL` | `https://api.groq.com` |",
        "fused by reciprocal rank. Values: `vector`, `hybrid` |",
        "| `pools.NAME.queues` | required |",
    ],
)
def test_defaults_and_values_are_written_as_in_a_file(row: str) -> None:
    assert row in PAGE
    assert "(S1.1)" not in PAGE
