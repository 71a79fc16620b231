/** Line drawings of 24 by 24 units for buttons and marks. Needs no browser. */
export const glyphs = {
  /** Turns downwards when what it stands before is open. */
  chevron: "M9 5l7 7-7 7",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  /** Opens another page. */
  outward: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  to: "M4 12h15M13 6l6 6-6 6",
  warning: "M12 4l9.5 16h-19zM12 10v4.5M12 17.4v.1",
} as const;

export type Glyph = keyof typeof glyphs;
