// A small line plot, drawn as SVG.

const [WIDTH, HEIGHT, LEFT, BOTTOM, ROOM] = [640, 220, 44, 30, 10];
const NAMESPACE = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A round number that is at least as large: 1, 2 or 5 times a power of ten. */
export function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return [1, 2, 5, 10].map((times) => times * power).find((each) => each >= value);
}

/** Points (x, y) in the picture's own coordinates, and the largest values of its axes. */
export function placed(points) {
  const right = Math.max(...points.map(({ x }) => x)),
    top = roundUp(Math.max(...points.map(({ y }) => y), 1));
  const at = ({ x, y }) => ({
    x: LEFT + ((WIDTH - LEFT - ROOM) * x) / Math.max(right, 1),
    y: ROOM + (HEIGHT - BOTTOM - ROOM) * (1 - y / top),
  });
  return { right, top, points: points.map(at) };
}

/** A line through points; `x` and `y` name the axes. */
export function plot(values, { title, x, y }) {
  const { right, top, points } = placed(values);
  const line = points.map((each) => `${each.x.toFixed(1)},${each.y.toFixed(1)}`).join(" ");
  const text = (content, attributes) => svg("text", attributes, content);
  const base = HEIGHT - BOTTOM,
    said = `${title}: from ${Math.round(values[0].y)} to ${Math.round(values.at(-1).y)}`;
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said, class: "plot" },
    svg("path", { d: `M${LEFT} ${ROOM}V${base}H${WIDTH - ROOM}`, class: "axis" }),
    svg("polyline", { points: line, class: "line" }),
    ...points.map((each) => svg("circle", { cx: each.x, cy: each.y, r: 3, class: "dot" })),
    text(String(top), { x: LEFT - 6, y: ROOM + 8, "text-anchor": "end" }),
    text("0", { x: LEFT - 6, y: base, "text-anchor": "end" }),
    text(`${right} ${x}`, { x: WIDTH - ROOM, y: HEIGHT - 8, "text-anchor": "end" }),
    text(y, { x: LEFT + 6, y: ROOM + 8 }),
  );
}
