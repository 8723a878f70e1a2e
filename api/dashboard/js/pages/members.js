/** Members of workspaces: who may do what in those that the person owns. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { moment, words } from "../i18n.js";
import { confirmed } from "../parts/dialogs.js";
import { notice, told, trouble } from "../parts/notices.js";
import { records } from "../parts/records.js";

const t = words("pages/members");

const ROLES = ["reader", "contributor", "owner"];

export async function page(view, { signal }) {
  const [{ people }, { workspaces }] = await Promise.all([
    ask("/v1/people", { signal }),
    ask("/v1/workspaces?limit=500", { signal }),
  ]);
  const list = listed(signal);
  show(
    view,
    h("h1", {}, t("title")),
    h("p", { class: "muted" }, t("lead")),
    adding(people, workspaces, list.load, signal),
    list.element,
  );
  await list.load();
}

function adding(people, workspaces, added, signal) {
  const problem = h("div");
  const option = (value, text = value) => h("option", { value }, text);
  const shown = people.filter((person) => !person.revoked_at);
  const person = h(
    "select",
    { required: true },
    shown.map(({ id, name, email }) => option(id, email ? `${name} (${email})` : name)),
  );
  const workspace = h(
    "select",
    { required: true },
    workspaces.map(({ name }) => option(name)),
  );
  const role = h(
    "select",
    {},
    ROLES.map((name) => option(name, t(name))),
  );
  const add = async (event) => {
    event.preventDefault();
    show(problem);
    try {
      const json = { workspace: workspace.value, person_id: person.value, role: role.value };
      await ask("/v1/members", { method: "POST", json, signal });
      await added();
    } catch (error) {
      show(problem, trouble(error));
    }
  };
  return h(
    "section",
    { class: "card", "aria-labelledby": "add" },
    h("h2", { id: "add" }, t("add")),
    h(
      "form",
      { class: "stack", onsubmit: add },
      h(
        "div",
        { class: "sieve top-aligned" },
        h("label", {}, t("person"), person, h("span", { class: "hint" }, t("personHint"))),
        h("label", {}, t("workspace"), workspace),
        h("label", {}, t("role"), role),
      ),
      problem,
      h("div", {}, h("button", { class: "primary" }, t("set"))),
    ),
  );
}

function listed(signal) {
  const result = h("div");
  const rows = records(t("list"), [
    { label: t("person"), cell: ({ name, email }) => [h("bdi", {}, name), h("div", { class: "small muted" }, email)] },
    { label: t("workspace"), cell: (member) => h("bdi", {}, member.workspace) },
    { label: t("role"), cell: (member) => t(member.role) },
    { label: t("origin"), cell: (member) => t(member.origin === "group" ? "byGroup" : "byOwner") },
    { label: t("since"), cell: (member) => moment(member.created_at) },
    {
      label: t("actions"),
      quiet: true,
      cell: (member) =>
        member.origin === "owner" &&
        h(
          "button",
          {
            type: "button",
            class: "small danger plain",
            "aria-label": t("removeOf", member),
            onclick: () => remove(member),
          },
          t("remove"),
        ),
    },
  ]);
  async function load() {
    try {
      const { members } = await ask("/v1/members", { signal });
      rows.update(members);
      show(result, members.length ? rows.element : h("p", { class: "empty" }, t("empty")));
    } catch (error) {
      if (!signal.aborted) show(result, trouble(error));
    }
  }
  async function remove({ id, name, workspace }) {
    if (!(await confirmed(t("sure", { name, workspace }), t("warning"), t("remove")))) return;
    try {
      await ask(`/v1/members/${id}`, { method: "DELETE" });
    } catch (error) {
      notice(told(error));
    }
    await load();
  }
  const heading = h("h2", { id: "list" }, t("list"));
  return { element: h("section", { class: "card stack", "aria-labelledby": "list" }, heading, result), load };
}
