import type { JSX } from "preact";
import { type TrendPoint, trendShape, trendText } from "./trend-shape.ts";

/** How the number of findings of a type has developed. */
export function Sparkline({
  points,
  width = 160,
  height = 36,
}: {
  points: readonly TrendPoint[];
  width?: number;
  height?: number;
}): JSX.Element | null {
  const shape = trendShape(points, width, height);
  if (shape === null) return null;
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={trendText(points)}>
      <path class="area" d={shape.area} />
      <path class="line" d={shape.line} />
      <circle cx={shape.last.x} cy={shape.last.y} r="2.5" />
    </svg>
  );
}
