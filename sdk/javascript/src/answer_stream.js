const PASSED = new Set(["sentence.verified", "sentence.repaired"]);

/**
 * The sentences of an answer, each as soon as it is verified: `for await (const sentence of stream)`.
 * `id` is that of the question from the first sentence on; afterwards `query` is the finished question.
 */
export class AnswerStream {
  id = null;
  query = null;
  #begin;
  #events;

  /** `begin` asks the question and returns its id; `events` yields its events. */
  constructor(begin, events) {
    this.#begin = begin;
    this.#events = events;
  }

  async *[Symbol.asyncIterator]() {
    this.id = await this.#begin();
    for await (const { type, data } of this.#events(this.id)) {
      if (PASSED.has(type)) yield data;
      if (data.query) this.query = data.query;
    }
  }
}
