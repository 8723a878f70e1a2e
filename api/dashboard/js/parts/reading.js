/** A word beside an answer while documents of its workspace are still being read. */
import { h } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { number, words } from "../i18n.js";

const t = words("parts/reading");

const UNREAD = ["queued", "processing"];
const COUNTED = 100;

/** The note, or null where every document has been read; a server that does not answer says nothing. */
export async function stillReading(workspace, signal) {
  const listings = await Promise.all(
    UNREAD.map((status) => ask(withQuery("/v1/documents", { workspace, status, limit: COUNTED }), { signal })),
  ).catch(() => []);
  const count = listings.reduce((sum, { documents }) => sum + documents.length, 0);
  return count > 0 ? h("p", { class: "caution", role: "note" }, t("reading", { n: number(count) })) : null;
}
