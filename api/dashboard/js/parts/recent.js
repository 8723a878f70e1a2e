/** The newest questions, with more of them on demand. */
import { h } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, words } from "../i18n.js";
import { callState } from "./calls.js";
import { notice, told } from "./notices.js";
import { signalBadge } from "./signal.js";

const t = words("parts/recent");

const AT_A_TIME = 8;

/** The list; asks the API for its first part. */
export async function recent(signal) {
  const list = h("ul", { class: "recent" });
  const none = h("p", { class: "muted", hidden: true }, t("none"));
  const more = h("button", { type: "button", hidden: true }, t("more"));
  let cursor = "";
  async function load() {
    const page = await ask(withQuery("/v1/queries", { cursor, limit: AT_A_TIME }), { signal });
    cursor = page.next_cursor;
    list.append(...page.queries.map(entry));
    more.hidden = !cursor;
    none.hidden = list.childElementCount > 0;
  }
  more.addEventListener("click", () => load().catch((error) => notice(told(error))));
  await load();
  return h(
    "section",
    { class: "card", "aria-labelledby": "recent-title" },
    h("h2", { id: "recent-title" }, t("title")),
    none,
    list,
    more,
  );
}

function entry(query) {
  return h(
    "li",
    {},
    h("a", { href: `#/query/${query.id}`, dir: "auto" }, query.question),
    h(
      "span",
      { class: "row small muted" },
      query.signal ? signalBadge(query.signal) : callState(query.status),
      h("bdi", {}, query.workspace),
      " · ",
      moment(query.created_at),
    ),
  );
}
