import type { CommandCost } from "./command-line.ts";
import { type ComparedFigure, costFigures, PATCH_FRAME_CHARACTERS } from "./figures.ts";
import { bounded, DASH, kilobytes, megabytes, seconds, share, whole } from "./format.ts";
import { floorSeconds, type GrowthPoint } from "./growth.ts";
import type { Machine } from "./machine.ts";
import { rowsWithState } from "./remarks.ts";
import type { RowResult } from "./results.ts";

/** The table for a document: measured figures, limits in brackets. */
export function rowsTable(rows: readonly RowResult[]): string {
  const head = [
    "work",
    "requests",
    "connections",
    "wall",
    "of the reference",
    "CPU",
    "peak memory",
    "received",
    "written",
    "to the first byte",
  ];
  return markdown(
    head,
    rows.map(({ work, median, limits, reference }) => [
      work,
      bounded(median.requests, limits.requests, whole),
      bounded(median.connections, limits.connections, whole),
      `${seconds(median.wallMs)} s`,
      reference === null
        ? DASH
        : `${bounded(median.wallMs / reference.wallMs, reference.share, share)} of ${reference.wallMs / 1000} s`,
      `${seconds(median.cpuMs)} s`,
      `${bounded(median.peakBytes, limits.peakBytes, megabytes)} MB`,
      `${bounded(median.receivedBytes, limits.receivedBytes, kilobytes)} KB`,
      `${kilobytes(median.writtenBytes)} KB`,
      `${bounded(median.startMs, limits.startMs, whole)} ms`,
    ]),
  );
}

/** Each figure as a share of the baseline's, limits in brackets. */
export function comparisonTable(rows: readonly RowResult[]): string {
  return markdown(
    ["work", "requests", "wall", "CPU", "peak memory", "to the first byte"],
    rows.map(({ work, baseline, compared, ratios }) => {
      if (baseline === null || compared === null) return [work, DASH, DASH, DASH, DASH, DASH];
      const cell = (name: ComparedFigure, show: (value: number) => string, unit: string): string =>
        `${bounded(compared[name], ratios[name], share)} of ${show(baseline[name])}${unit}`;
      return [
        work,
        cell("requests", whole, ""),
        cell("wallMs", seconds, " s"),
        cell("cpuMs", seconds, " s"),
        cell("peakBytes", megabytes, " MB"),
        cell("startMs", whole, " ms"),
      ];
    }),
  );
}

/** The state after a run, and the patches that lead to it. */
export function stateTable(rows: readonly RowResult[]): string {
  return markdown(
    ["work", "alerts", "state", "patches", `patches without ${PATCH_FRAME_CHARACTERS} characters per alert`],
    rowsWithState(rows).map(({ work, median, limits }) => {
      const { alerts, stateCharacters, patchCharacters, patchesOfState } = costFigures(median);
      return [
        work,
        whole(alerts),
        `${bounded(stateCharacters, limits.stateCharacters, kilobytes)} KB`,
        alerts === 0 ? DASH : `${kilobytes(patchCharacters)} KB`,
        alerts === 0 ? DASH : `${bounded(patchesOfState, limits.patchesOfState, share)} x state`,
      ];
    }),
  );
}

export function growthTable(points: readonly GrowthPoint[]): string {
  const head = [
    "environments",
    "streams",
    "findings",
    "first run: requests",
    "s",
    "floor s",
    "peak MB",
    "second poll: requests",
    "s",
    "third poll: requests",
    "s",
    "state KB",
  ];
  return markdown(
    head,
    points.map(({ environments, findingTypes, findings, first, checked, skipped }) => [
      whole(environments),
      whole(environments * findingTypes),
      whole(findings),
      whole(first.requests),
      seconds(first.wallMs),
      floorSeconds(first.requests).toFixed(2),
      megabytes(first.peakBytes),
      whole(checked.requests),
      seconds(checked.wallMs),
      whole(skipped.requests),
      seconds(skipped.wallMs),
      kilobytes(skipped.stateCharacters),
    ]),
  );
}

/** What commands of the command line cost; limits in brackets. */
export function commandsTable(commands: readonly CommandCost[]): string {
  return markdown(
    ["work", "requests", "to the first request", "wall", "CPU", "peak memory", "written"],
    commands.map(({ work, requests, startMs, wallMs, cpuMs, peakBytes, writtenBytes, limits }) => [
      work,
      whole(requests),
      `${bounded(startMs, limits.startMs, whole)} ms`,
      `${seconds(wallMs)} s`,
      `${seconds(cpuMs)} s`,
      `${bounded(peakBytes, limits.peakBytes, megabytes)} MB`,
      `${kilobytes(writtenBytes)} KB`,
    ]),
  );
}

export function machineLine({ cpu, cores, memoryBytes, platform, node, load, measuredAt }: Machine): string {
  const memory = `${Math.round(memoryBytes / 2 ** 30)} GiB`;
  return `${cores} cores (${cpu}), ${memory}, ${platform}, Node ${node}, load ${load} before the start, ${measuredAt}`;
}

/** A table whose columns are numbers; the first one is aligned to the left when it holds words. */
function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const aligned = head.map((title) => (title === "work" ? "---" : "---:"));
  return [line(head), line(aligned), ...rows.map(line)].join("\n");
}
