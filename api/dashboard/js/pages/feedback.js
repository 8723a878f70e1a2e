/** What people said of answers: the queue to review, and what was decided. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, words } from "../i18n.js";
import { confirmed } from "../parts/dialogs.js";
import { judgement } from "../parts/feedback.js";
import { notice, told, trouble } from "../parts/notices.js";
import { proof } from "../parts/result.js";
import { keep } from "../router.js";

const t = words("pages/feedback");

const AT_A_TIME = 30;
const LONGEST = 400;
const REVIEWER = "citewell.reviewer";

/** `#/feedback?status=open|reviewed|`. */
export async function page(view, { search, signal }) {
  const choice = (options, value) =>
    h(
      "select",
      { onchange: () => load() },
      options.map(([option, name]) => h("option", { value: option, selected: option === value }, t(name))),
    );
  const status = choice(
    [
      ["open", "open"],
      ["reviewed", "reviewed"],
      ["", "all"],
    ],
    search.get("status") === "all" ? "" : (search.get("status") ?? "open"),
  );
  const rating = choice(
    [
      ["", "any"],
      ["up", "up"],
      ["down", "down"],
    ],
    search.get("rating"),
  );
  const verdict = choice(
    [
      ["", "any"],
      ["supported", "supported"],
      ["unsupported", "unsupported"],
    ],
    search.get("verdict"),
  );
  const relevant = choice(
    [
      ["", "any"],
      ["no", "aside"],
      ["yes", "asked"],
    ],
    search.get("relevant"),
  );
  const reviewer = h("input", {
    maxlength: "200",
    autocomplete: "name",
    value: localStorage.getItem(REVIEWER) || "",
    onchange: () => localStorage.setItem(REVIEWER, reviewer.value.trim()),
  });
  const list = h(
    "ul",
    { class: "plain-list stack reviews" },
    h("li", {}, h("progress", { class: "loading", "aria-label": t("loading") })),
  );
  const empty = h("p", { class: "empty", role: "status" });
  const more = h("button", { type: "button", hidden: true, onclick: () => load(state.cursor) }, t("more"));
  const state = { cursor: "", asked: 0 };
  async function load(cursor = "") {
    const asking = ++state.asked;
    const wanted = { status: status.value, rating: rating.value, verdict: verdict.value, relevant: relevant.value };
    const named = wanted.status === "open" ? "" : wanted.status || "all";
    keep(withQuery("#/feedback", { ...wanted, status: named }), signal);
    try {
      const listing = await ask(withQuery("/v1/feedback", { ...wanted, cursor, limit: AT_A_TIME }), { signal });
      if (asking !== state.asked) return;
      state.cursor = listing.next_cursor;
      more.hidden = !state.cursor;
      if (!cursor) show(list);
      list.append(...listing.feedback.map((entry) => item(entry, reviewer, (left) => keepOrGo(left))));
      told();
    } catch (error) {
      if (!signal.aborted) show(list, h("li", {}, trouble(error)));
    }
  }
  const told = () => {
    empty.textContent = list.children.length
      ? ""
      : t(status.value === "open" && !rating.value && !verdict.value && !relevant.value ? "none" : "nothing");
  };
  /** One that the filters do not show any more goes; the keyboard goes on with the next. */
  function keepOrGo({ element, entry }) {
    const fits = entry && (!status.value || entry.status === status.value);
    const next = element.nextElementSibling || element.previousElementSibling;
    if (fits) element.replaceWith(item(entry, reviewer, keepOrGo));
    else element.remove();
    (fits ? null : next?.querySelector("button") || status)?.focus();
    told();
  }
  show(
    view,
    h("h1", {}, t("title")),
    h("p", { class: "muted" }, t("lead")),
    h(
      "section",
      { class: "card stack", "aria-label": t("title") },
      h(
        "form",
        { class: "sieve", role: "search", "aria-label": t("filters"), onsubmit: (event) => event.preventDefault() },
        h("label", {}, t("status"), status),
        h("label", {}, t("rating"), rating),
        h("label", {}, t("verdict"), verdict),
        h("label", {}, t("relevant"), relevant),
        h("label", {}, t("name"), reviewer),
      ),
      list,
      empty,
      more,
    ),
  );
  await load();
}

function item(entry, reviewer, changed) {
  const verdict = h(
    "select",
    {},
    ["unsaid", "supported", "unsupported"].map((name) =>
      h("option", { value: name === "unsaid" ? "" : name, selected: name === entry.verdict }, t(name)),
    ),
  );
  const asked = h(
    "select",
    {},
    ["unsaid", "yes", "no"].map((name) =>
      h(
        "option",
        { value: name === "unsaid" ? "" : name, selected: name === entry.relevant },
        t({ yes: "asked", no: "aside" }[name] || name),
      ),
    ),
  );
  const act = (work) => async () => {
    try {
      const left = await work();
      if (left !== undefined) changed({ element, entry: left });
    } catch (error) {
      notice(told(error));
    }
  };
  const review = (json) => () =>
    ask(`/v1/feedback/${entry.id}`, { method: "PATCH", json: { ...json, reviewer: reviewer.value.trim() || null } });
  const removed = async () =>
    (await confirmed(t("sure"), t("warning"), t("remove")))
      ? ask(`/v1/feedback/${entry.id}`, { method: "DELETE" })
      : undefined;
  const open = entry.status === "open";
  const held = entry.review === "held";
  const element = h(
    "li",
    {},
    h(
      "div",
      { class: "row spread small muted" },
      h(
        "span",
        {},
        t(entry.place),
        " · ",
        entry.author && h("bdi", {}, `${entry.author} · `),
        moment(entry.created_at),
        entry.reviewed_by && [" · ", t("by", { name: entry.reviewed_by })],
      ),
      h("a", { href: `#/query/${entry.query_id}` }, t("see")),
    ),
    entry.question && h("h2", { class: "asked", dir: "auto" }, entry.question),
    entry.excerpt &&
      h(
        "blockquote",
        { class: "passage", dir: "auto" },
        entry.excerpt.length > LONGEST ? `${entry.excerpt.slice(0, LONGEST)} …` : entry.excerpt,
      ),
    entry.reasons && h("p", { class: held ? "caution small" : "small" }, reasonsOf(entry)),
    entry.reasons && entry.review !== "queued" && wholeAnswer(entry),
    judgement(entry),
    held && deciding(entry, (json) => act(review(json))()),
    h(
      "div",
      { class: "row labelled", hidden: held },
      open && h("label", { class: "small" }, t("decide"), verdict),
      open && entry.question && h("label", { class: "small" }, t("decideAsked"), asked),
      open
        ? h(
            "button",
            {
              type: "button",
              class: "small",
              onclick: act(() =>
                review({ status: "reviewed", verdict: verdict.value || null, relevant: asked.value || null })(),
              ),
            },
            t("accept"),
          )
        : h("button", { type: "button", class: "small", onclick: act(review({ status: "open" })) }, t("reopen")),
      h("button", { type: "button", class: "small danger plain", onclick: act(removed) }, t("remove")),
    ),
  );
  return element;
}

const reasonsOf = ({ reasons, review }) =>
  `${t(`review_${review}`)}: ${reasons.map((why) => t(`why_${why}`)).join(" · ")}`;

/** The answer with its marks and sources, asked for when it is opened: only reviewers may see it. */
function wholeAnswer(entry) {
  const place = h("div");
  const read = async () => {
    if (place.hasChildNodes()) return;
    try {
      show(place, proof(await ask(`/v1/feedback/${entry.id}/answer`)));
    } catch (error) {
      show(place, trouble(error));
    }
  };
  return h("details", { ontoggle: read }, h("summary", {}, t("whole")), place);
}

/** What becomes of an answer that is held back. */
function deciding(entry, decide) {
  const note = h("input", { maxlength: "2000", dir: "auto" });
  const text = h("textarea", { rows: "3", maxlength: "20000", dir: "auto" });
  const button = (decision, style) =>
    h(
      "button",
      {
        type: "button",
        class: `small ${style}`,
        onclick: () =>
          decide({
            decision,
            reason: note.value.trim() || null,
            corrected_answer: decision === "correct" ? text.value.trim() || null : null,
          }),
      },
      t(decision),
    );
  return h(
    "div",
    { class: "stack tight" },
    h("label", { class: "small" }, t("note"), note),
    h("label", { class: "small" }, t("corrected"), text),
    h("div", { class: "row" }, button("release", "primary"), button("correct", ""), button("reject", "danger plain")),
  );
}
