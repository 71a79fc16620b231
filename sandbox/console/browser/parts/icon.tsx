import type { JSX } from "preact";
import { glyphs } from "../../../../widgets/shared/glyphs.ts";

/** Line drawings of 24 by 24 units, beside those that the widgets have. */
const drawings = {
  ...glyphs,
  home: "M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6",
  cases: "M4 8h16v12H4zM9 8V4.5h6V8M4 13h16",
  tree: "M4 12h4M8 5v14M8 5h5M8 19h5M8 12h5M13 3h6v4h-6zM13 10h6v4h-6zM13 17h6v4h-6z",
  key: "M8.5 10.5a4 4 0 1 0 0 .1M12 12h9M18 12v4M15 12v3",
  unplugged: "M9 4v5M15 4v5M6 9h12v3a6 6 0 0 1-12 0zM12 18v3M3 3l18 18",
  playbooks: "M5 4h6v5H5zM13 15h6v5h-6zM8 9v8.5h5M13 6.5h6v5.5",
  runs: "M4 6h8M4 12h13M9 18h11",
  connectors: "M9 4v5M15 4v5M6 9h12v3a6 6 0 0 1-12 0zM12 18v3",
  marketplace: "M4 9l1.5-5h13L20 9M4 9v11h16V9M4 9h16M9 20v-6h6v6",
  instances: "M4 5h16v6H4zM4 13h16v6H4zM7.5 8h.1M7.5 16h.1",
  tenant: "M9 3h6M10 3v6L4.5 19.5h15L14 9V3M7.5 14.5h9",
  sun: "M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 1 0 0-9M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  system: "M3 4.5h18v11.5H3zM8.5 20h7M12 16v4",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 1 0 0-13M15.5 15.5L21 21",
  check: "M5 12.5l4.5 4.5L19 7.5",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  play: "M7 5l12 7-12 7z",
  stop: "M6.5 6.5h11v11h-11z",
  repeat: "M4 12a8 8 0 0 1 14-5.3L20 9M20 4v5h-5M20 12a8 8 0 0 1-14 5.3L4 15M4 20v-5h5",
  edit: "M4 20l1-5L16.5 3.5l4 4L9 19zM14 6l4 4",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  upload: "M12 16V4M7 9l5-5 5 5M4 16v4h16v-4",
  download: "M12 4v12M7 11l5 5 5-5M4 16v4h16v-4",
  info: "M12 3a9 9 0 1 0 0 18 9 9 0 1 0 0-18M12 11v5M12 7.6v.1",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 1 0 0-18M12 7v5l3.5 2",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1",
  bolt: "M13 3L5 14h6l-1 7 8-11h-6z",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
} as const;

export type IconName = keyof typeof drawings;

/** A drawing in the colour of the text around it; it says nothing to a screen reader. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg class={`glyph glyph-${name}`} viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={drawings[name]} />
    </svg>
  );
}
