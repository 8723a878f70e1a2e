/** The sources that an answer is held against, as they are typed or chosen. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { words } from "../i18n.js";
import { opened } from "./dialogs.js";
import { notice, told } from "./notices.js";
import { workspaceNames, workspaceSelect } from "./workspaces.js";

const t = words("parts/given");

/** Edits `sources` in place: `{ title, text }` or `{ title, document_id }`. Returns `{ element, draw }`. */
export function givenSources(sources, signal) {
  const list = h("div", { class: "stack" });
  const draw = () =>
    show(
      list,
      sources.map((source, index) =>
        box(source, index + 1, () => {
          sources.splice(index, 1);
          draw();
        }),
      ),
    );
  const add = (source) => {
    sources.push(source);
    draw();
  };
  const addText = h(
    "button",
    {
      type: "button",
      onclick: () => {
        add({ title: "", text: "" });
        list.lastChild.querySelector("textarea").focus();
      },
    },
    t("add"),
  );
  const addStored = h(
    "button",
    {
      type: "button",
      onclick: async () => {
        for (const source of await chosen(signal)) add(source);
      },
    },
    t("documents"),
  );
  draw();
  return { element: h("div", { class: "stack" }, list, h("div", { class: "row" }, addText, addStored)), draw };
}

function box(source, n, remove) {
  const bound = (name) => ({
    value: source[name],
    oninput: (event) => {
      source[name] = event.target.value;
    },
  });
  const away = h(
    "button",
    { type: "button", class: "small plain", "aria-label": t("remove", { n }), onclick: remove },
    t("removeShort"),
  );
  const text = source.document_id
    ? h(
        "p",
        { class: "small muted" },
        t("stored"),
        " ",
        h("a", { href: `#/document/${source.document_id}` }, source.title),
      )
    : h("textarea", {
        rows: "5",
        "aria-label": t("text", { n }),
        placeholder: t("text", { n }),
        dir: "auto",
        ...bound("text"),
      });
  return h(
    "fieldset",
    { class: "stack" },
    h("legend", {}, t("source", { n })),
    h(
      "div",
      { class: "row" },
      h("input", {
        class: "grow",
        "aria-label": t("title", { n }),
        placeholder: t("title", { n }),
        maxlength: "300",
        ...bound("title"),
      }),
      away,
    ),
    text,
  );
}

async function chosen(signal) {
  const boxes = h("div", { class: "stack pick" });
  const names = await workspaceNames(signal);
  const fill = async (wanted) => {
    try {
      const { documents } = await ask(withQuery("/v1/documents", { workspace: wanted, status: "ready", limit: 100 }), {
        signal,
      });
      if (wanted !== workspace.value) return; // another choice was answered sooner
      show(boxes, documents.length ? documents.map(pick) : h("p", { class: "muted" }, t("none")));
    } catch (error) {
      notice(told(error));
    }
  };
  const workspace = workspaceSelect({ names, onchange: (event) => fill(event.target.value) });
  fill("");
  const done = await opened(t("choose"), [
    h("label", {}, t("workspace"), workspace),
    boxes,
    h("p", { class: "hint" }, t("first")),
    h(
      "div",
      { class: "row end" },
      h("button", { value: "" }, t("cancel")),
      h("button", { class: "primary", value: "yes" }, t("take")),
    ),
  ]);
  if (done !== "yes") return [];
  return [...boxes.querySelectorAll("input:checked")].map(({ value, dataset }) => ({
    document_id: value,
    title: dataset.title,
  }));
}

function pick({ id, filename, workspace }) {
  return h(
    "label",
    { class: "inline" },
    h("input", { type: "checkbox", value: id, dataset: { title: filename } }),
    h("span", {}, filename, " ", h("span", { class: "small muted" }, workspace)),
  );
}
