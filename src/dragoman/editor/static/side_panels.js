// The panels beside the editor, built for a desk.

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
export function buildPanels(desk) {
  const { name } = desk.project;
  const insert = (text) => desk.may.edit && desk.editor.insert(text);
  const use = (text) => desk.may.edit && desk.editor.insert(text, { all: true });
  const suggestions = new Suggestions(
    use,
    (change) => desk.takeBack(change),
    desk.may.teach && ((change) => desk.refuse(change)),
  );
  const glossary = new Glossary(name, insert, () => desk.ask());
  const about = new About(name, {
    open: (number) => desk.open(number),
    use,
    matches: (found) => (desk.completions.live ? suggestions.explain(found) : suggestions.show(found)),
  });
  const origin = new Origin(name, (document, number) => desk.goTo(document, number));
  const concordance = new Concordance(name, insert);
  const history = new History(name, (target) => desk.sync.undone(`Took back “${target}”: it is forgotten.`));
  const steps = new Steps({
    path: (rest) => desk.sync.path(rest),
    undo: (change) => desk.sync.undoLast(change),
    redo: (change) => desk.sync.redoLast(change),
  });
  const switches = new CheckSwitches(name, desk.about.id, {
    show: (check) => desk.list.showCheck(check),
    changed: () => desk.checksChanged(),
    about: desk.about,
    may: desk.may.teach,
  });
  const preview = new Preview(desk.project, {
    path: (rest) => desk.sync.path(rest),
    address: (number) => desk.address(desk.about.id, number),
    open: (number) => desk.open(number),
    segment: (number) => desk.list.segments.get(number),
    typed: () => ({ text: desk.editor.text, coming: desk.editor.completion?.text ?? "" }),
  });
  const elements = [suggestions, glossary, preview].map((each) => each.element);
  elements.push(...about.elements, ...[origin, concordance, steps, history, switches].map((each) => each.element));
  const beside = h("aside", { class: "beside", "aria-label": "Translation aids" }, elements);
  const effort = new Effort(name);
  return { suggestions, glossary, preview, notes: about, origin, concordance, history, steps, switches, effort, beside };
}
