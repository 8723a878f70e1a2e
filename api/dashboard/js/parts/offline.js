/** What a reader has to know when no language model is configured. */
import { h } from "../dom.js";
import { address } from "../http.js";
import { words } from "../i18n.js";

const t = words("parts/offline");

/** The banner itself; `copied` says whether the answer was written here, too. */
export function offlineBanner({ copied = true } = {}) {
  return h(
    "p",
    { class: "caution", role: "note" },
    copied && [h("strong", {}, t("copied")), " "],
    t("judged"),
    " ",
    h("a", { href: "#/models" }, t("choose")),
  );
}

/** Whether this server has no language model; a server that does not answer says nothing. */
export async function isOffline(signal) {
  try {
    const response = await fetch(address("/healthz"), { signal, cache: "no-store" });
    return (await response.json()).provider === "offline";
  } catch {
    return false;
  }
}
