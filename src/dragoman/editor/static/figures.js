// Figures that people use: effort by person and document, how the project gets better, analysis of a document.

import { get, inside, key } from "./api.js";
import { count, counted, fill, h } from "./dom.js";
import { save } from "./download.js";
import { notifyError } from "./notices.js";
import { nothing } from "./panel.js";
import { plot } from "./plot.js";

const BANDS = {
  repetition: "Repetitions",
  100: "100 %",
  "95-99": "95–99 %",
  "85-94": "85–94 %",
  "75-84": "75–84 %",
  "50-74": "50–74 %",
  new: "New",
};
const NONE = "–";

/** "1:05:09", or "5:09". */
export function duration(seconds) {
  const whole = Math.round(seconds),
    parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, n) => (n ? String(part).padStart(2, "0") : part)).join(":");
}

/** The points of a curve over how many segments were confirmed by then; each point stands for some of them. */
export function overSegments(points) {
  let confirmed = 0;
  return points.map(({ segments, edited }) => ({ x: (confirmed += segments), y: edited }));
}

/** A table with a heading for each column, numbers to the right. */
function table(caption, columns, rows) {
  const cell = (tag, scope) => (value, n) => h(tag, { class: n ? "figure-cell" : null, scope }, value);
  return h(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, columns.map(cell("th", "col")))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell("td"))))),
    ),
  );
}

export class Figures {
  constructor(project) {
    this.project = project;
    this.effort = h("div", { class: "rows" });
    this.analysis = h("div", { class: "rows" });
    this.element = h("div", { class: "rows figures" }, this.effort, this.analysis);
  }

  async load() {
    const [effort, { points }] = await Promise.all([
      get(inside(this.project, "effort")),
      get(inside(this.project, "curve?points=40")),
    ]);
    if (!effort.total.segments) return void fill(this.effort, nothing("Figures appear once segments are confirmed."));
    fill(
      this.effort,
      this.table("Effort by person", effort.by_person, effort.total),
      this.table("Effort by document", effort.by_document),
      points.length > 1 && this.curve(points),
      this.csv("effort.csv", "Effort as CSV"),
      this.report(),
    );
  }

  /** What people changed in suggestions, beside what another engine had said; a page that asks for a key is saved. */
  report() {
    const path = inside(this.project, "progress.html");
    const show = () => (key() ? save(path, "progress.html").catch(notifyError) : window.open(`api/v1/${path}`, "_blank"));
    return h("p", {}, h("button", { class: "small", onclick: show }, "How is it doing?"));
  }

  table(caption, rows, total) {
    const columns = ["", "Segments", "Words", "Keys and clicks", "Words changed", "Time", "Typing saved"];
    const row = (each, name = each.name) => [
      name || "nobody in particular",
      count(each.segments),
      count(each.words),
      count(each.key_strokes + each.mouse_actions),
      count(each.edited_words),
      duration(each.seconds),
      each.saved === null ? NONE : `${Math.round(each.saved)} %`,
    ];
    const all = rows.map((each) => row(each));
    if (total && rows.length > 1) all.push(row(total, "Together"));
    return table(caption, columns, all);
  }

  curve(points) {
    const title = "How the suggestions get better: words changed, in percent";
    const values = overSegments(points);
    return h("figure", {}, h("figcaption", {}, title), plot(values, { title, x: "segments", y: "% of words changed" }));
  }

  csv(place, label) {
    const take = () => save(inside(this.project, place), place.replaceAll("/", "-")).catch(notifyError);
    return h("p", {}, h("button", { class: "small", onclick: take }, label));
  }

  /** Show how much of a document the memory knows. */
  showAnalysis(id, name, rows) {
    const total = rows.reduce((sum, { words }) => sum + words, 0);
    const share = (words) => (total ? `${Math.round((100 * words) / total)} %` : NONE);
    const row = ({ band, segments, words }) => [BANDS[band] ?? band, count(segments), count(words), share(words)];
    fill(
      this.analysis,
      table(`Analysis of ${name}: ${counted(total, "word")}`, ["Match", "Segments", "Words", "Share"], rows.map(row)),
      this.csv(`documents/${id}/analysis.csv`, "Analysis as CSV"),
    );
    this.analysis.scrollIntoView({ block: "nearest" });
  }
}
