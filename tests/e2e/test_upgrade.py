"""A newer version migrates the database while this one serves: questions go on, and the doctor says so."""

import os
import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import NullPool, create_engine, text

from db.migrate import alembic_config, head_revision
from tests.e2e.stack import Stack
from tests.e2e.test_small_form import CITEWELL

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

LATER = """
from alembic import op
import sqlalchemy as sa

revision, down_revision = "9001", "{head}"
branch_labels = depends_on = None


def upgrade():
    op.add_column("queries", sa.Column("of_a_later_version", sa.Text))
    op.add_column("documents", sa.Column("of_a_later_version", sa.Integer, server_default="0", nullable=False))
    op.create_table("later_things", sa.Column("id", sa.BigInteger, primary_key=True))


def downgrade():
    op.drop_table("later_things")
    op.drop_column("documents", "of_a_later_version")
    op.drop_column("queries", "of_a_later_version")
"""


@pytest.fixture
def newer_migrations(offline: Stack, tmp_path: Path) -> Generator[Path]:
    """The migrations of a later version, which adds as all do; afterwards the database is as before."""
    folder = tmp_path / "migrations"
    shutil.copytree(alembic_config().get_main_option("script_location") or "", folder)
    (folder / "versions" / "9001_later.py").write_text(LATER.format(head=head_revision()))
    yield folder
    migrate(offline, folder, "-1")


def migrate(stack: Stack, folder: Path, to: str) -> None:
    config = alembic_config()
    config.set_main_option("script_location", str(folder))
    config.attributes["url"] = stack.supervisor.database_url
    (command.downgrade if to.startswith("-") else command.upgrade)(config, to)


def doctor(stack: Stack) -> str:
    servers = {
        "CITEWELL_DATABASE_URL": stack.supervisor.database_url,
        "CITEWELL_REDIS_URL": stack.supervisor.redis_url,
    }
    environment = {**os.environ, **servers, "CITEWELL_HOME": str(stack.supervisor.home), "COLUMNS": "200"}
    done = subprocess.run([CITEWELL, "doctor"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_this_version_serves_while_a_later_one_migrates_and_after_it(
    offline: Stack, newer_migrations: Path
) -> None:  # A5, issue 43
    offline.add_text("policy.md", "All returns must be made within 30 days.", workspace="upgrade")
    under_way = [offline.submit("Within how many days must returns be made?", workspace="upgrade") for _ in range(4)]
    migrate(offline, newer_migrations, "head")
    ready = offline.http.get("/readyz")
    assert (ready.status_code, ready.json()["checks"]["schema"]) == (200, "newer")
    assert "schema newer" in doctor(offline)
    offline.add_text("fees.md", "The fee for a late return is 5 euros.", workspace="upgrade")
    later = offline.submit("What is the fee for a late return?", workspace="upgrade")
    answers = [offline.wait(query_id) for query_id in (*under_way, later)]
    assert {answer["status"] for answer in answers} == {"succeeded"}
    assert "5 euros" in answers[-1]["answer"]
    engine = create_engine(offline.supervisor.database_url, poolclass=NullPool)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "9001"
