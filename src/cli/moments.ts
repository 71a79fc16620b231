/** The forms of a moment that `momentOf` reads, for people. Apart from it, because its library takes long to load. */
export const MOMENTS = "2026-01-31, 2026-01-31T06:00:00Z, or how long ago: 90m, 12h, 7d";
