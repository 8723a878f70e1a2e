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
} from "./errors.js";
