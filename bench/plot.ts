/** A line of a plot: points of positive numbers. */
export interface Series {
  label: string;
  points: readonly (readonly [x: number, y: number])[];
  dashed?: boolean;
}

export interface Plot {
  title: string;
  x: string;
  y: string;
  series: readonly Series[];
}

const WIDTH = 750;
const HEIGHT = 400;
const LEFT = 76;
const RIGHT = 700;
const TOP = 48;
const BOTTOM = 336;
const COLOURS = ["#0b6bcb", "#c4411b", "#2e7d32", "#6a4fb3"];

/** A plot with logarithmic axes as an SVG that is readable on light and on dark pages. */
export function plotSvg({ title, x, y, series }: Plot): string {
  const xs = axis(series.flatMap(({ points }) => points.map(([value]) => value)));
  const ys = axis(series.flatMap(({ points }) => points.map(([, value]) => value)));
  const placeX = (value: number): number => place(value, xs, LEFT, RIGHT);
  const placeY = (value: number): number => place(value, ys, BOTTOM, TOP);
  const parts = [
    text(LEFT, 26, title, "title"),
    ...decades(xs).flatMap((value) => [
      line(placeX(value), TOP, placeX(value), BOTTOM),
      text(placeX(value), BOTTOM + 20, shortNumber(value), "tick middle"),
    ]),
    ...decades(ys).flatMap((value) => [
      line(LEFT, placeY(value), RIGHT, placeY(value)),
      text(LEFT - 8, placeY(value) + 4, shortNumber(value), "tick end"),
    ]),
    text((LEFT + RIGHT) / 2, BOTTOM + 44, x, "middle"),
    `<text transform="translate(18 ${(TOP + BOTTOM) / 2}) rotate(-90)" class="middle">${escape(y)}</text>`,
    ...series.flatMap((one, index) => drawSeries(one, index, placeX, placeY)),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escape(title)}">
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f; } .title { font-size: 15px; font-weight: 600; }
.tick { font-size: 12px; } .middle { text-anchor: middle; } .end { text-anchor: end; }
.page { fill: #ffffff; } .grid { stroke: #d0d7de; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .page { fill: #0d1117; } .grid { stroke: #3d444d; } }
</style>
<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>
${parts.join("\n")}
</svg>
`;
}

function drawSeries(
  { label, points, dashed = false }: Series,
  index: number,
  placeX: (value: number) => number,
  placeY: (value: number) => number,
): string[] {
  const colour = COLOURS[index % COLOURS.length] ?? "#0b6bcb";
  const places = points.map(([x, y]) => [round(placeX(x)), round(placeY(y))] as const);
  const dash = dashed ? ' stroke-dasharray="6 5"' : "";
  const path = places.map(([x, y]) => `${x},${y}`).join(" ");
  const legendX = LEFT + 14;
  const legendY = TOP + 18 + index * 20;
  return [
    `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"${dash}/>`,
    ...(dashed ? [] : places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3.5" fill="${colour}"/>`)),
    `<line x1="${legendX}" y1="${legendY - 4}" x2="${legendX + 26}" y2="${legendY - 4}" stroke="${colour}" stroke-width="2"${dash}/>`,
    text(legendX + 34, legendY, label, ""),
  ];
}

/** From a whole power of ten to another one that hold all values between them. */
function axis(values: readonly number[]): [low: number, high: number] {
  const low = Math.floor(Math.log10(Math.min(...values)));
  return [low, Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))];
}

function decades([low, high]: readonly [number, number]): number[] {
  return Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
}

function place(value: number, [low, high]: readonly [number, number], from: number, to: number): number {
  return from + ((Math.log10(value) - low) / (high - low)) * (to - from);
}

function shortNumber(value: number): string {
  return value >= 1 ? value.toLocaleString("en") : String(Number(value.toPrecision(2)));
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" class="grid"/>`;
}

function text(x: number, y: number, content: string, classes: string): string {
  return `<text x="${round(x)}" y="${round(y)}" class="${classes}">${escape(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(content: string): string {
  return content.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
