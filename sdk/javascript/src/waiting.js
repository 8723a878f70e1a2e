/** Time: pauses, the patience of one request, and when a request is sent again. */
import { Busy, ServerUnreachable } from "./errors.js";

const TRIES = 3;
const FIRST_PAUSE_S = 0.25;
const SHORTEST_S = 0.05;
const LONGEST_S = 60;

/** Resolves after some seconds; rejects as soon as the signal aborts. */
export function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** The end of a wait. */
export class Deadline {
  #end;

  constructor(seconds) {
    this.#end = Date.now() + seconds * 1000;
  }

  get left() {
    return Math.max(0, (this.#end - Date.now()) / 1000);
  }
}

/** A signal that aborts with the caller's signal, or when no data has arrived for some seconds. */
export class Patience {
  #abort = new AbortController();
  #seconds;
  #signal;
  #stop;
  #timer;
  #isOver = false;

  constructor(seconds, signal) {
    signal?.throwIfAborted();
    this.#seconds = seconds;
    this.#signal = signal;
    this.#stop = () => this.#abort.abort(signal.reason);
    signal?.addEventListener("abort", this.#stop, { once: true });
    this.again();
  }

  get signal() {
    return this.#abort.signal;
  }

  /** Data arrived: the time begins anew. */
  again() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#abort.abort();
    }, this.#seconds * 1000);
  }

  end() {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#stop);
  }

  /** The error to throw when a request under this signal fails. */
  explained(error, url) {
    if (this.#signal?.aborted) return this.#signal.reason;
    if (this.#isOver)
      return new ServerUnreachable(url, `no answer in ${this.#seconds} s`, { passing: false, cause: error });
    if (!(error instanceof TypeError)) return error;
    const why = error.cause?.message || error.cause?.code || error.message;
    return new ServerUnreachable(url, why, { passing: true, cause: error });
  }
}

/** The attempts at one request. With a deadline, a server that names a retry time is asked until the deadline. */
export class Retries {
  #failed = 0;
  #repeatable;
  #deadline;

  constructor(repeatable, deadline) {
    this.#repeatable = repeatable;
    this.#deadline = deadline;
  }

  /** Seconds until the next attempt; throws the error itself when there is none. */
  pauseAfter(error) {
    this.#failed += 1;
    const asked = error instanceof Busy ? error.retryAfter : null;
    const seconds = asked === null ? FIRST_PAUSE_S * 2 ** (this.#failed - 1) : Math.max(asked, SHORTEST_S);
    const mayPass = error instanceof Busy || (error instanceof ServerUnreachable && error.passing);
    const enough = this.#failed >= TRIES && (!this.#deadline || asked === null);
    if (!this.#repeatable || !mayPass || enough || seconds >= (this.#deadline?.left ?? LONGEST_S)) throw error;
    return seconds;
  }
}
