// The borders between the panes of a workspace: dragged, or moved with the arrow keys; where they are is remembered.

import { h } from "./dom.js";
import { preference, setPreference } from "./storage.js";

const STEP = 24; // pixels by which a key moves a border
const LIMITS = { list: [180, 700], beside: [220, 760] };
const NAMES = { list: "Width of the list", beside: "Width of the panels" };

/** A width within the limits of a pane, so that the editor keeps its room. */
export function limited(pane, width, room = Infinity) {
  const [least, most] = LIMITS[pane];
  return Math.round(Math.max(least, Math.min(width, most, room)));
}

/** The border of a pane: "list", which is before it, or "beside", which is after it. */
export function splitter(pane, workspace) {
  const width = () => workspace.querySelector(pane === "list" ? ".segments" : ".beside").getBoundingClientRect().width;
  const set = (wanted) => {
    const found = limited(pane, wanted, workspace.clientWidth * 0.45);
    workspace.style.setProperty(`--${pane}`, `${found}px`);
    element.setAttribute("aria-valuenow", found);
    setPreference(`width:${pane}`, found);
  };
  const sign = pane === "list" ? 1 : -1;
  const moved = (event) => set(element.begun.width + sign * (event.clientX - element.begun.x));
  const element = h("div", {
    class: `splitter of-${pane}`,
    role: "separator",
    "aria-orientation": "vertical",
    "aria-label": NAMES[pane],
    "aria-valuemin": LIMITS[pane][0],
    "aria-valuemax": LIMITS[pane][1],
    "aria-valuenow": preference(`width:${pane}`, LIMITS[pane][0]),
    tabindex: "0",
    onpointerdown: (event) => {
      element.setPointerCapture(event.pointerId);
      element.begun = { x: event.clientX, width: width() };
      element.onpointermove = moved;
    },
    onpointerup: () => (element.onpointermove = null),
    onkeydown: (event) => {
      const by = { ArrowRight: STEP, ArrowLeft: -STEP }[event.key];
      if (!by) return;
      event.preventDefault();
      set(width() + sign * by);
    },
    ondblclick: () => (workspace.style.removeProperty(`--${pane}`), setPreference(`width:${pane}`, "")),
  });
  const known = Number(preference(`width:${pane}`, 0));
  if (known) workspace.style.setProperty(`--${pane}`, `${limited(pane, known)}px`);
  return element;
}
