/** Who is signed in, in the side bar: their name and the way out, or the way in. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { words } from "../i18n.js";
import { signInAddress } from "../people.js";
import { notice, told } from "./notices.js";

const t = words("parts/person");
let known = null;

export async function drawPerson(view) {
  known ??= ask("/v1/me").catch((error) => {
    known = null;
    if (error.status !== 401) throw error;
    return null;
  });
  try {
    const me = await known;
    show(view, me === null ? wayIn() : me.kind === "person" && name(me));
  } catch (error) {
    show(view, h("span", { class: "small muted" }, told(error)));
  }
}

const wayIn = () => h("a", { class: "button primary", href: signInAddress() }, t("in"));

function name(me) {
  return h(
    "div",
    { class: "row tight" },
    h("a", { href: "#/account", class: "small" }, t("as", { name: me.name })),
    h("button", { type: "button", class: "small plain", onclick: leave }, t("out")),
  );
}

async function leave() {
  try {
    const { url } = await ask("/auth/sign-out", { method: "POST" });
    location.assign(url ?? document.baseURI);
  } catch (error) {
    notice(told(error));
  }
}
