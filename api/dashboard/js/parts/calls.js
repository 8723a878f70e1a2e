/** The verifications that were made, the newest first. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, words } from "../i18n.js";
import { trouble } from "./notices.js";
import { records } from "./records.js";

const t = words("parts/calls");

const TONES = { succeeded: "no_claim", failed: "contradicted", cancelled: "no_claim" };
const STATES = ["queued", "running", "succeeded", "failed", "cancelled"];

/** A badge for the state of a verification. */
export const callState = (status) => h("span", { class: `badge ${TONES[status] || "not_checked"}` }, t(status));
/** What a verification is called: its question, its submitter's own id, or neither. */
export const callName = ({ question, custom_id: own }) => question || own || t("untitled");

/** `{ element, load() }`: a filter, a table, and more of it. */
export function calls(signal) {
  const state = { rows: [], cursor: null };
  const rows = records(t("title"), [
    {
      label: t("what"),
      cell: (call) => [h("a", { href: `#/verification/${call.id}`, dir: "auto" }, callName(call)), notes(call)],
    },
    { label: t("status"), cell: (call) => callState(call.status) },
    { label: t("when"), nowrap: true, cell: (call) => moment(call.created_at) },
  ]);
  const result = h("div");
  const status = h(
    "select",
    { onchange: () => load() },
    h("option", { value: "" }, t("any")),
    STATES.map((name) => h("option", { value: name }, t(name))),
  );
  const more = h("button", { type: "button", hidden: true, onclick: () => load(state.cursor) }, t("more"));
  async function load(cursor = "") {
    try {
      const told = await ask(withQuery("/v1/verifications", { status: status.value, cursor, limit: 20 }), { signal });
      state.rows = cursor ? [...state.rows, ...told.verifications] : told.verifications;
      state.cursor = told.next_cursor;
      rows.update(state.rows);
      show(result, state.rows.length ? rows.element : h("p", { class: "empty" }, t(status.value ? "nothing" : "none")));
      more.hidden = !state.cursor;
    } catch (error) {
      if (!signal.aborted) show(result, trouble(error));
    }
  }
  const element = h(
    "section",
    { class: "card stack", "aria-labelledby": "calls" },
    h("h2", { id: "calls" }, t("title")),
    h("label", { class: "short" }, t("status"), status),
    result,
    more,
  );
  return { element, load };
}

function notes({ question, custom_id: own, batch_id: batch, replay_of: replayed }) {
  const said = [question && own, batch && t("batch"), replayed && t("again")].filter(Boolean);
  return said.length > 0 && h("div", { class: "small muted" }, said.join(" · "));
}
