// Completions of the open segment: asked for with each key, shown when they belong to the text, and their alternatives.

import { Alternatives, completion } from "./alternatives.js";
import { ENGINES } from "./engine.js";
import { Live } from "./live.js";
import { sentence } from "./notices.js";

const FADING = 500; // milliseconds for which a completion of an older text stays when no new one comes

/** Why the suggestion is dragoman's own, although the project builds on another engine. */
export function silent({ engine, silence, upstream }) {
  const name = ENGINES[engine] ?? engine;
  if (upstream) return `What the engine (${name}) says looks wrong: ${silence}.`;
  if (silence === "slow") return `The engine (${name}) is slow; its words come when it answers.`;
  return `Without the engine (${name}): ${silence}.`;
}

export class CompletionSession {
  /** `desk` has the open segment, its card and editor, the mode, and the panels. */
  constructor(desk) {
    Object.assign(this, { desk, live: null, revision: 0, alternatives: new Alternatives() });
  }

  connect() {
    this.live = new Live(
      this.desk.project.name,
      (answer, asked) => this.answered(answer, asked),
      (state, busy) => this.connected(state, busy),
    );
  }

  connected(state, busy) {
    const { desk } = this;
    desk.element.dataset.busy = busy ? "yes" : "no";
    desk.sync.connected(state);
    if (state === "away") desk.suggestions.show([]);
  }

  stop() {
    this.live?.close();
    clearTimeout(this.fading);
  }

  /** Whether a completion is on its way. */
  get expected() {
    return this.desk.mode === "interactive" && this.live?.busy === true;
  }

  /** Another segment is open. */
  begin() {
    this.alternatives.clear();
  }

  /** Open the segment on the server, for a completion of what is there, or in post-editing for a whole translation. */
  ask() {
    const { about, number, mode, editor, shading, least } = this.desk;
    if (mode === "interactive") this.live?.open(about.id, number, editor.text, shading, least);
    else this.live?.open(about.id, number, "", shading);
  }

  /** The text has changed; nothing is asked for while an input method is composing. */
  typed(text, ask) {
    const { mode, shading, editor, pointing } = this.desk;
    this.begin();
    if (!ask) return;
    if (mode === "interactive") this.live?.complete(text, shading);
    clearTimeout(this.fading);
    this.fading = setTimeout(() => editor.stale && editor.hide({ forGood: false }), FADING);
    pointing.changed();
  }

  /** The server has answered what was asked in the live session. */
  answered(answer, asked) {
    const { desk } = this;
    if (asked.document !== desk.about.id || asked.segment !== desk.number) return;
    if (asked.do === "open") this.showSuggestions(answer);
    if (answer.error) return void desk.card.say(sentence(answer.error.what));
    if (asked.do === "open" && answer.silence) desk.card.say(silent(answer));
    this.revision = answer.revision;
    if (asked.do === "open") desk.pointing.tokens(answer.source_tokens);
    if (asked.do === "open" && asked.prefix === "") desk.suggestion ??= answer.suffix;
    if (desk.mode === "postedit") return void this.prefill(answer, asked);
    if (asked.prefix !== desk.editor.text || desk.editor.composing) return;
    const found = completion(answer, desk.shading);
    if (asked.do !== "reject") this.alternatives.clear();
    else if (!found.text) return void desk.card.say("No other completions.");
    this.alternatives.add(found);
    this.suggest(found);
  }

  /** Show what there is to start from; over another engine also what was changed in its words, and why. */
  showSuggestions({ matches = [], upstream = null, revision }) {
    const { desk } = this,
      { number } = desk;
    desk.suggestions.show(matches, upstream);
    if (upstream === null) return;
    const current = () => number === desk.number && this.revision === revision && !desk.stopped;
    desk.origin
      .translation(desk.segment.source, revision)
      .then((found) => current() && desk.suggestions.add(found))
      .catch(() => {}); // the engine's words are shown, and there is a completion
  }

  suggest(found) {
    const { desk } = this;
    desk.editor.suggest(found);
    desk.pointing.changed();
    desk.card.speak(found.text);
  }

  /** In post-editing the whole suggestion is the text to start from. */
  prefill(answer, asked) {
    const { desk } = this,
      { editor, card } = desk;
    editor.clear();
    if (asked.do !== "open" || asked.prefix !== "") return;
    if (desk.untouched && !editor.text) {
      const { effort } = editor;
      card.load(desk.segment, answer.suffix);
      editor.effort = effort;
      editor.view.focus();
      card.textChanged();
      desk.pointing.changed();
    }
    if (desk.shading && editor.text === answer.suffix) editor.shade(completion(answer, true).words);
  }

  /** Show the next completion of the same text (step 1), or the one before (-1). */
  other(step) {
    if (this.desk.mode !== "interactive" || this.alternatives.empty) return;
    const found = this.alternatives.move(step);
    if (!found && step < 0) return;
    this.desk.editor.unwanted = null;
    if (found) this.suggest(found);
    else this.live?.reject(this.desk.shading);
  }
}
