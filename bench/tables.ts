import { table } from "../sandbox/soar/tables.ts";
import { floorSeconds, type GrowthPoint } from "./growth.ts";
import type { Machine } from "./machine.ts";
import type { RowResult } from "./results.ts";

const dash = "–";

/** The table for a terminal of 100 columns: each row with its limits below it. */
export function terminalTable(rows: readonly RowResult[]): string {
  const right = (title: string, width: number) => ({ title, width, align: "right" as const });
  const columns = [
    { title: "work", width: 25 },
    right("req", 4),
    right("conn", 4),
    right("wall s", 6),
    right("of ref", 6),
    right("CPU s", 5),
    right("peak MB", 7),
    right("in KB", 7),
    right("out KB", 7),
    right("start ms", 8),
  ];
  return table(
    columns,
    rows.flatMap((row) => [measuredCells(row), limitCells(row)]),
  );
}

function measuredCells({ work, median, reference }: RowResult): string[] {
  return [
    work,
    whole(median.requests),
    whole(median.connections),
    seconds(median.wallMs),
    (median.wallMs / reference.wallMs).toFixed(2),
    seconds(median.cpuMs),
    megabytes(median.peakBytes),
    kilobytes(median.receivedBytes),
    kilobytes(median.writtenBytes),
    whole(median.startMs),
  ];
}

function limitCells({ limits, share, missed }: RowResult): string[] {
  return [
    missed.length === 0 ? "  at most" : "  at most; MISSED",
    limit(limits.requests, whole),
    limit(limits.connections, whole),
    limit(limits.wallMs, seconds),
    share.toFixed(2),
    "",
    limit(limits.peakBytes, megabytes),
    limit(limits.receivedBytes, kilobytes),
    "",
    limit(limits.startMs, whole),
  ];
}

/** What the table has no room for: bytes per event, refusals, and misses by name. */
export function remarks(rows: readonly RowResult[]): string[] {
  return rows.flatMap(({ work, median, limits, missed }) => [
    ...(median.findings === 0
      ? []
      : [`${work}: ${whole(median.writtenBytes / median.findings)} bytes per event (${limits.bytesPerEvent ?? dash})`]),
    ...(median.refused === 0 ? [] : [`${work}: ${median.refused} requests were refused (429)`]),
    ...(missed.length === 0 ? [] : [`${work}: missed ${missed.join(", ")}`]),
  ]);
}

/** The same for a document: measured figures, limits in brackets. */
export function markdownTable(rows: readonly RowResult[]): string {
  const lines = rows.map(({ work, median, limits, share, reference }) => {
    const cells = [
      work,
      bounded(median.requests, limits.requests, whole),
      bounded(median.connections, limits.connections, whole),
      `${seconds(median.wallMs)} s`,
      `${(median.wallMs / reference.wallMs).toFixed(2)} (${share.toFixed(2)}) of ${reference.wallMs / 1000} s`,
      `${seconds(median.cpuMs)} s`,
      `${bounded(median.peakBytes, limits.peakBytes, megabytes)} MB`,
      `${bounded(median.receivedBytes, limits.receivedBytes, kilobytes)} KB`,
      `${kilobytes(median.writtenBytes)} KB`,
      `${bounded(median.startMs, limits.startMs, whole)} ms`,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "| work | requests | connections | wall | of the reference | CPU | peak memory | received | written | to the first byte |",
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ...lines,
  ].join("\n");
}

export function growthTable(points: readonly GrowthPoint[]): string {
  const lines = points.map(({ environments, findingTypes, findings, first, quiet, gated }) => {
    const cells = [
      whole(environments),
      whole(environments * findingTypes),
      whole(findings),
      whole(first.requests),
      seconds(first.wallMs),
      floorSeconds(first.requests).toFixed(2),
      megabytes(first.peakBytes),
      whole(quiet.requests),
      seconds(quiet.wallMs),
      whole(gated.requests),
      seconds(gated.wallMs),
      kilobytes(gated.stateBytes),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "| environments | pairs | findings | first run: requests | s | floor s | peak MB | quiet: requests | s | gate: requests | s | state KB |",
    `|${"---:|".repeat(12)}`,
    ...lines,
  ].join("\n");
}

export function machineLine({ cpu, cores, memoryBytes, platform, node, load, measuredAt }: Machine): string {
  const memory = `${Math.round(memoryBytes / 2 ** 30)} GiB`;
  return `${cores} cores (${cpu}), ${memory}, ${platform}, Node ${node}, load ${load} before the start, ${measuredAt}`;
}

function bounded(value: number, most: number | undefined, show: (value: number) => string): string {
  return most === undefined ? show(value) : `${show(value)} (${show(most)})`;
}

function limit(most: number | undefined, show: (value: number) => string): string {
  return most === undefined ? "" : show(most);
}

function whole(value: number): string {
  return Number.isNaN(value) ? dash : Math.round(value).toLocaleString("en");
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(2);
}

function megabytes(bytes: number): string {
  return whole(bytes / 1e6);
}

/** Small amounts with a digit more, so that they are not all 0. */
function kilobytes(bytes: number): string {
  return bytes < 10_000 ? (bytes / 1000).toFixed(1) : whole(bytes / 1000);
}
