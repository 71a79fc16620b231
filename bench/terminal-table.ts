import { table } from "../sandbox/soar/tables.ts";
import { DASH, kilobytes, megabytes, seconds, share, whole } from "./format.ts";
import type { RowResult } from "./results.ts";

/** The table for a terminal of 100 columns: each row with its limits and its shares of the baseline below it. */
export function terminalTable(rows: readonly RowResult[]): string {
  const right = (title: string, width: number) => ({ title, width, align: "right" as const });
  const columns = [
    { title: "work", width: 25 },
    right("req", 5),
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
    rows.flatMap((row) => [measuredCells(row), limitCells(row), ...baselineCells(row)]),
  );
}

function measuredCells({ work, median, reference }: RowResult): string[] {
  return [
    work,
    whole(median.requests),
    whole(median.connections),
    seconds(median.wallMs),
    reference === null ? DASH : share(median.wallMs / reference.wallMs),
    seconds(median.cpuMs),
    megabytes(median.peakBytes),
    kilobytes(median.receivedBytes),
    kilobytes(median.writtenBytes),
    whole(median.startMs),
  ];
}

function limitCells({ limits, reference, missed }: RowResult): string[] {
  return [
    missed.length === 0 ? "  at most" : "  at most; MISSED",
    limit(limits.requests, whole),
    limit(limits.connections, whole),
    limit(limits.wallMs, seconds),
    limit(reference?.share, share),
    "",
    limit(limits.peakBytes, megabytes),
    limit(limits.receivedBytes, kilobytes),
    "",
    limit(limits.startMs, whole),
  ];
}

function baselineCells({ compared }: RowResult): string[][] {
  if (compared === null) return [];
  const { requests, wallMs, cpuMs, peakBytes, startMs } = compared;
  return [
    [
      "  of the baseline",
      share(requests),
      "",
      share(wallMs),
      "",
      share(cpuMs),
      share(peakBytes),
      "",
      "",
      share(startMs),
    ],
  ];
}

function limit(most: number | undefined, show: (value: number) => string): string {
  return most === undefined ? "" : show(most);
}
