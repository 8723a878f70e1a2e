/** Where documents that were found give the same thing two values, with both places; what is in force goes first. */
import { h } from "../dom.js";
import { words } from "../i18n.js";
import { openLink, placeOf } from "./evidence.js";

const t = words({
  en: { title: "Your documents disagree", replaces: "says that it replaces the other", other: "The answer uses the value that was replaced." },
  ko: { title: "문서의 내용이 서로 다릅니다", replaces: "다른 문서를 대체한다고 밝힌 문서", other: "답변은 대체되기 전의 값을 사용했습니다." },
});

/** A box with every conflict of the answer; null when there is none. */
export function conflictsOf({ conflicts }) {
  return conflicts.length > 0 && h("section", { class: "caution conflicts", "aria-label": t("title") }, h("strong", {}, t("title")),
    conflicts.map((one) => h("div", {}, h("ul", {}, sidesOf(one).map(side)), one.in_force === "other" && h("div", { class: "small" }, t("other")))));
}

/** The sides of a conflict as `{ place, isInForce }`, the one in force first. */
export function sidesOf({ stated, other, in_force: inForce }) {
  const sides = [{ place: stated, isInForce: inForce === "stated" }, { place: other, isInForce: inForce === "other" }];
  return inForce === "other" ? sides.reverse() : sides;
}

function side({ place, isInForce }) {
  return h("li", {}, h("strong", { dir: "auto" }, place.value), " · ", placeOf({ document_name: place.document, page_number: place.page, section: place.section }),
    place.date && ` · ${place.date}`, isInForce && [" · ", h("em", {}, t("replaces"))], " ", openLink(place),
    place.quote !== place.value && h("div", { class: "small muted", dir: "auto" }, `“${place.quote}”`));
}
