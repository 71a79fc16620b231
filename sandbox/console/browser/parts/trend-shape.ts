import type { Trend } from "../../contract/index.ts";
import { counted } from "../../../../widgets/shared/text.ts";
import { day } from "../format.ts";

/** How many findings there were at a time; what else a point holds is not drawn. */
export type TrendPoint = Pick<Trend["points"][number], "at" | "findings">;

/** A trend as a line in a box. Needs no browser. */
export interface TrendShape {
  /** The `d` of the line, and of the area below it. */
  line: string;
  area: string;
  last: { x: number; y: number };
  least: number;
  most: number;
}

const INSET = 3;

/** The line of a trend, by time; null with fewer than two points. The box begins at 0, so that heights can be compared. */
export function trendShape(points: readonly TrendPoint[], width: number, height: number): TrendShape | null {
  const sorted = [...points].sort((a, b) => a.at - b.at);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined || first.at === last.at) return null;
  const counts = sorted.map(({ findings }) => findings);
  const most = Math.max(...counts);
  const x = (at: number) => round(INSET + ((at - first.at) / (last.at - first.at)) * (width - 2 * INSET));
  const y = (findings: number) => round(height - INSET - (findings / Math.max(1, most)) * (height - 2 * INSET));
  const line = sorted.map(({ at, findings }, index) => `${index === 0 ? "M" : "L"}${x(at)} ${y(findings)}`).join("");
  return {
    line,
    area: `${line}L${x(last.at)} ${height}L${x(first.at)} ${height}Z`,
    last: { x: x(last.at), y: y(last.findings) },
    least: Math.min(...counts),
    most,
  };
}

/** What the line says, in a sentence. */
export function trendText(points: readonly TrendPoint[]): string {
  const sorted = [...points].sort((a, b) => a.at - b.at);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return "No history.";
  const now = counted(last.findings, "finding");
  if (first === last) return `${now} on ${day(last.at)}.`;
  const change = last.findings - first.findings;
  const since = `since ${day(first.at)}`;
  if (change === 0) return `${now}, as many as on ${day(first.at)}.`;
  return `${now}, ${Math.abs(change)} ${change > 0 ? "more" : "fewer"} ${since}.`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
