/** Taking an answer along: as text, as Markdown with its references, as PDF, as the JSON of the API. */
import { h } from "../dom.js";
import { send } from "../http.js";
import { moment, words } from "../i18n.js";
import { placeText } from "./evidence.js";
import { notice, told } from "./notices.js";
import { copiedNote } from "./offline.js";

const t = words("parts/copying");

/** The buttons. `path` is where the API tells `query`. */
export function copyButtons(query, path) {
  return [
    h("button", { type: "button", onclick: () => copy(asText(query)) }, t("text")),
    h("button", { type: "button", onclick: () => copy(asMarkdown(query)) }, t("markdown")),
    h("button", { type: "button", onclick: () => save(`${path}/export?format=pdf`, `${query.id}.pdf`) }, t("pdf")),
    h("button", { type: "button", onclick: () => save(path, `${query.id}.json`) }, t("json")),
  ];
}

function asText(query) {
  const listed = query.references.length ? `\n\n${t("references")}\n${query.references.join("\n")}` : "";
  return `${query.answer}${listed}\n\n${proof(query)}\n`;
}

/** The signal of the answer, for readers elsewhere: they see neither its colour nor the page around it. */
function proof(query) {
  const { signal, finished_at: when } = query;
  return [signal && `${signal.word}. ${signal.reason}`, copiedNote(query), moment(when)].filter(Boolean).join(" ");
}

function asMarkdown(query) {
  const first = new Map();
  for (const citation of query.citations) if (!first.has(citation.number)) first.set(citation.number, citation);
  const lines = [...first.values()]
    .sort((left, right) => left.number - right.number)
    .map((citation) => `[^${citation.number}]: ${placeText(citation)}: “${citation.text_span.replace(/\s+/g, " ")}”`);
  const answer = query.answer.replace(/\[(\d+)\]/g, "[^$1]");
  const notes = lines.length ? `\n${lines.join("\n")}\n` : "";
  return `## ${query.restated_question || query.question}\n\n${answer}\n\n${proof(query)}\n${notes}`;
}

/** Put `text` on the clipboard; pages that came over plain HTTP from elsewhere have only the old way. */
export async function copy(text) {
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else copyOldWay(text);
    notice(t("copied"));
  } catch {
    notice(t("failed"));
  }
}

function copyOldWay(text) {
  const field = h("textarea", { class: "sr-only", value: text });
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("refused");
}

export async function save(path, name) {
  try {
    const address = URL.createObjectURL(await (await send(path)).blob());
    const link = h("a", { download: name });
    link.href = address;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  } catch (error) {
    notice(told(error));
  }
}
