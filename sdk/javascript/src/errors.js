/** The errors that the client throws, besides the reason of an aborted signal. */
export class CitewellError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * The server refused the request: `status`, `code` for programs, `detail` for people, `retryAfter` in seconds or null.
 */
export class ApiProblem extends CitewellError {
  constructor(status, code, detail, retryAfter = null) {
    super(detail);
    Object.assign(this, { status, code, detail, retryAfter });
  }
}

/** The key is missing or not valid, or does not open the requested resource. */
export class NotAllowed extends ApiProblem {}

/** The resource does not exist, or this key may not see it. */
export class NotFound extends ApiProblem {}

/** The state of the resource does not allow the request. */
export class Conflict extends ApiProblem {}

/** The request is not valid; `detail` says what to correct. */
export class InputRefused extends ApiProblem {}

/** The server has too much to do, or this key has asked too often. */
export class Busy extends ApiProblem {}

/** There was no answer; `passing` is true when a retry makes sense. */
export class ServerUnreachable extends CitewellError {
  constructor(url, why, { passing, cause }) {
    super(`cannot reach a server at ${url} (${why}); start one with \`citewell up\` or check the address`, { cause });
    this.passing = passing;
  }
}

/** A message to a webhook is not genuine, or too old. */
export class WebhookInvalid extends CitewellError {}

/** The secret is not that of a webhook; the message does not repeat it. */
export class WebhookSecretInvalid extends CitewellError {
  constructor() {
    super("a secret is whsec_ and 24 to 64 bytes in base64");
  }
}

const BY_STATUS = {
  400: InputRefused,
  401: NotAllowed,
  403: NotAllowed,
  404: NotFound,
  409: Conflict,
  413: InputRefused,
  415: InputRefused,
  422: InputRefused,
  429: Busy,
  503: Busy,
};

/** The problem in a response with an error status. */
export async function problemOf(response) {
  const body = await response.json().catch(() => null);
  if (typeof body?.code !== "string" || typeof body.detail !== "string") return notCitewell(response);
  const Kind = BY_STATUS[response.status] ?? ApiProblem;
  return new Kind(response.status, body.code, body.detail, retryAfterOf(response));
}

/** The problem for a server that answers, but not as Citewell does. */
export function notCitewell(response) {
  const where = response.url ? new URL(response.url).origin : "the server";
  const detail = `${where} does not answer as Citewell (HTTP status ${response.status})`;
  return new ApiProblem(response.status, "not_citewell", detail);
}

/** The seconds that a server names, as a number or a date. */
function retryAfterOf(response) {
  const value = (response.headers.get("Retry-After") ?? "").trim();
  if (/^\d{1,12}$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000);
}
