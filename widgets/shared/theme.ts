/** The backgrounds that the platform announces for its themes, as red, green and blue. */
const announced = [
  { theme: "light", colour: [0xbd, 0xc1, 0xc6] },
  { theme: "dark", colour: [0x28, 0x28, 0x37] },
  { theme: "navy", colour: [0x2f, 0x3d, 0x5c] },
] as const;

/**
 * Takes the theme from the frame around the widget, which posts its background as a CSS value. Until it does, the style
 * sheet follows the preference of the browser.
 */
export function followTheme(): void {
  window.addEventListener("message", (event) => {
    if (event.source !== window.parent) return;
    const message: unknown = event.data;
    if (typeof message !== "object" || message === null) return;
    const { background, backgroundColor } = message as { background?: unknown; backgroundColor?: unknown };
    const colour = readColour(background) ?? readColour(backgroundColor);
    if (colour !== null) document.documentElement.dataset["theme"] = nearestTheme(colour);
  });
}

/** The browser reads the value, so that every way to write a colour is understood. */
function readColour(value: unknown): number[] | null {
  if (typeof value !== "string") return null;
  const probe = document.createElement("i");
  probe.hidden = true;
  probe.style.backgroundColor = value;
  document.documentElement.append(probe);
  const computed = getComputedStyle(probe).backgroundColor;
  probe.remove();
  const [red, green, blue, alpha = 1] = (computed.match(/[\d.]+/g) ?? []).map(Number);
  return red === undefined || green === undefined || blue === undefined || alpha === 0 ? null : [red, green, blue];
}

function nearestTheme(colour: readonly number[]): string {
  const distances = announced.map(({ theme, colour: other }) => ({
    theme,
    distance: other.reduce((sum, channel, index) => sum + (channel - (colour[index] ?? 0)) ** 2, 0),
  }));
  return distances.reduce((nearest, next) => (next.distance < nearest.distance ? next : nearest)).theme;
}
