/** One question: live while it is worked on, then the answer with everything that was proven of it. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, seconds, words } from "../i18n.js";
import { live } from "../parts/live.js";
import { notice, told, trouble } from "../parts/notices.js";
import { offlineBanner } from "../parts/offline.js";
import { result, resultOfFailed } from "../parts/result.js";
import { go } from "../router.js";
import { listen } from "../stream.js";

const t = words("pages/query");

const FINAL = new Set(["succeeded", "failed", "cancelled"]);

/** `#/query/ID`. */
export async function page(view, { params, signal }) {
  const path = `/v1/queries/${encodeURIComponent(params.id)}`;
  const query = await asked(params.id, path, signal);
  if (!query) return undefined;
  if (FINAL.has(query.status)) return finished(view, query, path, signal);
  const watched = live(signal);
  const cancel = h("button", { type: "button", class: "danger", onclick: () => cancelled(cancel, path) }, t("cancel"));
  show(view, head(query, cancel), watched.element);
  // Not waited for: the page is drawn, and what it shows goes on.
  return void watch(view, path, watched, signal).catch((error) => signal.aborted || view.prepend(trouble(error)));
}

/**
 * The question; null where the id is that of a verification, whose page is opened: feedback names both by their id
 * alone.
 */
async function asked(id, path, signal) {
  try {
    return await ask(path, { signal });
  } catch (error) {
    if (error.status !== 404) throw error;
    await ask(`/v1/verifications/${encodeURIComponent(id)}`, { signal }).catch(() => {
      throw error;
    });
    location.replace(`#/verification/${encodeURIComponent(id)}`);
    return null;
  }
}

async function watch(view, path, watched, signal) {
  await listen(`${path}/events`, (event) => watched.hear(event), signal);
  watched.end();
  // The last event has the result too; asked for here, it is there also when the stream ended without telling it.
  if (!signal.aborted) finished(view, await ask(path, { signal }), path, signal, true);
}

async function cancelled(button, path) {
  button.disabled = true;
  await ask(path, { method: "DELETE" }).catch((error) => notice(told(error)));
}

function finished(view, query, path, signal, news = false) {
  const place = h("div");
  show(view, head(query, actions(query, path)), query.provider === "offline" && offlineBanner(), ended(query), place);
  const history = ask(`${path}/verifications`, { signal });
  if (query.status === "succeeded") result(place, query, path, history, signal);
  else resultOfFailed(place, query, history);
  if (news) notice(t("arrived"), { ofThisPage: true });
}

function head(query, buttons) {
  return h(
    "header",
    { class: "query-head" },
    h("h1", { dir: "auto" }, query.question),
    query.restated_question && h("p", { dir: "auto" }, t("restated", { q: query.restated_question })),
    h(
      "div",
      { class: "row spread" },
      h(
        "p",
        { class: "small muted facts" },
        facts(query).map((fact) => h("span", {}, fact)),
      ),
      h("div", { class: "row" }, buttons),
    ),
    query.replay_of &&
      h("p", { class: "small" }, t("replayOf"), " ", h("a", { href: `#/query/${query.replay_of}` }, t("earlier"))),
  );
}

function facts(query) {
  const took = query.finished_at && (new Date(query.finished_at) - new Date(query.created_at)) / 1000;
  return [
    t("workspace", { name: query.workspace }),
    t(query.run),
    t(query.mode),
    query.preset === "cheap" && t("cheap"),
    query.model || query.provider,
    moment(query.created_at),
    took && t("took", { s: seconds(took) }),
  ].filter(Boolean);
}

function actions(query, path) {
  const { workspace, mode, run, preset } = query;
  const question = query.restated_question || query.question;
  return [
    query.status !== "succeeded" &&
      h("button", { type: "button", class: "primary", onclick: () => replay(path) }, t("replay")),
    h("a", { class: "button", href: withQuery("#/ask", { question, workspace, mode, run, preset }) }, t("again")),
  ];
}

async function replay(path) {
  try {
    const { id } = await ask(`${path}/replay`, { method: "POST" });
    go(`/query/${id}`);
  } catch (error) {
    notice(told(error));
  }
}

function ended({ status, error }) {
  if (status === "cancelled") return h("p", { class: "problem" }, t("cancelled"));
  if (status === "failed")
    return h(
      "div",
      { class: "problem" },
      h("strong", {}, t("failed")),
      h("div", { dir: "auto" }, error?.message),
      h("code", {}, error?.code),
    );
  return null;
}
