"""docs/operations.md and the page of its SQL: commands for emergencies must work."""

import re
from pathlib import Path

from sqlalchemy import create_engine, text

from citewell.cli.main import COMMANDS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "operations.md").read_text()
SQL = (DOCS / "internals" / "database-checks.md").read_text()
STATEMENTS = [each for block in re.findall(r"```sql\n(.*?)```", SQL, re.DOTALL) for each in block.split(";\n") if each]


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
