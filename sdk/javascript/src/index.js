export { AnswerStream } from "./answer_stream.js";
export { Citewell } from "./citewell.js";
export {
  ApiProblem,
  Busy,
  CitewellError,
  Conflict,
  InputRefused,
  NotAllowed,
  NotFound,
  ServerUnreachable,
  WebhookInvalid,
  WebhookSecretInvalid,
} from "./errors.js";
export { verifyWebhook } from "./webhooks.js";
