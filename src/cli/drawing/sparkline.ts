const BARS = "▁▂▃▄▅▆▇█";

/** The values as bars of eight heights, from 0 to the largest; a gap where one is missing. */
export function sparkline(values: readonly (number | undefined)[], width: number): string {
  const shown = narrowed(values, width);
  const most = shown.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0);
  return shown
    .map((value) => {
      if (value === undefined) return " ";
      const height = most === 0 ? 0 : Math.round((value / most) * (BARS.length - 1));
      return BARS[Math.max(0, height)] ?? "";
    })
    .join("");
}

/** At most `width` values: of those that share a place, the largest. */
function narrowed(values: readonly (number | undefined)[], width: number): (number | undefined)[] {
  if (values.length <= width) return [...values];
  return Array.from({ length: width }, (_, place) => {
    const from = Math.floor((place * values.length) / width);
    const to = Math.floor(((place + 1) * values.length) / width);
    const known = values.slice(from, to).filter((value) => value !== undefined);
    return known.length === 0 ? undefined : known.reduce((a, b) => Math.max(a, b));
  });
}
