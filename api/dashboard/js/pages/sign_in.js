/** What became of a sign-in that did not succeed, and another try. */
import { h, show } from "../dom.js";
import { words } from "../i18n.js";
import { hasPeople, signInAddress } from "../people.js";

const t = words("pages/sign_in");

const PROBLEMS = ["state", "denied", "token", "nobody", "revoked", "provider", "refused"];

export function page(view, { search }) {
  const problem = search.get("problem");
  show(
    view,
    h("h1", {}, t("title")),
    PROBLEMS.includes(problem) && h("p", { class: "problem", role: "alert" }, t(problem)),
    hasPeople
      ? h("p", {}, h("a", { class: "button primary", href: signInAddress("") }, t("in")))
      : h("p", { class: "empty" }, t("none")),
  );
}
