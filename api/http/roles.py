"""The role that a person needs for an operation: the role of its scope, or a higher or lower one by name.

A reader may also end or delete a question of their own (`OWN`).
"""

from collections.abc import Mapping

from domain.keys import Scope
from domain.people import Role

OF_SCOPES: Mapping[Scope, Role] = {
    Scope.READ: Role.READER,
    Scope.ASK: Role.READER,
    Scope.DOCUMENTS: Role.CONTRIBUTOR,
    Scope.REVIEW: Role.CONTRIBUTOR,
    Scope.WEBHOOKS: Role.ADMIN,
    Scope.ADMIN: Role.ADMIN,
}
OTHERWISE: Mapping[str, Role] = {
    "get_me": Role.NONE,
    "list_own_keys": Role.NONE,
    "create_own_key": Role.NONE,
    "revoke_own_key": Role.NONE,
    # A link opens an answer to anybody.
    "share_query": Role.CONTRIBUTOR,
    "revoke_query_share": Role.CONTRIBUTOR,
    # These change the questions and work of other people.
    "cancel_query": Role.CONTRIBUTOR,
    "cancel_response": Role.CONTRIBUTOR,
    "delete_response": Role.CONTRIBUTOR,
    "cancel_verification": Role.CONTRIBUTOR,
    "cancel_verification_batch": Role.CONTRIBUTOR,
    "replay_query": Role.CONTRIBUTOR,
    "replay_verification": Role.CONTRIBUTOR,
    "get_feedback_answer": Role.CONTRIBUTOR,
    "review_feedback": Role.CONTRIBUTOR,
    "delete_feedback": Role.CONTRIBUTOR,
    # These concern the workspace itself, its automatic sources, and its members.
    "create_workspace": Role.ADMIN,
    "update_workspace": Role.OWNER,
    "delete_workspace": Role.OWNER,
    "create_source": Role.OWNER,
    "update_source": Role.OWNER,
    "delete_source": Role.OWNER,
    "list_people": Role.OWNER,
    "list_members": Role.OWNER,
    "set_member": Role.OWNER,
    "delete_member": Role.OWNER,
}
OWN: Mapping[str, str] = {
    "cancel_query": "query_id",
    "cancel_response": "response_id",
    "delete_response": "response_id",
    "cancel_verification": "verification_id",
    "replay_query": "query_id",
    "replay_verification": "verification_id",
}
"""Operations on a question or verification, and the parameter that has its id."""
CHANGES_OF_OTHERS = Role.CONTRIBUTOR
"""The role that a person needs to change the conversation of another one. Many operations may name a conversation, so
the functions that change its turns and title check the role (`db.queries.runs.conversations.lock_own`)."""


def role_needed(operation: str, scope: Scope) -> Role:
    return OTHERWISE.get(operation, OF_SCOPES[scope])
