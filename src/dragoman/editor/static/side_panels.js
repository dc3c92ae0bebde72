// The panels beside the editor, built for a workspace.

import { About } from "./about.js";
import { h } from "./dom.js";
import { Effort } from "./effort.js";
import { Glossary } from "./glossary.js";
import { Origin } from "./origin.js";
import { Concordance } from "./concordance.js";
import { History } from "./history.js";
import { Preview } from "./preview.js";
import { Steps } from "./steps.js";
import { Suggestions } from "./suggestions.js";
import { CheckSwitches } from "./switches.js";

/** The panels by name, and `beside`, the element that holds them; `effort` stands below the editor instead. */
export function buildPanels(workspace) {
  const { name } = workspace.project;
  const insert = (text) => workspace.may.edit && workspace.editor.insert(text);
  const use = (text) => workspace.may.edit && workspace.editor.insert(text, { all: true });
  const suggestions = new Suggestions(
    use,
    (change) => workspace.takeBack(change),
    workspace.may.teach && ((change) => workspace.refuse(change)),
  );
  const glossary = new Glossary(name, insert, () => workspace.ask());
  const about = new About(name, {
    open: (number) => workspace.open(number),
    use,
    matches: (found) => (workspace.completions.live ? suggestions.explain(found) : suggestions.show(found)),
  });
  const origin = new Origin(name, (document, number) => workspace.goTo(document, number));
  const concordance = new Concordance(name, insert);
  const history = new History(name, (target) => workspace.sync.undone(`Took back “${target}”: it is forgotten.`));
  const steps = new Steps({
    path: (rest) => workspace.sync.path(rest),
    undo: (change) => workspace.sync.undoLast(change),
    redo: (change) => workspace.sync.redoLast(change),
  });
  const switches = new CheckSwitches(name, workspace.about.id, {
    show: (check) => workspace.list.showCheck(check),
    changed: () => workspace.checksChanged(),
    about: workspace.about,
    may: workspace.may.teach,
  });
  const preview = new Preview(workspace.project, {
    path: (rest) => workspace.sync.path(rest),
    address: (number) => workspace.address(workspace.about.id, number),
    open: (number) => workspace.open(number),
    segment: (number) => workspace.list.segments.get(number),
    typed: () => ({ text: workspace.editor.text, coming: workspace.editor.completion?.text ?? "" }),
  });
  const elements = [suggestions, glossary, preview].map((each) => each.element);
  elements.push(...about.elements, ...[origin, concordance, steps, history, switches].map((each) => each.element));
  const beside = h("aside", { class: "beside", "aria-label": "Translation aids" }, elements);
  const effort = new Effort(name);
  return { suggestions, glossary, preview, notes: about, origin, concordance, history, steps, switches, effort, beside };
}
