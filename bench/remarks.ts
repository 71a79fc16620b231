import type { Baseline } from "./baseline.ts";
import { costFigures, PATCH_FRAME_CHARACTERS } from "./figures.ts";
import { bounded, kilobytes, share, whole } from "./format.ts";
import type { RowResult } from "./results.ts";

/** What the tables call the figures that have a column. */
const titles: Readonly<Record<string, string>> = {
  wallMs: "wall",
  cpuMs: "CPU",
  peakBytes: "peak memory",
  startMs: "to the first byte",
};

/** Says which targets were missed, as the tables name them. */
export function missedNote(missed: readonly string[]): string {
  const named = missed.map((name) => name.replace(/^\w+/, (figure) => titles[figure] ?? figure));
  return `missed its target: ${named.join("; ")}`;
}

/** What the tables have no room for: bytes per event, refusals, and misses by name. */
export function remarks(rows: readonly RowResult[]): string[] {
  return rows.flatMap(({ work, median, limits, missed }) => [
    ...(median.findings === 0
      ? []
      : [`${work}: ${bounded(costFigures(median).bytesPerEvent, limits.bytesPerEvent, whole)} bytes per event`]),
    ...(median.refused === 0 ? [] : [`${work}: ${median.refused} requests were refused (429)`]),
    ...(missed.length === 0 ? [] : [`${work}: ${missedNote(missed)}`]),
  ]);
}

/** The same for the state and the patches that lead to it, for a terminal. */
export function stateRemarks(rows: readonly RowResult[]): string[] {
  return rowsWithState(rows).map(({ work, median, limits }) => {
    const { alerts, patchCharacters, stateCharacters, patchesOfState } = costFigures(median);
    const state = `${work}: state ${bounded(stateCharacters, limits.stateCharacters, kilobytes)} KB`;
    if (alerts === 0) return state;
    const multiple = bounded(patchesOfState, limits.patchesOfState, share);
    const frames = `${PATCH_FRAME_CHARACTERS} characters for each of ${alerts} alerts`;
    return `${state}; patches ${kilobytes(patchCharacters)} KB, ${multiple} x state + ${frames}`;
  });
}

/** Rows whose state is of interest: those that deliver something, and those whose state has a limit. */
export function rowsWithState(rows: readonly RowResult[]): RowResult[] {
  return rows.filter(({ median, limits }) => median.alerts > 0 || limits.stateCharacters !== undefined);
}

export function baselineLine(baseline: Baseline | null): string[] {
  return baseline === null ? [] : [`compared with ${baseline.commit} (${baseline.subject})`];
}
