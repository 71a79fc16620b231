/** A duration in its two largest units. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const text = parts.filter(([count]) => count > 0).slice(0, 2);
  return text.map(([count, unit]) => `${count} ${unit}`).join(" ") || "0 s";
}
