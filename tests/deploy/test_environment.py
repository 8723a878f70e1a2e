"""The checks of the deployment's files can fail."""

from tests.deploy.environment import is_setting, written_secrets
from verify_material.rows import for_all_rows


@for_all_rows(
    ("variable", "known"),
    [
        ("CITEWELL_REDIS_URL", True),
        ("CITEWELL_MODELS__BREAKER__CALLS", True),
        ("GROQ_API_KEY", True),
        ("CITEWELL_REDIS_ADDRESS", False),
        ("CITEWELL_MODELS__BRAKE__CALLS", False),
        ("GROQ_KEY", False),
    ],
)
def test_only_what_is_read_is_a_setting(variable: str, known: bool) -> None:
    assert is_setting(variable) == known


@for_all_rows(
    ("value", "written"),
    [
        ("${POSTGRES_PASSWORD:?set it}", False),
        ("${KEY:-}", False),
        ("", False),
        ("redis://:${REDIS_PASSWORD:?set it}@redis:6379/0", False),
        ("https://api.groq.com", False),
        ("hunter2", True),
        ("${KEY:-hunter2}", True),
        ("redis://:hunter2@redis:6379/0", True),
    ],
)
def test_a_secret_that_is_written_down_is_found(value: str, written: bool) -> None:  # A8
    assert bool(written_secrets({"REDIS_PASSWORD": value})) == written
