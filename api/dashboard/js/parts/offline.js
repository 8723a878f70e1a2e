/** What a reader has to know when no language model is configured. */
import { h } from "../dom.js";
import { address } from "../http.js";
import { words } from "../i18n.js";

const t = words({
  en: {
    copied: "No language model is configured; sentences are copied from the documents.",
    judged: "What is said in other words can be misjudged, and some wrong statements pass as supported.",
  },
  ko: {
    copied: "언어 모델이 설정되어 있지 않아 문서의 문장을 그대로 옮깁니다.",
    judged: "다른 말로 쓴 문장은 잘못 판정될 수 있고, 틀린 문장이 근거 있음으로 나올 수도 있습니다.",
  },
});

/** What a copied answer takes along wherever it goes; nothing of one that a model wrote. */
export const copiedNote = ({ provider, abstained }) => (provider === "offline" && !abstained ? t("copied") : "");

/** The banner itself; `copied` says whether the answer was written here, too. */
export function offlineBanner({ copied = true } = {}) {
  return h("p", { class: "caution", role: "note" }, copied && [h("strong", {}, t("copied")), " "], t("judged"));
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
