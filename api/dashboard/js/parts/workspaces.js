/** Choices of workspaces. */
import { ask } from "../http.js";
import { h } from "../dom.js";
import { words } from "../i18n.js";

const t = words("parts/workspaces");

/** Those there are, as the API tells them, the last used first; none when they may not be read. */
export async function workspacesByUse(signal) {
  const { workspaces } = await ask("/v1/workspaces?limit=500", { signal }).catch(() => ({ workspaces: [] }));
  const usedAt = (space) => space.used_at ?? "";
  return workspaces.filter((space) => space.status === "active").sort((a, b) => usedAt(b).localeCompare(usedAt(a)));
}

/** Their names alone. */
export const workspaceNames = async (signal) => (await workspacesByUse(signal)).map((space) => space.name);

/** An input for a workspace, new or old, with those there are as suggestions. */
export function workspaceInput({ names, value = "default", ...properties }) {
  const id = `workspaces-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  return [
    h("input", { value, list: id, maxlength: "100", autocomplete: "off", spellcheck: "false", ...properties }),
    h(
      "datalist",
      { id },
      names.map((name) => h("option", { value: name })),
    ),
  ];
}

/** A choice of one workspace or all of them (""). */
export function workspaceSelect({ names, value = "", ...properties }) {
  const shown = value && !names.includes(value) ? [...names, value] : names;
  return h(
    "select",
    properties,
    h("option", { value: "" }, t("all")),
    shown.map((name) => h("option", { value: name, selected: name === value }, name)),
  );
}
