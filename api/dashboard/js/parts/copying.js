/** Taking an answer along, as the API writes it: on the clipboard as text or Markdown, as PDF, Word or JSON. */
import { h } from "../dom.js";
import { send } from "../http.js";
import { words } from "../i18n.js";
import { notice, told } from "./notices.js";

const t = words("parts/copying");

/** The buttons. `path` is where the API tells `query`; null is for a whole conversation, which has no JSON file. */
export function copyButtons(query, path) {
  const exported = (format) => `${path}/export?format=${format}`;
  const button = (name, onclick) => h("button", { type: "button", onclick }, t(name));
  return [
    ...["text", "markdown"].map((format) => button(format, () => copy(textOf(exported(format))))),
    ...["pdf", "docx", query && "json"].filter(Boolean).map((format) => button(format, () => save(exported(format)))),
  ];
}

const textOf = async (path) => (await send(path)).text();

/**
 * Put `text`, or what its promise brings, on the clipboard. A browser may ask that this begins with the press itself,
 * so what is still to come is given to it as a promise. Pages that came over plain HTTP from elsewhere have only the
 * old way.
 */
export async function copy(text) {
  const coming = Promise.resolve(text);
  try {
    if (!navigator.clipboard) copyOldWay(await coming);
    else if (typeof text === "string") await navigator.clipboard.writeText(text);
    else await navigator.clipboard.write([new ClipboardItem({ "text/plain": coming.then(asPlain) })]);
    notice(t("copied"));
  } catch {
    // What the API refused says more than that nothing was copied.
    await coming.then(
      () => notice(t("failed")),
      (error) => notice(told(error)),
    );
  }
}

const asPlain = (text) => new Blob([text], { type: "text/plain" });

function copyOldWay(text) {
  const field = h("textarea", { class: "sr-only", value: text });
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("refused");
}

/** Save what the API sends, under the name that it gives, or else `name`. */
export async function save(path, name = "") {
  try {
    const response = await send(path);
    const address = URL.createObjectURL(await response.blob());
    const link = h("a", { download: nameOf(response) || name });
    link.href = address;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  } catch (error) {
    notice(told(error));
  }
}

/** The name of RFC 5987, which has all letters. */
function nameOf(response) {
  const [, name] = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get("Content-Disposition") || "") || [];
  return name ? decodeURIComponent(name) : "";
}
