/** Where documents that were found give the same thing two values, with both places; what is in force goes first. */
import { h } from "../dom.js";
import { words } from "../i18n.js";
import { openLink, placeOf, readable } from "./evidence.js";

const t = words("parts/conflicts");

/** A box with every conflict of the answer; null when there is none. */
export function conflictsOf({ conflicts }) {
  return (
    conflicts.length > 0 &&
    h(
      "div",
      { class: "caution conflicts", role: "group", "aria-label": t("title") },
      h("strong", {}, t("title")),
      conflicts.map((conflict) =>
        h(
          "div",
          {},
          h("ul", {}, sidesOf(conflict).map(side)),
          conflict.in_force === "other" && h("div", { class: "small" }, t("other")),
        ),
      ),
    )
  );
}

/** The sides of a conflict as `{ place, isInForce }`, the one in force first. */
function sidesOf({ stated, other, in_force: inForce }) {
  const sides = [
    { place: stated, isInForce: inForce === "stated" },
    { place: other, isInForce: inForce === "other" },
  ];
  return inForce === "other" ? sides.reverse() : sides;
}

function side({ place, isInForce }) {
  return h(
    "li",
    {},
    h("strong", { dir: "auto" }, place.value),
    " · ",
    placeOf({ document_name: place.document, page_number: place.page, section: place.section }),
    place.date && ` · ${place.date}`,
    isInForce && [" · ", h("em", {}, t("replaces"))],
    " ",
    openLink(place),
    place.quote !== place.value &&
      h("div", { class: "small muted", dir: "auto" }, `“${readable(place.quote, place.document)}”`),
  );
}
