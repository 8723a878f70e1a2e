/** First questions for somebody who has not asked any: about the sections of the newest documents. */
import { h } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { words } from "../i18n.js";

const t = words("parts/suggestions");

const DOCUMENTS = 2;
const EACH = 2;
const LONGEST = 60;
const NUMBERING = /^(?:\p{L}+ )?(?:(?:\d+|\p{L})[.)])*\d*[.)]?\s+(?=\p{L})/u;

/** Buttons that call `choose(question)`; null where no document has sections. */
export async function suggestions(workspace, choose, signal) {
  const { documents } = await ask(withQuery("/v1/documents", { workspace, status: "ready", limit: DOCUMENTS }), {
    signal,
  });
  const asked = (await Promise.all(documents.map((document) => questionsOf(document, signal)))).flat();
  if (!asked.length) return null;
  return h(
    "section",
    { class: "suggestions", "aria-labelledby": "suggestions" },
    h("h2", { id: "suggestions", class: "small muted" }, t("title")),
    asked.map((question) => h("button", { type: "button", dir: "auto", onclick: () => choose(question) }, question)),
  );
}

async function questionsOf({ id, filename, metadata }, signal) {
  const { sections } = await ask(`/v1/documents/${id}/layout`, { signal });
  const name = metadata.title && metadata.title.length <= LONGEST ? metadata.title : filename;
  const titles = sections
    .slice(1)
    .map(({ title }) => title.replace(NUMBERING, "").trim())
    .filter((title) => title && title.length <= LONGEST);
  // From the whole document and not from its beginning alone.
  return Array.from(
    { length: Math.min(EACH, titles.length) },
    (_, index) => titles[Math.floor(((index + 1) * titles.length) / (EACH + 1))],
  ).map((section) => t("about", { name, section }));
}
