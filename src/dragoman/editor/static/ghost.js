// The completion, in grey after what was typed. It is drawn, and never part of the text until somebody accepts it.
//
// Typing what was suggested moves it from the grey into the text, and nothing on the screen changes. After other keys
// the old completion stays until the new one arrives (meanwhile it is not `fresh`, and cannot be accepted).

import { Decoration, EditorView, StateEffect, StateField, WidgetType } from "./vendor/codemirror.js";
import { tags, words } from "./text.js";
import { chip } from "./chipped_text.js";

const NONE = { text: "", words: [], fresh: false, hidden: false };

/** Show a completion: text, words (from, to, confidence) and whether to shade; null for none. */
export const setGhost = StateEffect.define();
export const hideGhost = StateEffect.define();

export const ghost = StateField.define({
  create: () => NONE,
  update(value, transaction) {
    let next = transaction.docChanged ? carried(value, transaction) : value;
    for (const effect of transaction.effects) {
      if (effect.is(setGhost)) next = effect.value ? { ...NONE, ...effect.value, fresh: true } : NONE;
      if (effect.is(hideGhost)) next = { ...next, hidden: true };
    }
    return next;
  },
  provide: (field) => [
    EditorView.decorations.compute([field, "selection", "doc"], (state) => {
      const shown = visible(state);
      if (!shown) return Decoration.none;
      const widget = new Ghost(shown.text, shown.words, shown.shade);
      return Decoration.set(Decoration.widget({ widget, side: 1 }).range(state.doc.length));
    }),
  ],
});

/** The completion that can be seen: only after a caret at the end of the text. */
export function visible(state) {
  const value = state.field(ghost),
    { main } = state.selection;
  return value.text && !value.hidden && main.empty && main.head === state.doc.length ? value : null;
}

/** A completion after a change of the text. */
function carried(value, transaction) {
  if (!value.text) return { ...value, fresh: false, hidden: false };
  const changes = [];
  transaction.changes.iterChanges((from, to, _, __, inserted) =>
    changes.push({ from, to, inserted: inserted.toString() }),
  );
  const [change] = changes,
    before = transaction.startState.doc;
  if (changes.length !== 1 || change.to !== before.length) return { ...value, fresh: false, hidden: false };
  const deleted = before.sliceString(change.from, change.to);
  const whole = deleted + value.text;
  if (!whole.startsWith(change.inserted)) return { ...value, fresh: false, hidden: false };
  const by = change.inserted.length - deleted.length;
  const words = value.words.map((word) => ({ ...word, from: Math.max(0, word.from - by), to: word.to - by }));
  return {
    ...value,
    text: whole.slice(change.inserted.length),
    words: words.filter((word) => word.to > 0),
    fresh: value.fresh && !deleted,
    hidden: false,
  };
}

class Ghost extends WidgetType {
  constructor(text, words, shade) {
    super();
    Object.assign(this, { text, words, shade });
  }

  eq(other) {
    return other.text === this.text && other.shade === this.shade && (!this.shade || same(other.words, this.words));
  }

  toDOM() {
    const element = document.createElement("span");
    element.className = "ghost";
    element.setAttribute("aria-hidden", "true"); // screen readers get it from the live region instead
    this.draw(element);
    return element;
  }

  updateDOM(element) {
    this.draw(element);
    return true;
  }

  draw(element) {
    const parts = [],
      chips = tags(this.text);
    let at = 0;
    const put = (to, kind, word) => {
      if (to <= at) return;
      const piece = this.text.slice(at, to);
      const part = kind === "chip" ? chip(piece) : document.createElement("span");
      if (kind !== "chip") {
        part.textContent = piece;
        part.className = kind;
      }
      part.dataset.from = at;
      if (this.shade && word) part.classList.add(`sure-${sureness(word.confidence)}`);
      parts.push(part);
      at = to;
    };
    for (const word of this.words.length ? this.words : words(this.text)) {
      const tag = chips.find((each) => each.from <= word.from && each.to >= word.to);
      put(Math.max(word.from, at), "gap");
      put(tag ? tag.to : word.to, tag ? "chip" : "word", word);
    }
    put(this.text.length, "gap");
    element.replaceChildren(...parts);
  }

  get estimatedHeight() {
    return -1;
  }

  ignoreEvent() {
    return false;
  }
}

const same = (some, others) =>
  some.length === others.length &&
  some.every((one, n) => one.to === others[n].to && one.confidence === others[n].confidence);

/** Confidence in four steps. */
export const sureness = (confidence) => (confidence >= 0.9 ? 3 : confidence >= 0.6 ? 2 : confidence >= 0.3 ? 1 : 0);
