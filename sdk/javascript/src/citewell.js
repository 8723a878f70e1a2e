import { AnswerStream } from "./answer_stream.js";
import { Connection } from "./connection.js";
import { events } from "./events.js";
import { paged } from "./paging.js";
import * as resources from "./resources.js";
import { Deadline, pause } from "./waiting.js";

const FINAL = new Set(["succeeded", "failed", "cancelled", "held"]);
const UNREAD = new Set(["queued", "processing"]);
const PATIENCE_S = 300;
const DOCUMENT_PATIENCE_S = 600;
// Callers with `onLook` want to see the stages; for others the server holds each request as long as it allows.
const LOOK_S = 1;
const HOLD_S = 30;
const LOOK_EVERY_S = 0.5;

/** A client of one server; index.d.ts describes each method. */
export class Citewell {
  #connection;

  constructor(options) {
    const connection = new Connection(options);
    const untilFinal = this.#untilFinal.bind(this);
    this.#connection = connection;
    this.conversations = resources.conversations(connection, untilFinal);
    this.documents = resources.documents(connection);
    this.feedback = resources.feedback(connection);
    this.people = resources.people(connection);
    this.members = resources.members(connection);
    this.verifications = resources.verifications(connection, untilFinal);
    this.webhooks = resources.webhooks(connection);
    this.sources = resources.sources(connection);
    this.workspaces = resources.workspaces(connection);
  }

  get url() {
    return this.#connection.url;
  }

  call(operation, parameters, options) {
    return this.#connection.call(operation, parameters, options);
  }

  submit(question, { signal, idempotencyKey, ...fields } = {}) {
    return this.call("create_query", {}, { body: { question, ...fields }, signal, idempotencyKey });
  }

  query(query_id, { wait, signal } = {}) {
    return this.call("get_query", { query_id, wait }, { signal });
  }

  wait(query_id, options) {
    return this.#untilFinal("get_query", { query_id }, options);
  }

  async ask(question, { wait, onLook, ...options } = {}) {
    const { id } = await this.submit(question, options);
    return this.wait(id, { wait, onLook, signal: options.signal });
  }

  stream(question, options = {}) {
    const begin = async () => (await this.submit(question, options)).id;
    return new AnswerStream(begin, (id) => this.events(id, { signal: options.signal }));
  }

  events(query_id, options) {
    return events(this.#connection, `/v1/queries/${encodeURIComponent(query_id)}/events`, options);
  }

  queries(options) {
    return paged(this.#connection, "list_queries", "queries", options);
  }

  cancel(query_id, options) {
    return this.call("cancel_query", { query_id }, options);
  }

  replay(query_id, options) {
    return this.call("replay_query", { query_id }, options);
  }

  history(query_id, options) {
    return this.call("get_query_history", { query_id }, options);
  }

  export(query_id, { format, ...options } = {}) {
    return this.call("export_query", { query_id, format }, options);
  }

  share(query_id, { hours = 24, signal } = {}) {
    return this.call("share_query", { query_id }, { body: { hours }, signal });
  }

  async shares(query_id, options) {
    return (await this.call("list_query_shares", { query_id }, options)).shares;
  }

  revokeShare(query_id, share_id, options) {
    return this.call("revoke_query_share", { query_id, share_id }, options);
  }

  verify(answer, sources, options) {
    return this.verifications.verify(answer, sources, options);
  }

  search(query, { signal, ...fields } = {}) {
    return this.call("search_passages", {}, { body: { query, ...fields }, signal });
  }

  /** Tries the retrieval for a question: how its passages are found, and which of them an answer would use. */
  explainSearch(question, { signal, ...fields } = {}) {
    return this.call("explain_search", {}, { body: { question, ...fields }, signal });
  }

  async upload(file, { filename = file.name, metadata = {}, wait = false, onLook, signal, ...fields } = {}) {
    if (!filename) throw new TypeError('the document has no name: upload(content, { filename: "notes.md" })');
    const form = new FormData();
    for (const [name, value] of Object.entries({ source: "javascript", ...fields })) form.append(name, value);
    form.append("metadata", JSON.stringify(metadata));
    form.append("file", file instanceof Blob ? file : new Blob([file]), filename);
    const accepted = await this.call("create_document", {}, { body: form, signal });
    if (!wait) return accepted;
    const seconds = wait === true ? undefined : wait;
    const { status } = await this.waitDocument(accepted.id, { wait: seconds, onLook, signal });
    return { ...accepted, status };
  }

  async waitDocument(document_id, { wait = DOCUMENT_PATIENCE_S, onLook, signal } = {}) {
    const deadline = new Deadline(wait);
    for (;;) {
      const seen = await this.call("get_document", { document_id }, { signal, deadline });
      onLook?.(seen);
      if (!UNREAD.has(seen.status) || !deadline.left) return seen;
      await pause(LOOK_EVERY_S, signal);
    }
  }

  async #untilFinal(operation, id, { wait = PATIENCE_S, onLook, signal } = {}) {
    const deadline = new Deadline(wait);
    for (;;) {
      const hold = Math.min(deadline.left, onLook ? LOOK_S : HOLD_S);
      const seen = await this.call(operation, { ...id, wait: hold }, { signal, deadline });
      onLook?.(seen);
      if (FINAL.has(seen.status) || !deadline.left) return seen;
    }
  }
}
