/** What was sent to a webhook: every message with its attempts and its body, one or a range of them sent again. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, number, words } from "../i18n.js";
import { pause } from "../pause.js";
import { opened } from "./dialogs.js";
import { notice, told, trouble } from "./notices.js";
import { records } from "./records.js";

const t = words("parts/deliveries");

const STATES = ["pending", "delivered", "failed", "cancelled"];
const ENDED = ["failed", "cancelled", "missed", "delivered"];
const TONES = { delivered: "supported", failed: "contradicted", pending: "not_checked" };
const PAGE = 20;
const LOOK_MS = 2000;

/** `{ element, follow() }` for one webhook; `follow` loads the list and keeps it true until `signal` aborts. */
export function deliveries({ id, url }, signal) {
  const here = `/v1/webhooks/${id}`;
  const state = { rows: [], cursor: null };
  const result = h("div");
  const rows = records(t("title", { url }), columns(load));
  const status = h(
    "select",
    { onchange: () => load() },
    h("option", { value: "" }, t("any")),
    STATES.map((name) => h("option", { value: name }, t(name))),
  );
  const more = h("button", { type: "button", hidden: true, onclick: () => load(state.cursor) }, t("more"));
  async function load(cursor = "") {
    try {
      const limit = cursor ? PAGE : Math.min(200, Math.max(PAGE, state.rows.length));
      const page = await ask(withQuery(`${here}/deliveries`, { status: status.value, cursor, limit }), { signal });
      state.rows = cursor ? [...state.rows, ...page.deliveries] : page.deliveries;
      state.cursor = page.next_cursor;
      rows.update(state.rows);
      show(result, state.rows.length ? rows.element : h("p", { class: "empty" }, t(status.value ? "nothing" : "none")));
      more.hidden = !state.cursor;
    } catch (error) {
      if (!signal.aborted) show(result, trouble(error));
    }
  }
  async function follow() {
    for (await load(); !signal.aborted; await pause(LOOK_MS, signal)) {
      if (state.rows.some(soon)) await load();
    }
  }
  const element = h(
    "div",
    { class: "stack" },
    h("label", { class: "short" }, t("state"), status),
    result,
    more,
    range(here, load),
  );
  return { element, load, follow };
}

/** Whether something will happen to it within a minute; what waits for hours is not asked for all the time. */
const soon = ({ status, next_attempt_at: next }) => status === "pending" && new Date(next) - Date.now() < 60_000;

function columns(load) {
  const spoken = (delivery) => ({ type: delivery.type, when: moment(delivery.created_at) });
  return [
    {
      label: t("message"),
      cell: (delivery) => [
        h("span", { class: "mono" }, delivery.type),
        delivery.error && h("div", { class: "small reason" }, delivery.error),
      ],
    },
    {
      label: t("state"),
      cell: (delivery) => h("span", { class: `badge ${TONES[delivery.status] || "no_claim"}` }, t(delivery.status)),
    },
    { label: t("attempts"), number: true, cell: (delivery) => number(delivery.attempts.length) },
    { label: t("code"), number: true, cell: (delivery) => delivery.attempts.at(-1)?.status_code ?? "–" },
    { label: t("next"), cell: (delivery) => moment(delivery.next_attempt_at) },
    { label: t("when"), cell: (delivery) => moment(delivery.created_at) },
    {
      label: t("actions"),
      quiet: true,
      cell: (delivery) =>
        h(
          "div",
          { class: "row tight" },
          h(
            "button",
            {
              type: "button",
              class: "small",
              "aria-label": t("showOf", spoken(delivery)),
              onclick: () => shown(delivery.id),
            },
            t("show"),
          ),
          delivery.status !== "pending" &&
            h(
              "button",
              {
                type: "button",
                class: "small",
                "aria-label": t("againOf", spoken(delivery)),
                onclick: () => again(delivery.id, load),
              },
              t("again"),
            ),
        ),
    },
  ];
}

async function again(id, load) {
  try {
    await ask(`/v1/deliveries/${id}/replay`, { method: "POST" });
    notice(t("sent"));
    await load();
  } catch (error) {
    notice(told(error));
  }
}

async function shown(id) {
  try {
    const delivery = await ask(`/v1/deliveries/${id}`);
    await opened(delivery.type, [
      h("p", { class: "small muted mono" }, delivery.message_id),
      h(
        "ol",
        { class: "tries" },
        delivery.attempts.map((attempt) =>
          h(
            "li",
            {},
            h("strong", {}, t("attempt", { n: attempt.number })),
            " · ",
            moment(attempt.time),
            " · ",
            attempt.status_code ?? t("noAnswer"),
            " · ",
            t("duration", { ms: number(attempt.duration_ms) }),
            attempt.error && h("div", { class: "small reason" }, attempt.error),
            attempt.response_excerpt && h("pre", {}, attempt.response_excerpt),
          ),
        ),
      ),
      h("h3", {}, t("payload")),
      h("pre", { tabindex: "0", class: "body" }, indented(delivery.payload)),
      h("div", { class: "row end" }, h("button", { autofocus: true }, t("close"))),
    ]);
  } catch (error) {
    notice(told(error));
  }
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function range(here, load) {
  const [since, until] = [true, false].map((required) => h("input", { type: "datetime-local", required }));
  const states = ENDED.map((state) => h("input", { type: "checkbox", value: state, checked: state !== "delivered" }));
  const send = async (event) => {
    event.preventDefault();
    const at = ({ value }) => (value ? new Date(value).toISOString() : null);
    try {
      const status = states.filter((box) => box.checked).map((box) => box.value);
      const { replayed } = await ask(`${here}/replay`, {
        method: "POST",
        json: { since: at(since), until: at(until), status },
      });
      notice(t("replayed", { n: number(replayed) }));
      await load();
    } catch (error) {
      notice(told(error));
    }
  };
  return h(
    "details",
    {},
    h("summary", {}, t("range")),
    h(
      "form",
      { class: "stack", onsubmit: send },
      h("div", { class: "sieve" }, h("label", {}, t("since"), since), h("label", {}, t("until"), until)),
      h(
        "fieldset",
        { class: "row" },
        h("legend", {}, t("which")),
        states.map((box) => h("label", { class: "inline" }, box, t(box.value))),
      ),
      h("div", {}, h("button", {}, t("send"))),
    ),
  );
}
