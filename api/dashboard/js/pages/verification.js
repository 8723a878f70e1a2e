/** One verification of an answer from elsewhere: live while it runs, then everything that was found. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { moment, words } from "../i18n.js";
import { answerText } from "../parts/answer.js";
import { callName, callState } from "../parts/calls.js";
import { givenResult } from "../parts/given_result.js";
import { notice, told as problemOf, trouble } from "../parts/notices.js";
import { offlineBanner } from "../parts/offline.js";
import { go } from "../router.js";
import { listen } from "../stream.js";

const t = words("pages/verification");

const FINAL = new Set(["succeeded", "failed", "cancelled"]);
const JUDGED = new Set(["sentence.verified", "sentence.failed", "sentence.checked", "sentence.kept"]);

export async function page(view, { params: { id }, search, signal }) {
  const path = `/v1/verifications/${encodeURIComponent(id)}`;
  const said = h("p", { class: "sr-only", role: "status" });
  const head = h("div");
  const place = h("div");
  show(view, head, said, place);
  let told = await ask(path, { signal });
  show(head, headOf(told, path));
  if (!FINAL.has(told.status)) {
    await watched(place, told, path, signal);
    if (signal.aborted) return;
    told = await ask(path, { signal });
    show(head, headOf(told, path));
    said.textContent = t("ended");
  }
  const at = search.has("source") ? { number: Number(search.get("source")), start: Number(search.get("start")) } : null;
  if (told.status === "succeeded") await givenResult(place, told, { at, signal });
  else
    show(
      place,
      told.error && trouble({ status: 1, ...told.error }),
      h(
        "section",
        { class: "card" },
        h("h2", {}, t("answer")),
        h("div", { class: "answer", dir: "auto" }, told.answer),
      ),
    );
}

function headOf(told, path) {
  const running = !FINAL.has(told.status);
  const act = (work) => async (event) => {
    event.currentTarget.disabled = true;
    await work().catch((error) => notice(problemOf(error)));
  };
  const replay = async () => go(`/verification/${(await ask(`${path}/replay`, { method: "POST" })).id}`);
  return h(
    "div",
    { class: "stack head" },
    h("a", { href: "#/verify" }, "← ", t("back")),
    h("h1", { dir: "auto" }, callName(told)),
    h(
      "div",
      { class: "row" },
      callState(told.status),
      h(
        "span",
        { class: "small muted" },
        [moment(told.created_at), told.provider === "offline" && t("offline")].filter(Boolean).join(" · "),
      ),
      running &&
        h(
          "button",
          { type: "button", class: "small", onclick: act(() => ask(path, { method: "DELETE" })) },
          t("cancel"),
        ),
      (told.status === "failed" || told.status === "cancelled") &&
        h("button", { type: "button", class: "small", onclick: act(replay) }, t("again")),
    ),
    told.provider === "offline" && offlineBanner({ copied: false }),
  );
}

/** Show every verdict as it arrives; resolves at the end. */
async function watched(place, { answer, stage }, path, signal) {
  const sentences = new Map();
  const text = h("div");
  const status = h("p", { role: "status", class: "muted" });
  let planned = false;
  const draw = () => {
    planned = false;
    show(text, answerText({ text: answer, sentences: [...sentences.values()] }));
    if (!sentences.size) return;
    const bad = [...sentences.values()].filter(
      (sentence) => !["supported", "no_claim"].includes(sentence.status),
    ).length;
    status.textContent = t("checked", { done: sentences.size, bad });
  };
  status.textContent = t(stage === "queued" ? "waiting" : "verifying");
  draw();
  show(
    place,
    h(
      "section",
      { class: "card stack", "aria-label": t("answer") },
      h("div", { class: "row" }, h("span", { class: "dot pulse", "aria-hidden": "true" }, "●"), status),
      h("progress"),
      text,
    ),
  );
  await listen(
    `${path}/events`,
    ({ type, data }) => {
      if (type === "stage") status.textContent = t(data.stage);
      if (!JUDGED.has(type)) return;
      sentences.set(data.sentence, { ...data, support: null, reason: "", source: null });
      if (!planned) requestAnimationFrame(draw);
      planned = true;
    },
    signal,
  );
}
