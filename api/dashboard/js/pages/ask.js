/** The first page: ask a question; with nothing to ask yet, bring the documents here. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { words } from "../i18n.js";
import { EXAMPLE, exampleButton, exampleQuestions } from "../parts/first_steps.js";
import { told, trouble } from "../parts/notices.js";
import { isOffline, offlineBanner } from "../parts/offline.js";
import { questionForm } from "../parts/question.js";
import { suggestions } from "../parts/suggestions.js";
import { refreshThreads } from "../parts/threads.js";
import { workspacesByUse } from "../parts/workspaces.js";
import { go } from "../router.js";
import { ended, hearUploads, uploads } from "../uploads.js";

const t = words("pages/ask");

const GIVEN = ["question", "workspace", "mode", "run", "preset"];

/** `#/ask?question=&workspace=&mode=&run=&preset=`. */
export async function page(view, { search, signal }) {
  const given = Object.fromEntries(GIVEN.map((name) => [name, search.get(name)]).filter(([, value]) => value));
  const spaces = await workspacesByUse(signal);
  const said = h("div", { role: "status" });
  const adding = h(
    "details",
    { class: "card" },
    h("summary", {}, h("h2", {}, t("add"))),
    h("p", { class: "empty-hint", hidden: true }, t("empty")),
  );
  const form = questionForm({
    spaces,
    given,
    submit: async () => {
      await ready(form.workspace(), said, signal);
      await submitted(form, said);
    },
    change: () => look(),
  });
  const uploading = {
    place: () => ({ workspace: form.workspace() }),
    onready: () => adding.querySelector(".empty-hint").toggleAttribute("hidden", true),
    onproblem: (error) => show(said, trouble(error)),
    signal,
  };
  const drop = h("div");
  // It comes when it is first opened: most questions are asked of documents that are there.
  adding.addEventListener("toggle", async () => {
    if (!adding.open || drop.hasChildNodes()) return;
    try {
      const { upload } = await import("../parts/upload.js");
      if (!drop.hasChildNodes()) show(drop, upload(uploading));
    } catch (error) {
      adding.open = false;
      show(said, trouble(error));
    }
  });
  adding.append(
    drop,
    spaces.some(({ name }) => name === EXAMPLE)
      ? ""
      : exampleButton(() => go(withQuery("/ask", { workspace: EXAMPLE }))),
  );
  const problem = h("div"),
    examples = h("div"),
    banner = h("div");
  const offline = isOffline(signal);
  offline.then((isAlone) => show(banner, isAlone && offlineBanner()));
  const anew = () => {
    refreshThreads();
    look();
  };
  // Told here and not by the router, whose new page would have lost what was typed meanwhile.
  async function look() {
    show(problem);
    try {
      await lookForDocuments(form.workspace(), adding, signal);
      const { threads } = await ask("/v1/threads?limit=1", { signal });
      // Without a language model they would be answered by whatever sentence repeats their words.
      const fresh = !threads.length && !(await offline);
      const isExample = form.workspace() === EXAMPLE;
      show(
        examples,
        isExample ? await exampleQuestions(form.ask) : fresh && (await suggestions(form.workspace(), form.ask, signal)),
      );
    } catch (error) {
      if (!signal.aborted) show(problem, trouble(error, h("button", { type: "button", onclick: anew }, t("again"))));
    }
  }
  view.classList.add("asking");
  show(
    view,
    h("h1", {}, t("title")),
    h("p", { class: "muted" }, t("lead")),
    form.element,
    said,
    problem,
    examples,
    adding,
    banner,
  );
  if (matchMedia("(hover: hover)").matches) form.focus();
  await look();
}

/** Open the place for uploads when the workspace has nothing to ask. */
async function lookForDocuments(workspace, adding, signal) {
  const { documents } = await ask(withQuery("/v1/documents", { workspace, limit: 1 }), { signal });
  adding.querySelector(".empty-hint").hidden = documents.length > 0;
  adding.open = documents.length === 0 || uploads.some((file) => !ended(file));
}

/** Until no upload into the workspace is under way any more, or the question is sent anyway; meanwhile tell so. */
function ready(workspace, said, signal) {
  const going = () => uploads.some((file) => file.workspace === workspace && !ended(file));
  if (!going()) return null;
  const waiting = new AbortController();
  signal.addEventListener("abort", () => waiting.abort());
  return new Promise((resolve) => {
    const send = () => {
      waiting.abort();
      resolve();
    };
    show(
      said,
      h("div", { class: "caution row spread" }, t("waits"), h("button", { type: "button", onclick: send }, t("now"))),
    );
    hearUploads(() => {
      if (!waiting.signal.aborted && !going()) send();
    }, waiting.signal);
  });
}

async function submitted(form, said) {
  show(said);
  try {
    const { conversation_id: thread } = await ask("/v1/conversations/turns", {
      method: "POST",
      json: form.body(),
      headers: { "Idempotency-Key": key() },
    });
    refreshThreads();
    go(`/thread/${thread}`);
  } catch (error) {
    show(said, error.status ? trouble(error) : h("p", { class: "problem", role: "alert" }, told(error)));
    throw error;
  }
}

/** A name for this sending of the question; a browser's own are only there on https. */
const key = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16)).join("-");
