"""docs/operations.md: commands for emergencies must work."""

import re
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from sqlalchemy import create_engine, text

from citewell.cli.main import COMMANDS
from config.settings import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
STATEMENTS = [each for block in re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL) for each in block.split(";\n") if each]
SETTINGS = [name for row in re.findall(r"^\| (`[a-z_]+\..*?) \|", PAGE, re.MULTILINE) for name in row.split(", ")]


def test_every_statement_runs(postgres_url: str) -> None:  # A5
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        for statement in STATEMENTS:
            connection.execute(text(statement))
    engine.dispose()
    assert len(STATEMENTS) >= 10


def test_every_command_exists() -> None:
    used = set(re.findall(r"`citewell (\w+)", PAGE))
    assert used
    assert used <= COMMANDS.keys()


def _field(model: type[BaseModel], name: str) -> Any:
    return model.model_fields[name].annotation


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_exists(name: str) -> None:
    assert reduce(_field, name.strip("`").split("."), Settings) is not None
