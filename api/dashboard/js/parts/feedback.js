/** What people say of a result: whether it helps, why, what is right, and their own verdicts on its sentences. */
import { h, show, svg } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, words } from "../i18n.js";
import { notice, told } from "./notices.js";

const t = words("parts/feedback");

const MOST = 500;
const LONGEST = 90;
const THUMB =
  "M7 10v11H3V10zM7 10l4-8c1.7 0 2.6 1.2 2.3 2.8L12.5 9H19a2 2 0 0 1 2 2.3l-1.3 7.6A2.5 2.5 0 0 1 17.2 21H7";

/** A thumb; what it means is said beside it or as a label. */
export function thumb(rating) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", width: 18, height: 18, class: `thumb ${rating}`, "aria-hidden": "true" },
    svg("path", { d: THUMB }),
  );
}

/**
 * `{ element, onSentence(position) }` for the result of the question or verification `id`; the latter is what its card
 * adds.
 */
export function feedbackOn(id, signal) {
  const state = { all: [] };
  const said = h("div");
  const rated = thumbs(id, state, draw);
  function draw() {
    const others = state.all.filter((opinion) => opinion.id !== rated.own()?.id);
    show(
      said,
      others.length > 0 &&
        h(
          "details",
          { class: "small" },
          h("summary", {}, `${t("said")} (${others.length})`),
          h("ul", { class: "plain-list stack tight" }, others.map(entry)),
          h("p", {}, h("a", { href: "#/feedback" }, t("queue"))),
        ),
    );
  }
  ask(withQuery("/v1/feedback", { query_id: id, limit: MOST }), { signal })
    .then(({ feedback }) => {
      state.all = feedback;
      draw();
    })
    .catch(() => null); // a key may not read it
  return {
    element: h("div", { class: "feedback stack" }, rated.element, said),
    onSentence: (position) => onSentence(id, position, state, draw),
  };
}

/** What one press says of the whole; the last is no verdict about the sources. */
const PRESSES = { up: { rating: "up" }, down: { rating: "down" }, aside: { rating: "down", relevant: "no" } };
const pressOf = (own) => own && (own.relevant === "no" ? "aside" : own.rating);

function thumbs(id, state, draw) {
  let own = null;
  const form = h("div");
  const buttons = Object.entries(PRESSES).map(([name, { rating, relevant }]) =>
    h(
      "button",
      {
        type: "button",
        class: relevant && "small",
        "aria-label": t(name),
        title: t(name),
        "aria-pressed": "false",
        onclick: () => press(name),
      },
      relevant ? t(name) : thumb(rating),
    ),
  );
  async function press(name) {
    const before = own;
    buttons.forEach((button) => {
      button.disabled = true;
    });
    try {
      if (before) await takenBack(before, state);
      own = pressOf(before) === name ? null : await given({ query_id: id, ...PRESSES[name] }, state);
      show(form, own ? more(own, state, draw) : h("p", { class: "small muted", role: "status" }, t("taken")));
    } catch (error) {
      notice(told(error));
    }
    buttons.forEach((button, place) => {
      button.disabled = false;
      button.setAttribute("aria-pressed", String(pressOf(own) === Object.keys(PRESSES)[place]));
    });
    buttons[Object.keys(PRESSES).indexOf(name)].focus();
    draw();
  }
  return {
    own: () => own,
    element: h(
      "div",
      { class: "stack tight" },
      h(
        "div",
        { class: "row", role: "group", "aria-label": t("title") },
        h("span", { class: "small muted" }, t("title")),
        buttons,
      ),
      form,
    ),
  };
}

/** More than the thumb, which was kept when it was pressed. */
function more(own, state, draw) {
  const [reason, corrected] = ["reason", "corrected"].map((name) =>
    h("textarea", { rows: "2", maxlength: "20000", dir: "auto", name }),
  );
  const verdict = h(
    "select",
    {},
    ["unsaid", "supported", "unsupported"].map((choice) =>
      h("option", { value: choice === "unsaid" ? "" : choice }, t(choice)),
    ),
  );
  const form = h(
    "form",
    {
      class: "stack tight",
      onsubmit: async (event) => {
        event.preventDefault();
        const json = {
          reason: reason.value.trim() || null,
          corrected_answer: corrected.value.trim() || null,
          verdict: verdict.value || null,
        };
        try {
          Object.assign(own, await ask(`/v1/feedback/${own.id}`, { method: "PATCH", json }));
          show(form, h("p", { class: "small", role: "status" }, "✓ ", t("sent")));
          draw();
        } catch (error) {
          notice(told(error));
        }
      },
    },
    h("p", { class: "small", role: "status" }, t("thanks")),
    h(
      "div",
      { class: "sieve top-aligned" },
      h("label", {}, t("reason"), reason),
      h("label", {}, t("corrected"), corrected),
    ),
    h("div", { class: "row" }, h("label", {}, t("verdict"), verdict), h("button", { class: "send" }, t("send"))),
  );
  return form;
}

/** A person's own verdict on one sentence, in its card; pressed again it is taken back. */
function onSentence(id, position, state, draw) {
  const before = () => state.all.find((opinion) => opinion.place === "sentence" && opinion.position === position);
  const VERDICTS = { supported: "yes", unsupported: "no" };
  const buttons = Object.entries(VERDICTS).map(([verdict, name]) =>
    h(
      "button",
      {
        type: "button",
        class: "small",
        onclick: async () => {
          const old = before();
          try {
            if (old) await takenBack(old, state);
            if (old?.verdict !== verdict) await given({ query_id: id, sentence: position, verdict }, state);
          } catch (error) {
            notice(told(error));
          }
          press();
          draw();
        },
      },
      t(name),
    ),
  );
  const press = () =>
    buttons.forEach((button, place) =>
      button.setAttribute("aria-pressed", String(before()?.verdict === Object.keys(VERDICTS)[place])),
    );
  press();
  return h(
    "div",
    { class: "row yours", role: "group", "aria-label": t("yours") },
    h("span", { class: "small muted" }, t("yours")),
    buttons,
  );
}

async function given(json, state) {
  const kept = await ask("/v1/feedback", { method: "POST", json });
  state.all.unshift(kept);
  return kept;
}

async function takenBack({ id }, state) {
  await ask(`/v1/feedback/${id}`, { method: "DELETE" });
  state.all = state.all.filter((opinion) => opinion.id !== id);
}

function entry(rating) {
  return h(
    "li",
    {},
    rating.place === "answer"
      ? null
      : h("div", { class: "muted", dir: "auto" }, t("sentence", { text: shortened(rating.excerpt) })),
    judgement(rating),
    h("div", { class: "muted" }, [
      rating.author && h("bdi", {}, rating.author, " · "),
      moment(rating.created_at),
      rating.status === "reviewed" && ` · ${t("reviewed")}`,
    ]),
  );
}

const shortened = (text) => (!text || text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`);

/** What one person said, in words. */
export function judgement({ rating, verdict, relevant, reason, corrected_answer: corrected }) {
  return [
    h(
      "div",
      { class: "row" },
      rating && h("span", { class: "rated" }, thumb(rating), " ", t(rating)),
      verdict &&
        h(
          "span",
          { class: `badge ${verdict}` },
          h("span", { "aria-hidden": "true" }, verdict === "supported" ? "✓" : "!"),
          t(verdict === "supported" ? "found" : "missing"),
        ),
      relevant &&
        h("span", { class: `badge ${relevant === "no" ? "partial" : "supported"}` }, t(`relevant_${relevant}`)),
    ),
    reason && h("p", { dir: "auto" }, reason),
    corrected && h("ins", { dir: "auto" }, corrected),
  ];
}
