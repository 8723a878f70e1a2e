/** How many sentences are in which state; each state is a button that shows only those. */
import { h } from "../dom.js";
import { number, words } from "../i18n.js";
import { STATES, toneOf, verdictIcon, verdictWord } from "./verdict.js";

const t = words("parts/legend");

/**
 * Buttons for the states that occur in `states`; `choose(state or null)` is told what is wanted. Where no claim
 * differs, the signal says all.
 */
export function legend(states, choose) {
  if (states.every((state) => state === "supported" || state === "no_claim")) return h("span", { class: "legend" });
  const buttons = STATES.filter((state) => states.includes(state)).map((state) => {
    const count = states.filter((candidate) => candidate === state).length;
    return h(
      "button",
      {
        type: "button",
        class: `legend-item ${toneOf(state)}`,
        "aria-pressed": "false",
        dataset: { state },
        onclick: (event) => press(event.currentTarget),
      },
      h("span", { class: "dot", "aria-hidden": "true" }, verdictIcon(state)),
      `${verdictWord(state)} `,
      h("strong", {}, number(count)),
    );
  });
  function press(button) {
    const on = button.getAttribute("aria-pressed") !== "true";
    for (const choice of buttons) choice.setAttribute("aria-pressed", String(on && choice === button));
    choose(on ? button.dataset.state : null);
  }
  return h("div", { class: "legend row", role: "group", "aria-label": t("legend") }, buttons);
}
