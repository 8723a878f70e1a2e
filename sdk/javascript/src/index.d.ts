/** A client of Citewell for Node and browsers. Times are in seconds; fields are named as in the HTTP API. */
import type * as api from "./openapi.js";

export type * from "./openapi.js";

type Given<Parameters> = [Extract<Parameters, object>] extends [never] ? {} : Extract<Parameters, object>;
type Flat<Shape> = { [Name in keyof Shape]: Shape[Name] };
type Json<Content> = Content extends { "application/json": infer Shape } ? Shape : never;
type Body<Content> =
  | Json<Content>
  | (Content extends { "multipart/form-data": unknown } ? FormData : never)
  | (Content extends { "application/jsonl": infer Item } ? Item[] : never);
type Text = "text/plain" | "text/markdown" | "text/html" | "text/csv";
/** JSON is typed by its shape, other text is a string, files are a Blob; `events` reads streams. */
type Read<Content> = Content extends { "application/json": infer Shape }
  ? Shape
  : Content extends { "text/event-stream": unknown }
    ? never
    : Content extends { "application/jsonl": unknown }
      ? unknown[]
      : keyof Content extends Text
        ? string
        : Blob;
type ReadOf<Response> = Response extends { content: infer Content } ? Read<Content> : null;

/** The parameters and the result of each operation. */
export type Operations = {
  [Name in keyof api.operations]: {
    parameters: Flat<
      Given<api.operations[Name]["parameters"]["path"]> & Given<api.operations[Name]["parameters"]["query"]>
    >;
    body: BodyOf<api.operations[Name]>;
    result: {
      [Status in keyof api.operations[Name]["responses"]]: ReadOf<api.operations[Name]["responses"][Status]>;
    }[keyof api.operations[Name]["responses"]];
  };
};
type BodyOf<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? Body<Content>
  : Operation extends { requestBody?: { content: infer Content } }
    ? Body<Content> | undefined
    : undefined;

type Result<Name extends keyof Operations> = Operations[Name]["result"];
type Filters<Name extends keyof Operations> = Omit<Operations[Name]["parameters"], "limit" | "cursor">;
type Fields<Shape, Given extends keyof Shape> = Omit<Shape, Given>;

export interface Options {
  /** Aborts the request at any time. */
  signal?: AbortSignal;
}

export interface Keyed extends Options {
  /** The same key never starts the work twice; by default each call has one, so that retries are safe. */
  idempotencyKey?: string;
}

export interface Waiting<Seen> extends Options {
  /** Seconds until the result is returned even if it is unfinished: 300 for answers, 600 for documents. */
  wait?: number;
  /** Called with every state that was seen while waiting. */
  onLook?: (seen: Seen) => void;
}

/** Lists come newest first and are read page by page; `limit` is the most entries. */
export interface Listed extends Options {
  limit?: number;
}

export interface ClientOptions {
  /** By default the origin of the page; elsewhere http://127.0.0.1:8000. */
  url?: string | URL;
  key?: string | null;
  /** Seconds within which the server must begin to answer: 30. */
  timeout?: number;
  /** "interactive" for a person who waits, "batch" for scripts: within a tenant people go first. */
  priority?: "interactive" | "batch";
  fetch?: typeof fetch;
}

/**
 * A sentence that passed its check: as the model wrote it, with `citations`, or after a repair (`how`, `statement`,
 * `reason`).
 */
export interface PassedSentence {
  /** A higher round begins the answer anew. */
  round: number;
  /** The position in the draft, from 0. */
  sentence: number;
  text: string;
  citations?: Record<string, unknown>[];
  how?: string;
  statement?: string;
  reason?: string;
}

/** The sentences of an answer, each as soon as it is verified; a reader who stops does not stop the question. */
export class AnswerStream implements AsyncIterable<PassedSentence> {
  /** The question's id, from the first sentence on. */
  readonly id: string | null;
  /** The finished question, after the last sentence. */
  readonly query: api.Query | null;
  [Symbol.asyncIterator](): AsyncIterator<PassedSentence>;
}

/**
 * docs/api.md lists the types; the last event is `final`, `held`, `failed` or `cancelled`, and its data has the `query`.
 */
export type StreamEvent = FinalEvent | HeldEvent | OtherEvent;
export interface FinalEvent {
  id: number | null;
  type: "final";
  /** A reviewer's decision on an answer that was held back. */
  data: { query: api.Query; abstained?: boolean | null; review?: "released" | "corrected" };
}
/** The last event before a reviewer decides; its `query` does not contain the answer. */
export interface HeldEvent {
  id: number | null;
  type: "held";
  data: { query: api.Query; reasons: ("confidence" | "contradicted" | "conflicts" | "unread")[] };
}
export interface OtherEvent {
  id: number | null;
  type: string;
  data: Record<string, any>;
}

type QuestionFields = Fields<api.QueryCreate, "question">;
type TurnFields = Fields<api.TurnCreate, "question">;
/** Citations are also given as the types of providers' own packages, which are interfaces without an index. */
type VerificationFields = Fields<api.VerificationRequest, "answer" | "sources" | "citations"> & {
  citations?: (api.CitationGiven | object)[];
};
/** `csv` has a row per sentence, `json` is the result of `query()`; the other forms have the same content. */
export type ExportFormat = "csv" | "json" | TurnsFormat;
export type TurnsFormat = "markdown" | "text" | "html" | "pdf" | "docx";
type Content = Blob | ArrayBuffer | ArrayBufferView | string;

export interface Conversations {
  create(options?: api.ConversationCreate & Keyed): Promise<api.Conversation>;
  /** Begins a conversation with its first question. */
  begin(question: string, options?: Omit<QuestionFields, "workspaces"> & Keyed): Promise<api.TurnAccepted>;
  /** Begins a conversation that keeps the turns of this one up to `turn`. */
  branch(id: string, turn: string, options?: { title?: string } & Keyed): Promise<api.Conversation>;
  list(options?: Filters<"list_conversations"> & Listed): AsyncGenerator<api.Conversation>;
  /** Conversations, and questions outside conversations. */
  threads(options?: Filters<"list_threads"> & Listed): AsyncGenerator<api.Thread>;
  get(id: string, options?: Options): Promise<api.Conversation>;
  rename(id: string, title: string | null, options?: Options): Promise<api.Conversation>;
  delete(id: string, options?: Options): Promise<null>;
  /** Asks the next question; the option `replaces` is the id of an earlier question to ask differently. */
  submit(id: string, question: string, options?: TurnFields & Keyed): Promise<api.TurnAccepted>;
  ask(id: string, question: string, options?: TurnFields & Keyed & Waiting<api.Query>): Promise<api.Query>;
  turns(id: string, options?: { set_aside?: boolean } & Listed): AsyncGenerator<api.Turn>;
  /** All answers of the conversation as one file. */
  export(id: string, options?: { format?: TurnsFormat } & Options): Promise<Blob>;
}

export interface Documents {
  list(
    options?: Filters<"list_documents"> & { metadata?: Record<string, string | number> } & Listed,
  ): AsyncGenerator<api.Document>;
  get(id: string, options?: Options): Promise<api.Document>;
  versions(id: string, options?: Options): Promise<api.Document[]>;
  /** The stored text that citations point into; offsets are code points, not UTF-16 units. */
  text(id: string, options?: { start?: number; end?: number } & Options): Promise<string>;
  original(id: string, options?: Options): Promise<Blob>;
  passages(
    id: string,
    options?: Omit<Operations["list_document_passages"]["parameters"], "document_id"> & Options,
  ): Promise<api.Passage[]>;
  chunks(
    id: string,
    options?: Omit<Operations["list_document_chunks"]["parameters"], "document_id"> & Options,
  ): Promise<api.ChunkList>;
  /** Takes a chunk out of every search, or puts it back. */
  updateChunk(id: string, chunk_index: number, fields: api.ChunkUpdate & Options): Promise<api.Chunk>;
  /** Creates the next version of the document, which is in force at once. */
  correctChunk(
    id: string,
    chunk_index: number,
    text: string,
    options?: Fields<api.CorrectionCreate, "text"> & Options,
  ): Promise<api.ChunkCorrected>;
  edits(id: string, options?: Options): Promise<api.DocumentEdit[]>;
  retry(id: string, options?: Options): Promise<api.Document>;
  /** Reads all matching documents again; with `dry_run` it only counts them. */
  reingest(options?: api.ReingestionCreate & Options): Promise<api.ReingestionAccepted>;
  reingestion(id: string, options?: Options): Promise<api.Reingestion>;
  delete(id: string, options?: { all_versions?: boolean } & Options): Promise<null>;
}

export interface Workspaces {
  list(options?: Listed): AsyncGenerator<api.Workspace>;
  create(name: string, options?: Fields<api.WorkspaceCreate, "name"> & Options): Promise<api.Workspace>;
  get(name: string, options?: Options): Promise<api.Workspace>;
  update(name: string, options?: api.WorkspaceChange & Options): Promise<api.Workspace>;
  rename(name: string, newName: string, options?: Options): Promise<api.Workspace>;
  /** Deletes a workspace, one that is not empty only `withContents`; false while the server is still deleting. */
  delete(name: string, options?: { withContents?: boolean } & Options): Promise<boolean>;
}

export interface Sources {
  create(
    name: string,
    kind: api.DocumentSourceCreate["kind"],
    location: string,
    options?: Pick<Partial<api.DocumentSourceCreate>, "workspace" | "every_s"> &
      Partial<api.DocumentSourceOptions> &
      Options,
  ): Promise<api.DocumentSource>;
  list(options?: Filters<"list_sources"> & Listed): AsyncGenerator<api.DocumentSourceHead>;
  get(id: string, options?: Options): Promise<api.DocumentSource>;
  items(id: string, options?: { outcome?: string } & Listed): AsyncGenerator<api.DocumentSourceItem>;
  update(id: string, options?: Partial<api.DocumentSourceChange> & Options): Promise<api.DocumentSource>;
  run(id: string, options?: Options): Promise<api.DocumentSource>;
  delete(id: string, options?: { documents?: "keep" | "delete" } & Options): Promise<null>;
}

export interface Verifications {
  submit(
    answer: string,
    sources: api.Source[],
    options?: VerificationFields & Keyed,
  ): Promise<Result<"create_verification">>;
  verify(
    answer: string,
    sources: api.Source[],
    options?: VerificationFields & Keyed & Waiting<api.Verification>,
  ): Promise<api.Verification>;
  list(options?: Filters<"list_verifications"> & Listed): AsyncGenerator<api.VerificationHead>;
  get(id: string, options?: { wait?: number } & Options): Promise<api.Verification>;
  cancel(id: string, options?: Options): Promise<api.Verification>;
  submitBatch(
    items: (VerificationFields & Pick<api.VerificationRequest, "answer" | "sources">)[],
    options?: Keyed,
  ): Promise<api.BatchAccepted>;
  batch(id: string, options?: Options): Promise<api.Batch>;
  batchResults(id: string, options?: Options): Promise<api.Verification[]>;
}

export interface People {
  me(options?: Options): Promise<api.Me>;
  list(options?: Options): Promise<api.Person[]>;
  revoke(personId: string, options?: Partial<api.PersonChange> & Options): Promise<api.Person>;
  deeds(options?: Filters<"list_deeds"> & Options): Promise<api.Deed[]>;
}

export interface Members {
  list(options?: Filters<"list_members"> & Options): Promise<api.Member[]>;
  set(workspace: string, personId: string, role: api.MemberSet["role"], options?: Options): Promise<api.Member>;
  remove(memberId: string, options?: Options): Promise<null>;
}

export interface FeedbackOfPeople {
  give(queryId: string, options?: Fields<api.FeedbackCreate, "query_id"> & Options): Promise<api.Feedback>;
  list(options?: Filters<"list_feedback"> & Listed): AsyncGenerator<api.Feedback>;
  get(id: string, options?: Options): Promise<api.Feedback>;
  review(id: string, options?: Partial<api.FeedbackReview> & Options): Promise<api.Feedback>;
  delete(id: string, options?: Options): Promise<null>;
}

export interface Webhooks {
  /** The endpoint's `secret` is returned only here. */
  create(
    url: string,
    events: string[],
    options?: Fields<api.WebhookCreate, "url" | "events"> & Options,
  ): Promise<api.WebhookEndpointCreated>;
  list(options?: Options): Promise<api.WebhookEndpoint[]>;
  get(id: string, options?: Options): Promise<api.WebhookEndpoint>;
  update(id: string, options?: api.WebhookChange & Options): Promise<api.WebhookEndpoint>;
  delete(id: string, options?: Options): Promise<null>;
  test(id: string, options?: Options): Promise<Result<"test_webhook">>;
  deliveries(id: string, options?: Listed): AsyncGenerator<api.Delivery>;
}

/**
 * A client of one server. Every method rejects with a CitewellError, or with the reason of an aborted signal. Requests
 * that are safe to repeat are tried three times when the connection breaks or the server is busy.
 */
export class Citewell {
  constructor(options?: ClientOptions);
  readonly url: string;
  readonly conversations: Conversations;
  readonly documents: Documents;
  readonly feedback: FeedbackOfPeople;
  readonly people: People;
  readonly members: Members;
  readonly sources: Sources;
  readonly verifications: Verifications;
  readonly webhooks: Webhooks;
  readonly workspaces: Workspaces;

  /** Any operation of the HTTP API by its name. */
  call<Name extends keyof Operations>(
    operation: Name,
    parameters: Operations[Name]["parameters"],
    options?: { body?: Operations[Name]["body"] } & Keyed,
  ): Promise<Result<Name>>;

  /** Asks a question, and waits for the answer. */
  ask(question: string, options?: QuestionFields & Keyed & Waiting<api.Query>): Promise<api.Query>;
  /** Asks a question, and yields each sentence of the answer as soon as it is verified. */
  stream(question: string, options?: QuestionFields & Keyed): AnswerStream;
  /** Asks a question, and returns at once. */
  submit(question: string, options?: QuestionFields & Keyed): Promise<api.QueryAccepted>;
  /** A question as far as it is known; with `wait` (≤ 60) the server waits that long for its end. */
  query(id: string, options?: { wait?: number } & Options): Promise<api.Query>;
  wait(id: string, options?: Waiting<api.Query>): Promise<api.Query>;
  /** The events of a question, up to its end; a broken connection is resumed where it broke. */
  events(id: string, options?: { lastEventId?: number } & Options): AsyncGenerator<StreamEvent>;
  queries(options?: Filters<"list_queries"> & Listed): AsyncGenerator<api.QueryListed>;
  cancel(id: string, options?: Options): Promise<api.QueryHead>;
  /** Asks a question that failed, was cancelled or has parked steps again, as a new one. */
  replay(id: string, options?: Keyed): Promise<api.QueryAccepted>;
  /** Every check and model call of one question; the list of questions is `queries()`. */
  history(id: string, options?: Options): Promise<api.History>;
  export(id: string, options?: { format?: ExportFormat } & Options): Promise<Blob>;
  /** A link that opens the answer without a key; its `url` is returned only here. */
  share(id: string, options?: { hours?: number } & Options): Promise<api.ShareCreated>;
  shares(id: string, options?: Options): Promise<api.Share[]>;
  revokeShare(id: string, shareId: string, options?: Options): Promise<null>;

  /** Verifies an answer of any origin against its sources, and waits for the result. */
  verify(
    answer: string,
    sources: api.Source[],
    options?: VerificationFields & Keyed & Waiting<api.Verification>,
  ): Promise<api.Verification>;
  /** The passages that a question would find first, without a language model. */
  search(query: string, options?: Fields<api.SearchCreate, "query"> & Options): Promise<api.SearchResult>;
  /** Tries the retrieval for a question: how its passages are found, and which of them an answer would use. */
  explainSearch(
    question: string,
    options?: Fields<api.SearchExplain, "question"> & Options,
  ): Promise<api.SearchExplained>;

  /** Sends a document; with `wait` it returns when the document is ready or has failed: see `status`. */
  upload(
    file: Content,
    options?: {
      /** By default the name of the File. */
      filename?: string;
      workspace?: string;
      source?: string;
      metadata?: Record<string, unknown>;
      wait?: boolean | number;
      onLook?: (seen: api.Document) => void;
    } & Options,
  ): Promise<Result<"create_document">>;
  waitDocument(id: string, options?: Waiting<api.Document>): Promise<api.Document>;
}

export class CitewellError extends Error {}

/** The server refused the request: `code` is for programs, `detail` for people, `retryAfter` in seconds or null. */
export class ApiProblem extends CitewellError {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly retryAfter: number | null;
}

export class NotAllowed extends ApiProblem {}
export class NotFound extends ApiProblem {}
export class Conflict extends ApiProblem {}
export class InputRefused extends ApiProblem {}
export class Busy extends ApiProblem {}

/** There was no answer. */
export class ServerUnreachable extends CitewellError {
  readonly passing: boolean;
}

/** A message to a webhook (docs/webhooks.md): `type` is one of the event types. */
export interface WebhookMessage {
  type: string;
  timestamp: string;
  data: Record<string, any>;
}

/**
 * The message, if it is genuine and was signed within `tolerance` seconds (300) of now. `body` is the raw body as it
 * was received. With several secrets one has to match: the old and the new one during a rotation. `now` is Unix time in
 * seconds. Rejects with `WebhookInvalid` or `WebhookSecretInvalid`.
 */
export function verifyWebhook(
  body: string | ArrayBuffer | ArrayBufferView,
  headers: Headers | Map<string, string> | Record<string, string | string[] | undefined>,
  secret: string | string[],
  options?: { tolerance?: number; now?: number },
): Promise<WebhookMessage>;

export class WebhookInvalid extends CitewellError {}
export class WebhookSecretInvalid extends CitewellError {}
