"""The table of roles in docs/access.md is what the code does, and has every operation (issue 43)."""

from pathlib import Path

from api.app import create_app
from api.http.roles import CHANGES_OF_OTHERS, OTHERWISE, OWN, role_needed
from domain.keys import Scope
from domain.people import Role
from tests.api.operations import description

PAGE = Path("docs/access.md").read_text(encoding="utf-8")
COLUMNS = (Role.READER, Role.CONTRIBUTOR, Role.OWNER, Role.ADMIN)
CHANGING = (
    "End, retry and delete what others asked; add to, replace turns of, rename and delete conversations "
    "that others began (one's own: also as a reader)"
)
# Whose a conversation is shows where it changes (tests.api.people.test_conversations_of_others).
LATER = ("create_conversation_turn", "update_conversation", "delete_conversation")
# The rows of the table, and which operations each is about: by the beginnings of their ids where one row has many.
ROWS: dict[str, tuple[str, ...]] = {
    "Read documents, questions, answers, their history and quality; search": (
        *(
            "get_document",
            "list_document",
            "get_import",
            "list_imports",
            "get_reingestion",
            "get_source",
            "list_source",
        ),
        *("get_quer", "list_quer", "stream_", "export_", "get_conversation", "list_conversation", "get_thread"),
        *(
            "list_threads",
            "get_verification",
            "list_verification",
            "check_",
            "get_feedback",
            "list_feedback",
            "get_response",
        ),
        *(
            "get_quality",
            "rate_quality",
            "list_history",
            "get_history",
            "get_model",
            "list_models",
            "list_guarded_models",
            "search_",
            "explain_",
        ),
        *("get_workspace", "list_workspaces"),
    ),
    "Ask, verify answers, branch a conversation, rate an answer": (
        *("create_query", "create_conversation", "create_verification", "reverify_", "create_feedback", "create_chat"),
        *("create_response", "guard_", "create_guarded"),
        "seed_",
    ),
    "Have personal keys": ("get_me", "list_own_keys", "create_own_key", "revoke_own_key"),
    CHANGING: (
        *(
            "cancel_",
            "delete_response",
            "replay_query",
            "replay_verification",
            *LATER,
        ),
    ),
    "Share an answer by a link; review and delete feedback": (
        *("share_query", "revoke_query_share", "review_feedback", "delete_feedback", "get_feedback_answer"),
    ),
    "Add, correct, read again and delete documents": (
        *("create_document", "delete_document", "retry_document", "update_document_chunk", "correct_document_chunk"),
        *("create_import", "create_reingestion", "run_source"),
    ),
    "Change and delete the workspace, and its sources": (
        *("update_workspace", "delete_workspace", "create_source", "update_source", "delete_source"),
    ),
    "Choose members from the people of the tenant": ("list_people", "list_members", "set_member", "delete_member"),
    "Create workspaces": ("create_workspace",),
    "Manage webhooks, keys of programs, models; revoke people; see what people did": (
        *("get_metrics", "list_webhook", "get_webhook", "create_webhook", "update_webhook", "delete_webhook"),
        *("rotate_", "test_webhook", "replay_webhook", "replay_delivery", "get_callback", "get_delivery"),
        *("list_query_deliveries", "list_keys", "create_key", "revoke_key", "choose_models", "drop_models"),
        *(
            "get_current_models",
            "list_served_models",
            "try_models",
            "list_model_servers",
            "get_model_trial",
            "get_model_choice",
            "update_person",
            "list_deeds",
        ),
    ),
}


def operations() -> dict[str, Role]:
    """Every operation that needs a key or a person, with the role."""
    needed = {
        operation["operationId"]: role_needed(operation["operationId"], Scope(operation["security"][0]["bearer"][0]))
        for methods in description()["paths"].values()
        for operation in methods.values()
        if "security" in operation
    }
    return {**needed, **dict.fromkeys(LATER, CHANGES_OF_OTHERS)}


def row_of(operation: str) -> str:
    """The row with the longest beginning that fits."""
    fitting = [(len(begin), row) for row, begins in ROWS.items() for begin in begins if operation.startswith(begin)]
    return max(fitting)[1] if fitting else ""


def test_the_table_of_roles_is_what_the_code_does() -> None:  # 43
    rows: dict[str, set[Role]] = {row: set() for row in ROWS}
    for operation, role in operations().items():
        assert row_of(operation), f"say in ROWS, and in docs/access.md, what {operation} is about"
        rows[row_of(operation)].add(role)
    for row, roles in rows.items():
        (role,) = roles
        marks = " | ".join("✓" if column.rank >= role.rank else "" for column in COLUMNS)
        assert f"| {row} | {marks} |" in PAGE


def test_every_exception_is_an_operation() -> None:  # 43
    create_app()
    assert OTHERWISE.keys() | OWN.keys() <= operations().keys()
