// What the work took, below the text: effort saved, words corrected, time to learn.

import { get, inside } from "./api.js";
import { counted, fill, h } from "./dom.js";

export class Effort {
  constructor(project) {
    this.project = project;
    this.times = [];
    this.element = h("section", { class: "effort", "aria-label": "Effort" });
  }

  learned(milliseconds) {
    this.times = [...this.times.slice(-99), milliseconds];
  }

  async load() {
    const { total: effort } = await get(inside(this.project, "effort"));
    const pressed = effort.key_strokes + effort.mouse_actions,
      characters = counted(effort.characters, "character"),
      unread = effort.unread > 0 && `; ${counted(effort.unread, "segment")} accepted too fast to be read not counted`;
    const sorted = [...this.times].sort((one, other) => one - other),
      median = sorted[Math.floor(sorted.length / 2)];
    const figure = (value, name, about) =>
      h("div", { class: "figure", title: about }, h("strong", {}, value), h("span", {}, name));
    fill(
      this.element,
      effort.segments
        ? [
            effort.saved !== null &&
              figure(
                `${Math.round(effort.saved)} %`,
                `effort saved: ${counted(pressed, "key or click", "keys and clicks")} for ${characters}${unread || ""}`,
                "compared with typing everything",
              ),
            figure(
              `${Math.round((100 * effort.edited_words) / Math.max(effort.words, 1))} %`,
              `of the suggested words corrected, in ${counted(effort.segments, "segment")}`,
              "words that differ between the first suggestion and the confirmed text",
            ),
            median !== undefined &&
              h(
                "details",
                { class: "figure" },
                h("summary", {}, "Details"),
                `A correction is learned and saved in ${Math.round(median)} ms (median since the page was opened). `,
                "Corrected words are counted as the word error rate (WER) of the first suggestion.",
              ),
          ]
        : h("p", { class: "nothing" }, "Statistics appear here once you confirm a segment."),
    );
  }
}
