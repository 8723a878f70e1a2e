"""Everything that can go wrong in a way a user can act on.

CitewellError
├── BadInput (422) ── QuestionInvalid, ModeUnknown, ModelNotAllowed, CursorInvalid, WorkspaceNameInvalid
│   ├── ConversationElsewhere, TextAttached
│   ├── IdempotencyKeyInvalid, IdempotencyKeyReused, VerificationInvalid, BatchInvalid
│   ├── EventTypeUnknown, WebhookUrlInvalid, WebhookSecretInvalid, AddressForbidden
│   ├── DocumentSourceInvalid ── PlaceForbidden
│   ├── PathForbidden
│   ├── CorrectionInvalid
│   ├── ItemUnusable ── RobotsDisallow, RedirectRefused, NotOfTheSource
│   └── DocumentUnusable ── DocumentEmpty, DocumentEncrypted, DocumentUnreadable, DocumentTypeUnknown (415)
│       ├── DocumentTooLarge (413), DocumentTooSlow, PageNotFound (404)
│       └── ArchiveTypeUnknown (415), DocumentNameInvalid, DocumentNameTaken
├── Unauthenticated (401) ── KeyRequired, KeyInvalid, KeyExpired, KeyRevoked, SignInRequired
├── Forbidden (403) ── ScopeMissing, KeyRequiredHere, WorkspaceForbidden, KeyLimited, RoleMissing, PersonRequired
│   └── ForeignPage, RoleOfGroup, ConversationOfAnother
├── NotFound (404) ── ResponseNotFound, PreviousResponseNotFound (400)
│   ├── QueryNotFound, DocumentNotFound, ChunkNotFound, WorkspaceNotFound, KeyNotFound
│   ├── AuditNotFound, ConversationNotFound, TurnNotFound, ThreadNotFound, DocumentSourceNotFound
│   └── WebhookNotFound, DeliveryNotFound, VerificationNotFound, BatchNotFound, ImportNotFound, TenantNotFound
│       ReingestionNotFound, PersonNotFound, MemberNotFound
├── NotReady (503) ── DatabaseUnavailable, EmbeddingUnavailable, PlaceUnreachable, OriginalUnavailable
├── Overload ── BacklogFull (429), Overloaded (503)
├── SchemaUnknown, SecretUnreadable (503), EmbeddingRejected (502), OriginalDamaged (502)
└── EmbeddingMismatch, ReembeddingRuns, DocumentNotRead, QueryFinished, WebhookDisabled, DeliveryPending (409)
    NotReplayable, NotReverifiable, DocumentNotFailed, TurnUnfinished, WorkspaceNameTaken, WorkspaceNotEmpty (409)
    WorkspaceDeleting, EmbeddingsDiffer, PicturesMissing, BoxesMissing (409)
    DocumentSourceNameTaken, DocumentSourceDeleting, DocumentNotInForce, SecretUnstorable (409)

A class's docstring is its default message. `status` is the HTTP status, `code` the machine-readable name.
"""
