/** Two texts beside each other, with what went marked in the one and what came in the other. */
import { difference } from "../difference.js";
import { h } from "../dom.js";
import { words } from "../i18n.js";
import { alike } from "./changes.js";

const t = words("parts/beside");

export function beside(before, after) {
  const parts = difference(alike(before), alike(after));
  return h(
    "div",
    { class: "columns wide" },
    side(t("before"), parts, "gone", "del"),
    side(t("after"), parts, "new", "ins"),
  );
}

function side(title, parts, kind, element) {
  const shown = parts.filter((part) => part.kind === "same" || part.kind === kind);
  const mark = h("span", { class: "sr-only" }, ` (${t(kind)}) `);
  return h(
    "section",
    {},
    h("h3", {}, title),
    h(
      "div",
      { class: "answer", dir: "auto" },
      shown.map((part) =>
        part.kind === "same" || !part.text.trim() ? part.text : h(element, {}, part.text, mark.cloneNode(true)),
      ),
    ),
  );
}
