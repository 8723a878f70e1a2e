/** The methods of a client by kind of resource: `citewell.conversations`, `citewell.workspaces` and so on. */
import { paged } from "./paging.js";

/** Questions to one workspace, each understood from the questions before it. */
export const conversations = (connection, untilFinal) => {
  const submit = (conversation_id, question, { signal, idempotencyKey, ...fields } = {}) =>
    connection.call(
      "create_conversation_turn",
      { conversation_id },
      { body: { question, ...fields }, signal, idempotencyKey },
    );
  return {
    create: ({ signal, idempotencyKey, ...fields } = {}) =>
      connection.call("create_conversation", {}, { body: fields, signal, idempotencyKey }),
    begin: (question, { signal, idempotencyKey, ...fields } = {}) =>
      connection.call("create_conversation_by_turn", {}, { body: { question, ...fields }, signal, idempotencyKey }),
    branch: (conversation_id, turn, { signal, idempotencyKey, ...fields } = {}) =>
      connection.call(
        "create_conversation_branch",
        { conversation_id },
        { body: { turn, ...fields }, signal, idempotencyKey },
      ),
    list: (options) => paged(connection, "list_conversations", "conversations", options),
    threads: (options) => paged(connection, "list_threads", "threads", options),
    get: (conversation_id, options) => connection.call("get_conversation", { conversation_id }, options),
    rename: (conversation_id, title, options) =>
      connection.call("update_conversation", { conversation_id }, { body: { title }, ...options }),
    delete: (conversation_id, options) => connection.call("delete_conversation", { conversation_id }, options),
    submit,
    ask: async (conversation_id, question, { wait, onLook, ...options } = {}) => {
      const { id } = await submit(conversation_id, question, options);
      return untilFinal("get_query", { query_id: id }, { wait, onLook, signal: options.signal });
    },
    turns: (conversation_id, options) =>
      paged(connection, "list_conversation_turns", "turns", { conversation_id, ...options }),
    export: (conversation_id, { format, ...options } = {}) =>
      connection.call("export_conversation", { conversation_id, format }, options),
  };
};

export const documents = (connection) => ({
  list: ({ metadata = {}, ...options } = {}) => {
    const wanted = Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value]);
    return paged(connection, "list_documents", "documents", { ...options, ...Object.fromEntries(wanted) });
  },
  get: (document_id, options) => connection.call("get_document", { document_id }, options),
  versions: async (document_id, options) =>
    (await connection.call("list_document_versions", { document_id }, options)).documents,
  text: (document_id, { start, end, ...options } = {}) =>
    connection.call("get_document_text", { document_id, start, end }, options),
  original: (document_id, options) => connection.call("get_document_original", { document_id }, options),
  passages: async (document_id, { page, chunk_id, first, limit, ...options } = {}) =>
    (await connection.call("list_document_passages", { document_id, page, chunk_id, first, limit }, options)).passages,
  chunks: (document_id, { excluded, first, limit, ...options } = {}) =>
    connection.call("list_document_chunks", { document_id, excluded, first, limit }, options),
  /** Takes a chunk out of every search, or puts it back. */
  updateChunk: (document_id, chunk_index, { signal, ...fields } = {}) =>
    connection.call("update_document_chunk", { document_id, chunk_index }, { body: fields, signal }),
  correctChunk: (document_id, chunk_index, text, { signal, ...fields } = {}) =>
    connection.call("correct_document_chunk", { document_id, chunk_index }, { body: { text, ...fields }, signal }),
  edits: async (document_id, options) => (await connection.call("list_document_edits", { document_id }, options)).edits,
  retry: (document_id, options) => connection.call("retry_document", { document_id }, options),
  reingest: ({ signal, ...body } = {}) => connection.call("create_reingestion", {}, { body, signal }),
  reingestion: (reingestion_id, options) => connection.call("get_reingestion", { reingestion_id }, options),
  delete: (document_id, { all_versions, ...options } = {}) =>
    connection.call("delete_document", { document_id, all_versions }, options),
});

export const workspaces = (connection) => ({
  list: (options) => paged(connection, "list_workspaces", "workspaces", options),
  create: (name, { signal, ...fields } = {}) =>
    connection.call("create_workspace", {}, { body: { name, ...fields }, signal }),
  get: (workspace, options) => connection.call("get_workspace", { workspace }, options),
  update: (workspace, { signal, ...fields } = {}) =>
    connection.call("update_workspace", { workspace }, { body: fields, signal }),
  rename: (workspace, name, options) =>
    connection.call("update_workspace", { workspace }, { body: { name }, ...options }),
  /** Deletes a workspace, one that is not empty only `withContents`; false while the server is still deleting. */
  delete: async (workspace, { withContents = false, ...options } = {}) => {
    const confirm = withContents ? workspace : undefined;
    return (await connection.call("delete_workspace", { workspace, confirm }, options)) === null;
  },
});

/** Places that documents are taken from, on a schedule. */
export const sources = (connection) => ({
  create: (name, kind, location, { signal, workspace, every_s, ...options } = {}) =>
    connection.call("create_source", {}, { body: { name, kind, location, workspace, every_s, options }, signal }),
  list: (options) => paged(connection, "list_sources", "sources", options),
  get: (source_id, options) => connection.call("get_source", { source_id }, options),
  items: (source_id, options) => paged(connection, "list_source_items", "items", { source_id, ...options }),
  update: (source_id, { signal, ...fields } = {}) =>
    connection.call("update_source", { source_id }, { body: fields, signal }),
  run: (source_id, options) => connection.call("run_source", { source_id }, options),
  delete: (source_id, { documents, ...options } = {}) =>
    connection.call("delete_source", { source_id, documents }, options),
});

/** Verifications of answers from other systems. */
export const verifications = (connection, untilFinal) => {
  const submit = (answer, sources, { signal, idempotencyKey, ...fields } = {}) =>
    connection.call("create_verification", {}, { body: { answer, sources, ...fields }, signal, idempotencyKey });
  return {
    submit,
    verify: async (answer, sources, { wait, onLook, ...options } = {}) => {
      const { id } = await submit(answer, sources, options);
      return untilFinal("get_verification", { verification_id: id }, { wait, onLook, signal: options.signal });
    },
    list: (options) => paged(connection, "list_verifications", "verifications", options),
    get: (verification_id, { wait, ...options } = {}) =>
      connection.call("get_verification", { verification_id, wait }, options),
    cancel: (verification_id, options) => connection.call("cancel_verification", { verification_id }, options),
    submitBatch: (items, options) => connection.call("create_verification_batch", {}, { body: items, ...options }),
    batch: (batch_id, options) => connection.call("get_verification_batch", { batch_id }, options),
    batchResults: (batch_id, options) => connection.call("get_verification_batch_results", { batch_id }, options),
  };
};

/** Judgements of answers and verifications by people. */
export const feedback = (connection) => ({
  give: (query_id, { signal, ...fields } = {}) =>
    connection.call("create_feedback", {}, { body: { query_id, ...fields }, signal }),
  list: (options) => paged(connection, "list_feedback", "feedback", options),
  get: (feedback_id, options) => connection.call("get_feedback", { feedback_id }, options),
  review: (feedback_id, { status = "reviewed", signal, ...fields } = {}) =>
    connection.call("review_feedback", { feedback_id }, { body: { status, ...fields }, signal }),
  delete: (feedback_id, options) => connection.call("delete_feedback", { feedback_id }, options),
});

/** The people of the tenant. */
export const people = (connection) => ({
  me: (options) => connection.call("get_me", {}, options),
  list: async (options) => (await connection.call("list_people", {}, options)).people,
  /** Excludes a person, or with `revoked: false` lets them sign in again. */
  revoke: (person_id, { revoked = true, ...options } = {}) =>
    connection.call("update_person", { person_id }, { body: { revoked }, ...options }),
  deeds: async ({ actor, before, limit, ...options } = {}) =>
    (await connection.call("list_deeds", { actor, before, limit }, options)).deeds,
});

/** Roles of people in workspaces. */
export const members = (connection) => ({
  list: async ({ workspace, ...options } = {}) =>
    (await connection.call("list_members", { workspace }, options)).members,
  set: (workspace, person_id, role, options) =>
    connection.call("set_member", {}, { body: { workspace, person_id, role }, ...options }),
  remove: (member_id, options) => connection.call("delete_member", { member_id }, options),
});

/** The endpoints that the server sends its events to. */
export const webhooks = (connection) => ({
  create: (url, events, { signal, ...fields } = {}) =>
    connection.call("create_webhook", {}, { body: { url, events, ...fields }, signal }),
  list: async (options) => (await connection.call("list_webhooks", {}, options)).webhooks,
  get: (webhook_id, options) => connection.call("get_webhook", { webhook_id }, options),
  update: (webhook_id, { signal, ...fields } = {}) =>
    connection.call("update_webhook", { webhook_id }, { body: fields, signal }),
  delete: (webhook_id, options) => connection.call("delete_webhook", { webhook_id }, options),
  test: (webhook_id, options) => connection.call("test_webhook", { webhook_id }, options),
  deliveries: (webhook_id, options) =>
    paged(connection, "list_webhook_deliveries", "deliveries", { webhook_id, ...options }),
});
