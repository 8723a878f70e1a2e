/** For somebody who has no documents here yet: five to try it with, and the questions that they answer. */
import { h, show } from "../dom.js";
import { words } from "../i18n.js";
import { addUploads } from "../uploads.js";
import { trouble } from "./notices.js";

const t = words("parts/first_steps");

const FOLDER = new URL("../../example/", import.meta.url);
/** The workspace that `citewell up --example` fills, too. */
export const EXAMPLE = "example";

const listed = (name) => fetch(new URL(name, FOLDER)).then((response) => response.json());

/** A button that brings the example documents; `added()` is called as soon as they are on their way. */
export function exampleButton(added) {
  const problem = h("div");
  const button = h(
    "button",
    {
      type: "button",
      onclick: async () => {
        button.disabled = true;
        try {
          await addExample();
          await added();
        } catch (error) {
          button.disabled = false;
          show(problem, trouble(error));
        }
      },
    },
    t("try"),
  );
  return h("div", { class: "first-steps" }, h("p", { class: "small muted" }, t("lead")), button, problem);
}

async function addExample() {
  const { documents } = await listed("corpus.json");
  await Promise.all(
    documents.map(async ({ filename, metadata }) => {
      const content = await (await fetch(new URL(filename, FOLDER))).blob();
      addUploads([new File([content], filename)], { workspace: EXAMPLE, metadata });
    }),
  );
}

/** The questions of the example as buttons that call `choose(question)`, with the one that nothing answers marked. */
export async function exampleQuestions(choose) {
  const questions = await listed("questions.json");
  return h(
    "section",
    { class: "suggestions", "aria-labelledby": "suggestions" },
    h("h2", { id: "suggestions", class: "small muted" }, t("questions")),
    questions.map(({ question, answerable }) =>
      h(
        "button",
        { type: "button", dir: "auto", onclick: () => choose(question) },
        question,
        !answerable && h("span", { class: "small muted" }, t("unanswerable")),
      ),
    ),
  );
}
